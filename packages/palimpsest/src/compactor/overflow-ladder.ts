import type { OverflowFacts } from '../dialects/dialect.ts'
import type { Rung } from '../engine/ladder/rung.ts'
import { dropOldestTurns } from '../engine/strategies/drop-oldest-turns.ts'
import { squeezeFloor } from '../engine/strategies/squeeze-floor.ts'
import { truncateToolPayloads } from '../engine/strategies/truncate-tool-payloads.ts'
import type { CompactionLimits } from './compaction-limits.ts'

/** The numbers and rungs of a compaction that a refusal forces. */
export interface ForcedLadder {
  readonly rungs: readonly Rung[]
  readonly target: number
  readonly limit: number
}

/** A stated limit is the provider's own: the retry may come this near to it. */
const STATED_SHARE = 0.95
/** Where no number was stated, the refused size is the upper bound and this share of it the limit. */
const UNSTATED_SHARE = 0.75
/** A second refusal shows that the sizes are off: then the retry ends well below what was refused. */
const SECOND_SHARE = 0.6

/**
 * The ladder after the `attempt`-th refusal of a request of `sent` tokens. First: a summary at least, before anything else,
 * within the limit that the provider stated. Second: whole oldest turns go.
 */
export function overflowLadder(
  facts: OverflowFacts,
  attempt: number,
  given: { readonly rungs: readonly Rung[]; readonly limits: CompactionLimits; readonly sent: number },
): ForcedLadder {
  const { limits, sent } = given
  const stated = facts.kind === 'bytes' ? undefined : facts.limit
  const most = stated === undefined ? Math.min(limits.limit, sent * UNSTATED_SHARE) : stated * STATED_SHARE
  const limit = Math.floor(attempt > 1 ? Math.min(most, sent * SECOND_SHARE) : most)
  const rungs = attempt > 1 ? LAST_RUNGS : summaryFirst(given.rungs)
  return { rungs, limit, target: Math.min(limits.target, limit) }
}

function summaryFirst(rungs: readonly Rung[]): readonly Rung[] {
  const summary = rungs.filter((rung) => rung.needsSummary === true)
  return [...summary, ...rungs.filter((rung) => rung.needsSummary !== true)]
}

const LAST_RUNGS: readonly Rung[] = [
  { name: 'dropOldestTurns', strategy: dropOldestTurns() },
  { name: 'truncateToolPayloads', strategy: truncateToolPayloads() },
  { name: 'squeezeFloor', strategy: squeezeFloor(), lastResort: true },
]
