/** Codes a caller can branch on. */
export type PalimpsestErrorCode =
  /** Input that is not what it should be: a plan, a request, an option. */
  | 'invalid-input'
  /** A plan that does not fit the transcript it is applied to. */
  | 'plan-mismatch'
  /** The view cannot be made to fit; the message names what is in the way. */
  | 'cannot-fit'
  /** Nothing could be made smaller, but the request fits as it is: it goes out, and growth is worth another attempt. */
  | 'no-progress'
  /** No legal view exists because the transcript itself breaks the protocol in a way that no edit can mend. */
  | 'invalid-transcript'
  /** The history lives at the provider; there is nothing here to compact. */
  | 'history-on-server'
  /** The provider refused the request as too large, and the ladder is exhausted. */
  | 'context-overflow'
  /** A store, file or model call failed. */
  | 'effect-failed'
  /** What was asked for is not there. */
  | 'not-found'
  /** Somebody else wrote there first: read what stands there now, and try again. */
  | 'conflict'

/**
 * The world failed, or the input did: what happened, in one sentence, and what would help.
 * Faults of our own are `TypeError` or `RangeError` instead.
 *
 * @example
 * throw new PalimpsestError('invalid-input', 'There is no policy "mine".', { hint: 'Known are hango and keen.' })
 */
export class PalimpsestError extends Error {
  readonly code: PalimpsestErrorCode
  /** What would work, in one sentence. */
  readonly hint?: string
  constructor(code: PalimpsestErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'PalimpsestError'
    this.code = code
    if (options.hint !== undefined) this.hint = options.hint
  }
}
