import type { OverflowFacts } from '../dialects/dialect.ts'
import type { Rung } from '../engine/ladder/rung.ts'
import { type Preset, rungsOf } from '../engine/presets/preset.ts'
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
  given: { readonly preset: Preset; readonly limits: CompactionLimits; readonly sent: number },
): ForcedLadder {
  const { preset, limits, sent } = given
  const stated = facts.kind === 'bytes' ? undefined : facts.limit
  const most = stated === undefined ? Math.min(limits.limit, sent * UNSTATED_SHARE) : stated * STATED_SHARE
  const limit = Math.floor(attempt > 1 ? Math.min(most, sent * SECOND_SHARE) : most)
  const rungs = attempt > 1 ? rungsOf(lastRungs(preset), limits.window) : summaryFirst(rungsOf(preset, limits.window))
  return { rungs, limit, target: Math.min(limits.target, limit) }
}

/** Rungs that write a summary, then the others in their order. */
export function summaryFirst(rungs: readonly Rung[]): readonly Rung[] {
  const summary = rungs.filter((rung) => rung.needsSummary === true)
  return [...summary, ...rungs.filter((rung) => rung.needsSummary !== true)]
}

/** What is left when a summary was not enough, with the tools that this preset spares. */
function lastRungs(preset: Preset): Preset {
  const except = preset.rungs.flatMap((spec) => ('except' in spec ? (spec.except ?? []) : []))
  return {
    ...preset,
    rungs: [
      { strategy: 'dropOldestTurns' },
      { strategy: 'truncateToolPayloads' },
      { strategy: 'offloadArtifacts', floor: true, except },
      { strategy: 'squeezeFloor' },
    ],
  }
}

/** How many times larger or smaller than its mean estimate a request cannot be. */
const ABSURD = 5

/**
 * The size of what was refused: as stated, else no less than the limit that it passed. A number far from any estimate is
 * another request's, or counts something else.
 */
export function refusedTokens(
  { kind, size, limit = 0 }: OverflowFacts,
  { sent, mean }: { readonly sent: number; readonly mean: number },
): number {
  const isBelievable = (tokens: number) => tokens > mean / ABSURD && tokens < mean * ABSURD
  if (size !== undefined && isBelievable(size)) return size
  return kind !== 'output' && isBelievable(limit) ? Math.max(sent, limit) : sent
}
