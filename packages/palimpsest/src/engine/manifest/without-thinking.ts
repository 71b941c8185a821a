/** A text of a model without the reasoning in it: models without a field for that write it into the text, in tags. */
export function withoutThinking(text: string): string {
  return text.includes('<think') ? text.replace(/<(think|thinking)>[\s\S]*?(?:<\/\1>|$)/g, '') : text
}
