import type { PalimpsestError } from 'palimpsest'

/** How a turn ended. Only `answered` is an answer; an error says what would help. */
export type TurnEnd =
  | { readonly outcome: 'answered' | 'cancelled'; readonly error?: never }
  | { readonly outcome: 'failed'; readonly error: PalimpsestError }

/** A turn that ended, and what came of it. */
export type TurnResult = TurnEnd & {
  /** What the model said in this turn, step by step. */
  readonly texts: readonly string[]
  readonly steps: number
}
