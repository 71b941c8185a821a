import type { MessageGroup } from '../messages/groups.ts'
import type { Draft } from '../plan/draft.ts'
import type { Plan } from '../plan/plan.ts'
import type { Ledger } from '../tokens/ledger.ts'
import type { KeepWindow } from './keep-window.ts'

/** What a strategy decides on. All of it is about the transcript's items; system and tools stand outside. */
export interface StrategyInput {
  readonly ledger: Ledger
  readonly groups: readonly MessageGroup[]
  /** What earlier compactions did, as one plan: new edits are added on top of it. */
  readonly current: Plan
  /** Tokens that all items together may take afterwards. */
  readonly limit: number
  /** The newest part to leave alone: a preference with a floor. */
  readonly keep: KeepWindow
}

/**
 * Decides how a view becomes smaller. Pure: same input, same draft. `undefined`: nothing that this strategy could do.
 * The draft holds only what is new; merged onto `current` it is the next plan.
 */
export type Strategy = (input: StrategyInput) => Draft | undefined
