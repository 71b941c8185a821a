import type { OverflowContext, OverflowFacts } from './dialect.ts'
import { tokenCount } from './json-fields.ts'

/** Prompt tokens as OpenAI's formats report them; undefined for a report that contradicts itself or counts nothing. */
export function reportedInput(input: unknown, total: unknown): number | undefined {
  const tokens = tokenCount(input)
  return tokens === 0 || (typeof total === 'number' && total < tokens) ? undefined : tokens
}

/** A prompt that fills the window leaves no room for an answer: the input was cut, though the call succeeded. */
export function filledWindow(input: number | undefined, { window }: OverflowContext): OverflowFacts | undefined {
  if (input === undefined || input < window || window <= 0) return undefined
  return { kind: 'silent', limit: window, size: input, detail: `${input} prompt tokens fill the window` }
}
