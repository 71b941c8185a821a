import { isBriefing } from '../engine/manifest/briefing.ts'
import { createManifest, type Manifest } from '../engine/manifest/manifest.ts'
import type { TranscriptSlice } from '../engine/manifest/transcript-slice.ts'
import { BUDGET_SLACK } from './acceptance.ts'
import { extractiveSummary } from './extractive.ts'
import type { Summarizer, SummaryInput, SummaryOutcome } from './summarizer.ts'

/** What a text that no model wrote is `by`. */
export const EXTRACTIVE = 'extractive'

/**
 * The deterministic summariser, for who picks one at run time. It asks no model and fails only where the budget has no
 * room for a line.
 *
 * @example
 * const outcome = await extractiveSummarizerOf()({ slices, request, mode: 'automatic', estimate }, {})
 */
export function extractiveSummarizerOf(): Summarizer {
  const write = extractiveWriter()
  return async (input, { signal }) => {
    signal?.throwIfAborted()
    return write(input)
  }
}

/**
 * The same, at once. What it read of a list of slices is kept for as long as the list lives, so that a list that only
 * grows costs only what is new.
 */
export function extractiveWriter(): (input: SummaryInput) => SummaryOutcome {
  const manifests = new WeakMap<readonly TranscriptSlice[], KeptManifest>()
  return (input) => {
    const kept = manifests.get(input.slices)
    const read = readOn(kept !== undefined && kept.read <= input.slices.length ? kept : fresh(), input.slices)
    manifests.set(input.slices, read)
    return outcomeOf(briefing(input, read.manifest), input)
  }
}

interface KeptManifest {
  readonly manifest: Manifest
  /** Slices of the list that are in it. */
  readonly read: number
}

function fresh(): KeptManifest {
  return { manifest: createManifest(), read: 0 }
}

function readOn({ manifest, read }: KeptManifest, slices: readonly TranscriptSlice[]): KeptManifest {
  for (const { position, view } of slices.slice(read)) {
    // Two views of one position cannot both be right; the first is taken.
    if (position >= manifest.end) manifest.add(position, view)
  }
  return { manifest, read: slices.length }
}

function briefing(input: SummaryInput, manifest: Manifest): string {
  const { ranges, budget, previous } = input.request
  const last = lastUserMessage(input)
  const written = previous.filter((text) => !isBriefing(text))
  return extractiveSummary({
    manifest,
    from: ranges[0]?.from ?? 0,
    upTo: ranges.at(-1)?.to ?? 0,
    budget,
    estimate: input.estimate,
    ...(last !== undefined && { lastUserMessage: last }),
    ...(written.length > 0 && { previous: written.join('\n\n') }),
  })
}

/** What a checkpoint carries of the user is told again: its summary goes with it. */
function lastUserMessage({ slices, lastUserMessage: last }: SummaryInput): number | undefined {
  if (last === undefined) return undefined
  const own = slices[last]?.position === last ? slices[last] : slices.find(({ position }) => position === last)
  return own?.view.checkpoint === true ? undefined : last
}

const NOTHING_TO_REPORT = 'Nothing to report.'

/** A range may hold nothing but an orphan result: an empty summary would read as a failed one. */
function outcomeOf(text: string, { estimate, request }: SummaryInput): SummaryOutcome {
  const usage = { input: 0, output: 0 }
  const shown = text === '' ? NOTHING_TO_REPORT : text
  if (estimate(shown) <= request.budget * BUDGET_SLACK) {
    return { status: 'written', text: shown, by: EXTRACTIVE, usage, rejected: [] }
  }
  const detail = `A budget of ${request.budget} tokens has no room for a line.`
  return { status: 'failed', usage, rejected: [{ reason: 'empty', detail }] }
}
