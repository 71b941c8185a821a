import { PalimpsestError } from '../engine/errors.ts'

/** What a store threw, as an error that can be told. */
export function storeFailure(cause: unknown): PalimpsestError {
  return cause instanceof PalimpsestError
    ? cause
    : new PalimpsestError('effect-failed', 'The store of compaction records did not answer.', { cause })
}
