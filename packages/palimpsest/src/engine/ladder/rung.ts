import type { Strategy } from '../strategies/strategy.ts'

/** One step of a ladder. */
export interface Rung {
  readonly name: string
  readonly strategy: Strategy
  /** Runs only while the view still misses the hard limit, not merely the target. */
  readonly lastResort?: boolean
  /** Asks for a summary; left out where nothing may write one. */
  readonly needsSummary?: boolean
  /** Needs a caller who can read artifacts; skipped otherwise. */
  readonly needsReader?: boolean
}
