/** One text from a model: the only thing a model-based summariser needs of it. */
export type Generate = (prompt: GeneratePrompt, call: { readonly signal?: AbortSignal }) => Promise<Generated>

/** What a summariser asks of a model. */
export interface GeneratePrompt {
  readonly system: string
  readonly user: string
  readonly maxOutputTokens: number
  /** Another model than the run's own. */
  readonly model?: string
  readonly session?: string
}

/** What the model answered, with what decides whether it may stand as a summary. */
export interface Generated {
  /** The answer's text, without reasoning. */
  readonly text: string
  readonly finish: 'stop' | 'length' | 'refusal' | 'tool-call' | 'other'
  /** Was there reasoning beside (or instead of) the text? */
  readonly reasoned?: boolean
  /** Tokens of the whole prompt, cached ones included, and of the answer, reasoning included. */
  readonly usage?: { readonly input: number; readonly output: number }
}
