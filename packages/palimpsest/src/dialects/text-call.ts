import type { Generated, GeneratePrompt } from '../engine/summary/text-generation.ts'
import type { Usage } from './dialect.ts'

/** How a wire format asks a model for one text and reads the answer. Pure; never throws. */
export interface TextCall<Request = unknown> {
  /**
   * A fresh request for one text: system prompt, one user message, output cap, no tools, no thinking settings, no
   * server-side edits. Of the caller's request it takes the model (unless the prompt names one), and what says whose data
   * this is and how it may be treated. Where a format has its model in the URL, the caller puts it there.
   */
  request(prompt: GeneratePrompt, like: Request): Request
  /** The answer in the whole response body, or in the last event of a stream. What is no answer is an empty text. */
  read(response: unknown): Generated
}

/** What was found in a response. */
export interface FoundAnswer {
  readonly texts: readonly string[]
  readonly finish: Generated['finish']
  readonly reasoned: boolean
  readonly called: boolean
  readonly refused: boolean
  readonly usage: Usage | undefined
}

/** The answer as a summariser takes it. A call or a refusal beside a text counts, whatever the finish reason says. */
export function generatedFrom({ texts, finish, reasoned, called, refused, usage }: FoundAnswer): Generated {
  return {
    text: texts.join(''),
    finish: called ? 'tool-call' : refused ? 'refusal' : finish,
    ...(reasoned && { reasoned }),
    ...(usage !== undefined && { usage: { input: usage.input, output: usage.output } }),
  }
}

/** Those of the fields that the object has, as they are. */
export function carried<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  const present = names.filter((name) => from[name] !== undefined && from[name] !== null)
  return Object.fromEntries(present.map((name) => [name, from[name]])) as Pick<T, K>
}
