import type { OverflowFacts } from '../dialects/dialect.ts'
import { PalimpsestError } from '../engine/errors.ts'

/**
 * The request is too large and cannot be made smaller, or the provider refused what the whole ladder could do. `cause` is
 * the provider's own failure, or the reason why nothing could be left out.
 *
 * @example
 * const compactor = createCompactor({ dialect: anthropicMessages })
 * await compactor.prepare(body).catch((error: unknown) => {
 *   if (error instanceof ContextOverflowError) console.error(error.message, error.hint)
 * })
 */
export class ContextOverflowError extends PalimpsestError {
  /** What the provider said; absent where it was never asked. */
  readonly facts?: OverflowFacts
  /** Requests that were sent and refused. */
  readonly attempts: number

  constructor(message: string, options: { hint: string; attempts: number; facts?: OverflowFacts; cause?: unknown }) {
    super('context-overflow', message, { hint: options.hint, cause: options.cause })
    this.name = 'ContextOverflowError'
    this.attempts = options.attempts
    if (options.facts !== undefined) this.facts = options.facts
  }
}
