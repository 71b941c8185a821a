import type { AiSdkMessage } from 'palimpsest'

/** An answer that ended before it was complete, with what of it was shown: nobody may lose that. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer'
  /** The words that were shown, as a message that may stand in the transcript; undefined where there were none. */
  readonly partial: AiSdkMessage | undefined

  constructor(cause: unknown, partial: AiSdkMessage | undefined) {
    super('The answer of the model broke off.', { cause })
    this.partial = partial
  }
}

/** The failure behind a broken answer, or the failure itself. */
export function failureOf(error: unknown): unknown {
  return error instanceof BrokenAnswer ? failureOf(error.cause) : error
}

/** What was shown of an answer before this failure. */
export function partialOf(error: unknown): AiSdkMessage | undefined {
  return error instanceof BrokenAnswer ? error.partial : undefined
}
