import type { Rung } from '../ladder/rung.ts'
import { dropOldestTurns } from '../strategies/drop-oldest-turns.ts'
import { type KeepWindow, resolveKeep } from '../strategies/keep-window.ts'
import { type OffloadOptions, offloadArtifacts } from '../strategies/offload-artifacts.ts'
import { type SlidingWindowOptions, slidingWindow } from '../strategies/sliding-window.ts'
import { type SqueezeOptions, squeezeFloor } from '../strategies/squeeze-floor.ts'
import { type SummarizeOptions, summarizeOlder } from '../strategies/summarize-older.ts'
import { type TruncateOptions, truncateToolPayloads } from '../strategies/truncate-tool-payloads.ts'

/** One rung as JSON: the strategy's name and its options. */
export type RungSpec =
  | ({ readonly strategy: 'offloadArtifacts' } & OffloadOptions)
  | ({ readonly strategy: 'truncateToolPayloads' } & TruncateOptions)
  | ({ readonly strategy: 'summarizeOlder' } & SummarizeOptions)
  | ({ readonly strategy: 'slidingWindow' } & SlidingWindowOptions)
  | { readonly strategy: 'dropOldestTurns' }
  | ({ readonly strategy: 'squeezeFloor' } & SqueezeOptions)

/** When compaction starts: a share of the window, of the effective budget (window − reserve − margin), or a number. */
export type TriggerSpec =
  | { readonly fraction: number; readonly of: 'window' | 'effective' }
  | { readonly tokens: number }

/** A whole policy as JSON: when to compact, where to end, what to keep, and by which rungs. */
export interface Preset {
  readonly name: string
  readonly trigger: TriggerSpec
  /** The trigger for a model whose window is not known. */
  readonly triggerWithoutWindow: number
  /** Where a compaction must end: this share of the room between system and tools and the trigger. */
  readonly target: number
  readonly keep: KeepWindow
  /** The keep window for a model whose window is not known. */
  readonly keepWithoutWindow: KeepWindow
  readonly rungs: readonly RungSpec[]
  /** Does it compute its trigger by its own formula alone, without regard to reserve and margin? */
  readonly ownFormula?: boolean
  /** How often a request that the provider refused as too large is compacted and sent again. Default 2. */
  readonly overflowRetries?: 1 | 2
  /** What writes a summary when the model's is not accepted. Default `extractive`; `none`: the compaction fails. */
  readonly summaryFallback?: 'extractive' | 'none'
}

/**
 * The ladder that a preset describes, for a model with this window (where it is not known, for the trigger instead).
 *
 * @example
 * rungsOf(DEFAULT_PRESET, 200_000).length
 */
export function rungsOf(preset: Preset, window = preset.triggerWithoutWindow): readonly Rung[] {
  return preset.rungs.map((spec) =>
    rungOf('keep' in spec && spec.keep ? { ...spec, keep: resolveKeep(spec.keep, window) } : spec),
  )
}

const LAST_RESORT = { lastResort: true } as const

function rungOf(spec: RungSpec): Rung {
  const name = spec.strategy
  switch (spec.strategy) {
    case 'offloadArtifacts':
      return { name, strategy: offloadArtifacts(spec), needsReader: true, ...(spec.floor === true && LAST_RESORT) }
    case 'truncateToolPayloads':
      return { name, strategy: truncateToolPayloads(spec) }
    case 'summarizeOlder':
      return { name, strategy: summarizeOlder(spec), needsSummary: true }
    case 'slidingWindow':
      return { name, strategy: slidingWindow(spec) }
    case 'dropOldestTurns':
      return { name, strategy: dropOldestTurns() }
    case 'squeezeFloor':
      return { name, strategy: squeezeFloor(spec), lastResort: true }
  }
}

/**
 * The preset for whoever cannot read artifacts, or must not store any: large results are cut instead.
 *
 * @example
 * withoutArtifacts(DEFAULT_PRESET).rungs.map((rung) => rung.strategy)
 */
export function withoutArtifacts(preset: Preset): Preset {
  return { ...preset, rungs: preset.rungs.filter(({ strategy }) => strategy !== 'offloadArtifacts') }
}
