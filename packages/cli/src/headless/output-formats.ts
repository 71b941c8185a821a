/** What a run prints: the words of the model, one object at the end, or a line for every event and the same object last. */
export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const

export type OutputFormat = (typeof OUTPUT_FORMATS)[number]
