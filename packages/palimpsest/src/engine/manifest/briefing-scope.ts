import type { Manifest, PlacedCall, PlacedInstruction, PlacedText, PlacedWords } from './manifest.ts'
import type { NameRecord } from './name-uses.ts'
import { withoutFolder } from './references.ts'
import type { Estimate } from './text-cut.ts'
import { workingFolder } from './working-folder.ts'

/** The part of a manifest that a briefing is about, with what its sections share. */
export interface BriefingScope {
  readonly said: readonly PlacedWords[]
  readonly instructions: readonly PlacedInstruction[]
  readonly texts: readonly PlacedText[]
  /** Earlier summaries that stand in the range. */
  readonly earlier: readonly PlacedText[]
  /** Calls with their results as far as both lie in the range. */
  readonly calls: readonly PlacedCall[]
  readonly names: () => Iterable<NameRecord>
  /** The step that the range ends in. */
  readonly lastStep: number
  /** Position of the message that stands verbatim elsewhere in the view, if one does. */
  readonly lastUserMessage: number | undefined
  /** The folder that paths are printed relative to; empty: none. */
  readonly folder: string
  readonly relative: (path: string) => string
  readonly estimate: Estimate
}

/** A piece of a briefing that can be written for any budget. */
export interface Section {
  /** There is nothing to tell, whatever the budget. */
  readonly isEmpty: boolean
  /** The section with its heading in at most about `budget` tokens; empty when nothing sensible fits. */
  render(budget: number): string
}

/** Narrows a manifest to positions [from, upTo). */
export function scopeOf(
  manifest: Manifest,
  range: { readonly from: number; readonly upTo: number; readonly lastUserMessage: number | undefined },
  estimate: Estimate,
): BriefingScope {
  const { from, upTo } = range
  const inside = <T extends { readonly position: number }>(list: readonly T[]): readonly T[] =>
    list.slice(firstAt(list, from), firstAt(list, upTo))
  const calls = inside(manifest.calls).map((placed) =>
    placed.result !== undefined && placed.result.position >= upTo ? { ...placed, result: undefined } : placed,
  )
  const said = inside(manifest.said)
  const texts = inside(manifest.texts)
  const folder = workingFolder(calls.map((placed) => placed.call))
  return {
    said,
    texts,
    earlier: inside(manifest.earlier),
    calls,
    instructions: inside(manifest.instructions),
    names: () => manifest.names.within(from, upTo),
    lastStep: Math.max(0, ...[said, texts, calls].map((list) => list.at(-1)?.step ?? 0)),
    lastUserMessage: range.lastUserMessage,
    folder,
    relative: (path) => withoutFolder(path, folder) || '.',
    estimate,
  }
}

/** Index of the first element at or after a position, by bisection: lists are in order. */
function firstAt(list: readonly { readonly position: number }[], position: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle]?.position ?? 0) < position) low = middle + 1
    else high = middle
  }
  return low
}
