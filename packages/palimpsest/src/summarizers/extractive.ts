import { isBriefing, renderBriefing } from '../engine/manifest/briefing.ts'
import { addToManifest, createManifest, type Manifest } from '../engine/manifest/manifest.ts'
import type { Estimate } from '../engine/manifest/text-cut.ts'
import type { TranscriptSlice } from '../engine/manifest/transcript-slice.ts'

/** What the deterministic summariser is given. */
export interface ExtractiveInput {
  /** The transcript. Ignored where `manifest` is given. */
  readonly slices?: readonly TranscriptSlice[]
  /** A manifest that is kept from compaction to compaction, so that only new items cost. It must reach `upTo`. */
  readonly manifest?: Manifest
  /** Positions before this one are summarised. */
  readonly upTo: number
  readonly from?: number
  /** Most tokens of the summary, by `estimate`. */
  readonly budget: number
  readonly estimate: Estimate
  /** Position of the user message that stays in the view verbatim. */
  readonly lastUserMessage?: number
  /** A summary that a model wrote earlier. One of this summariser is not needed: the manifest holds all that it told. */
  readonly previous?: string
}

/**
 * A summary of everything before `upTo` without a model: the briefing of the transcript's manifest. Never fails and
 * never exceeds the budget; empty where nothing was said or nothing fits. The same input gives the same text.
 */
export function extractiveSummary(input: ExtractiveInput): string {
  const { slices = [], manifest = manifestOf(slices), previous, ...options } = input
  const isOurs = previous === undefined || isBriefing(previous)
  return renderBriefing(manifest, { ...options, ...(isOurs ? {} : { previous }) })
}

function manifestOf(slices: readonly TranscriptSlice[]): Manifest {
  const manifest = createManifest()
  const ordered = slices.toSorted((a, b) => a.position - b.position)
  // Two views of one position cannot both be right; the first is taken.
  addToManifest(
    manifest,
    ordered.filter((slice, at) => slice.position >= 0 && slice.position !== ordered[at - 1]?.position),
  )
  return manifest
}
