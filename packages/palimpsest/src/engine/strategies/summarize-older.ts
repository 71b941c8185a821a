import type { GroupSlice, MessageGroup } from '../messages/groups.ts'
import type { Draft, DraftSummary, SummaryRequest } from '../plan/draft.ts'
import type { Plan, PositionRange } from '../plan/plan.ts'
import { hasPosition, positionSet } from '../plan/position-set.ts'
import { projectUnits } from '../plan/projected-units.ts'
import { unwrapCheckpoint } from '../summary/checkpoint-text.ts'
import { UNITS_PER_TOKEN } from '../tokens/ledger.ts'
import { type Eviction, evictGroups, isEvicted, isFixed, repairs } from './evict.ts'
import { floorBoundary, type KeepWindow, keepBoundary } from './keep-window.ts'
import { lastUserGroup, ownWords } from './last-user-message.ts'
import type { Strategy, StrategyInput } from './strategy.ts'
import { systemMessages } from './system-messages.ts'

/** How much is summarised, in which form, and by whom. */
export interface SummarizeOptions {
  /** Which model writes it, for the record; nothing: whatever the compactor is set up with. */
  readonly summarizer?: { readonly provider: string; readonly model: string }
  /** Messages per summary: each chunk gets its own call. Default: one summary for all. */
  readonly chunkTurns?: number
  /** Bounds of one summary. `tokens`: what its text may take. Default: a sixth of the limit, from 200 to 8,000. */
  readonly budget?: { readonly tokens?: number }
  /** Default: the keep window of the ladder. */
  readonly keep?: KeepWindow
  /**
   * `checkpoint`: the summary stands before what is kept. `keen`: one message holds summary and last user message, and
   * nothing else is kept but the open tool batch.
   */
  readonly form?: 'checkpoint' | 'keen'
  /** Must the kept part start at an assistant message (so that roles alternate behind the summary)? */
  readonly keptStartsWith?: 'assistant'
  /** What a person asked the summary to dwell on. */
  readonly focus?: string
}

/**
 * Replaces everything before the keep window by one summary. The window shrinks, group by group, while summary and kept
 * part would miss the limit. The last user message, where it leaves, stands verbatim beside the summary; pinned items and
 * system messages stay behind it.
 *
 * @example
 * const adapter = strategyAdapter('summarize', 8_000, summarizeOlder({ keep: { messages: 6 } }))
 */
export function summarizeOlder(given: SummarizeOptions = {}): Strategy {
  return (input) => {
    const options = possibleForm(input, given)
    if (options === undefined) return undefined
    const budget = summaryBudget(input, options)
    const boundary = chooseBoundary(input, options, budget)
    if (boundary === undefined) return undefined
    const gone = positionSet(input.current.drop ?? [])
    const system = systemMessages(input.groups.slice(0, boundary), input.ledger, input.limit)
    // what an earlier summary stands for stays gone, also where the boundary now lies before it
    const leaving = (group: MessageGroup, index: number) =>
      isEvicted(group, gone) ||
      (group.kind === 'system' ? system.leaving.has(group) : leaves(input, options, boundary, group, index))
    const eviction = evictGroups(input.groups, leaving, {})
    if (!takesAnythingNew(eviction, input.current)) return undefined
    return draft(input, options, { ...eviction, budget, standing: system.texts })
  }
}

/**
 * The keen form needs a last user message; one that is more than text cannot stand inside the summary, so it stays an item
 * and the summary stands before it, as in the other form.
 */
function possibleForm({ groups, ledger }: StrategyInput, options: SummarizeOptions): SummarizeOptions | undefined {
  if (options.form !== 'keen') return options
  const last = lastUserGroup(groups)
  if (last === undefined) return undefined
  return ownWords(last.group, ledger) === undefined ? { ...options, form: 'checkpoint' } : options
}

const MOST_SUMMARY_TOKENS = 8_000
const LEAST_SUMMARY_TOKENS = 200

function summaryBudget({ limit }: StrategyInput, { budget }: SummarizeOptions): number {
  return budget?.tokens ?? Math.max(LEAST_SUMMARY_TOKENS, Math.min(MOST_SUMMARY_TOKENS, Math.floor(limit / 6)))
}

/** The group from which on everything is kept; undefined when the preset finds no legal one. */
function chooseBoundary(input: StrategyInput, options: SummarizeOptions, budget: number): number | undefined {
  const { groups, ledger, current, limit } = input
  const floor = options.form === 'keen' ? keenBoundary(groups) : floorBoundary(groups)
  const wanted =
    options.form === 'keen' ? floor : Math.min(floor, keepBoundary(groups, ledger, options.keep ?? input.keep, current))
  const projected = projectUnits(current, ledger)
  const room = limit * UNITS_PER_TOKEN - budget * UNITS_PER_TOKEN
  let kept = unitsFrom(groups, wanted, projected.at)
  let boundary = wanted
  while (boundary < floor && kept > room) {
    kept -= unitsOf(groups[boundary], projected.at)
    boundary++
  }
  return options.keptStartsWith === 'assistant' ? assistantStart(groups, boundary) : boundary
}

/** In the keen form only an open tool batch stays outside the one message. */
function keenBoundary(groups: readonly MessageGroup[]): number {
  const floor = floorBoundary(groups)
  return groups[floor]?.kind === 'tool-batch' ? floor : groups.length
}

/** The boundary moved back to an assistant message whose calls are all answered. */
function assistantStart(groups: readonly MessageGroup[], boundary: number): number | undefined {
  for (let index = Math.min(boundary, groups.length - 1); index > 0; index--) {
    const group = groups[index]
    const speaks = group?.kind === 'assistant' || group?.kind === 'tool-batch'
    if (speaks && !group.orphan && group.unanswered.length === 0) return index
  }
  return undefined
}

function leaves(
  input: StrategyInput,
  { form }: SummarizeOptions,
  boundary: number,
  group: MessageGroup,
  index: number,
): boolean {
  if (index >= boundary) return false
  if (form === 'keen' || index !== lastUserGroup(input.groups)?.index) return true
  const words = ownWords(group, input.ledger)
  // longer ones stay as an item, where they can be cut at last if nothing else helps
  return words !== undefined && input.ledger.meter.text(words) <= (input.limit * UNITS_PER_TOKEN) / 2
}

/** A compaction without anything new to take is none: the earlier summary would only be written again. */
function takesAnythingNew({ drop, removals }: Eviction, current: Plan): boolean {
  const gone = positionSet(current.drop ?? [])
  const removed = new Set((current.removals ?? []).map((one) => `${one.message_index}.${one.part}`))
  const newDrop = drop.some((range) => !covered(range, gone))
  return newDrop || removals.some((one) => !removed.has(`${one.message_index}.${one.part}`))
}

function covered(range: PositionRange, gone: readonly PositionRange[]): boolean {
  return gone.some((one) => one.from <= range.from && one.to >= range.to)
}

/** What leaves, and what its summary may take and must hold. */
interface Replaced extends Eviction {
  readonly budget: number
  readonly standing: readonly string[]
}

function draft(input: StrategyInput, options: SummarizeOptions, eviction: Replaced): Draft {
  const { groups, current, ledger } = input
  const last = lastUserGroup(groups)
  const gone = positionSet(eviction.drop)
  const evicted = last?.group.slices.every((slice) => isOut(slice, gone, eviction))
  const words = last !== undefined && evicted ? ownWords(last.group, ledger) : undefined
  const previous = (current.summaries ?? []).filter((one) => hasPosition(gone, one.insert_after))
  const request: SummaryRequest = {
    ranges: eviction.drop,
    budget: eviction.budget,
    // what a checkpoint quotes of the user is in the transcript
    previous: previous.map(({ content }) => unwrapCheckpoint(content)?.summary ?? content),
    ...nonEmpty('standing', eviction.standing),
    ...(words !== undefined && { lastUserMessage: words }),
    ...(options.focus !== undefined && { focus: options.focus }),
  }
  const repaired = repairs(groups, gone)
  return {
    drop: [...eviction.drop, ...repaired.drop],
    summaries: summaries(request, groups, eviction, options),
    ...nonEmpty('removals', [...eviction.removals, ...repaired.removals]),
  }
}

/** Has all of this slice left? An item that groups share may lose the parts of one and keep those of the other. */
function isOut({ position, parts }: GroupSlice, gone: readonly PositionRange[], { removals }: Eviction): boolean {
  if (hasPosition(gone, position)) return true
  const removed = (part: number) => removals.some((one) => one.message_index === position && one.part === part)
  return parts !== 'all' && parts.every(removed)
}

/**
 * Where the summary stands: at the end of the first dropped range, so that pinned items and system messages that stay
 * come behind it; in the keen form behind the last range, so that pinned items precede it.
 */
function summaries(
  request: SummaryRequest,
  groups: readonly MessageGroup[],
  { drop }: Eviction,
  options: SummarizeOptions,
): readonly DraftSummary[] {
  const site = options.form === 'keen' ? drop.at(-1) : drop[0]
  if (site === undefined) return []
  if (options.chunkTurns === undefined) return [{ insert_after: site.to - 1, summary_request: request }]
  return chunks(drop, groups, options.chunkTurns).map((ranges, index, all) => {
    const { lastUserMessage, ...rest } = request
    const final = index === all.length - 1
    return {
      insert_after: (ranges.at(-1)?.to ?? site.to) - 1,
      summary_request: {
        ...rest,
        ranges,
        budget: Math.floor(request.budget / all.length),
        previous: index === 0 ? request.previous : [],
        ...(final && lastUserMessage !== undefined && { lastUserMessage }),
      },
    }
  })
}

/** The dropped ranges cut at group starts into pieces of at least `size` messages. */
function chunks(
  drop: readonly PositionRange[],
  groups: readonly MessageGroup[],
  size: number,
): readonly (readonly PositionRange[])[] {
  const starts = new Set(groups.flatMap((group) => group.slices[0]?.position ?? []))
  const pieces: { from: number; to: number }[][] = [[]]
  let count = 0
  for (const range of drop) {
    for (let position = range.from; position < range.to; position++) {
      if (count >= size && starts.has(position)) {
        pieces.push([])
        count = 0
      }
      const piece = pieces.at(-1) ?? []
      const last = piece.at(-1)
      if (last?.to === position) last.to++
      else piece.push({ from: position, to: position + 1 })
      count++
    }
  }
  return pieces
}

function unitsFrom(groups: readonly MessageGroup[], from: number, at: (position: number) => number): number {
  return groups.reduce((sum, group, index) => sum + (index >= from || isFixed(group) ? unitsOf(group, at) : 0), 0)
}

/** An item that groups share counts for the one that ends in it. */
function unitsOf(group: MessageGroup | undefined, at: (position: number) => number): number {
  if (group === undefined || isFixed(group)) return 0
  return group.slices.reduce(
    (sum, { position, parts }) => sum + (parts === 'all' || parts[0] === 0 ? at(position) : 0),
    0,
  )
}

function nonEmpty<K extends string, T>(key: K, list: readonly T[]): { readonly [P in K]?: readonly T[] } {
  return list.length === 0 ? {} : ({ [key]: list } as { [P in K]: readonly T[] })
}
