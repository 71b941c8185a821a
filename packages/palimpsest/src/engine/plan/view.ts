import { PalimpsestError } from '../errors.ts'
import { type Plan, planExtent } from './plan.ts'
import { type ItemEdits, indexPlan, mergeIndexes, type PlanIndex } from './plan-index.ts'
import { countPositions, hasPosition } from './position-set.ts'

/** One place of a view: an item of the transcript with its edits, or a summary. */
export type ViewEntry =
  | { readonly kind: 'item'; readonly position: number; readonly edits?: ItemEdits }
  | { readonly kind: 'summary'; readonly insertAfter: number; readonly content: string }

/** What the model is sent, as places in the transcript: nothing is rendered yet. */
export interface View {
  /** Items of the transcript that this view was made from. */
  readonly length: number
  readonly entries: readonly ViewEntry[]
}

/**
 * The view that shows the whole transcript of `length` items.
 *
 * @example
 * wholeView(2).entries.length // 2
 */
export function wholeView(length: number): View {
  return { length, entries: Array.from({ length }, (_, position) => ({ kind: 'item', position })) }
}

/**
 * The view with the plan applied to what it still shows. Applying a merge is the same as applying one plan after the other.
 * @throws PalimpsestError `plan-mismatch` when the plan speaks of positions that the transcript does not have.
 *
 * @example
 * applyPlan({ drop: [{ from: 0, to: 2 }] }, wholeView(5)).entries.length // 3
 */
export function applyPlan(plan: Plan, view: View): View {
  if (planExtent(plan) > view.length) {
    throw new PalimpsestError(
      'plan-mismatch',
      `The plan speaks of position ${planExtent(plan) - 1}, the transcript has ${view.length} items.`,
      { hint: 'Apply a plan to the transcript it was made for, or to one that continues it.' },
    )
  }
  const index = indexPlan(plan)
  const kept = view.entries.flatMap((entry) => applyToEntry(entry, index))
  return { length: view.length, entries: index.summaries.length === 0 ? kept : insertSummaries(kept, index) }
}

function applyToEntry(entry: ViewEntry, index: PlanIndex): readonly ViewEntry[] {
  if (entry.kind === 'summary') return hasPosition(index.drop, entry.insertAfter) ? [] : [entry]
  if (hasPosition(index.drop, entry.position)) return []
  const edits = index.items.get(entry.position)
  if (edits === undefined) return [entry]
  const merged = mergeIndexes(single(entry.position, entry.edits), single(entry.position, edits))
  const result = merged.items.get(entry.position)
  return [result === undefined ? entry : { ...entry, edits: result }]
}

function single(position: number, edits: ItemEdits | undefined): PlanIndex {
  return { drop: [], summaries: [], items: new Map(edits === undefined ? [] : [[position, edits]]) }
}

/** A summary stands behind every item up to its site and behind the earlier summaries of that site or before. */
function insertSummaries(entries: readonly ViewEntry[], index: PlanIndex): readonly ViewEntry[] {
  const result: ViewEntry[] = []
  const pending = index.summaries.values()
  let next = pending.next()
  for (const entry of entries) {
    const site = entry.kind === 'item' ? entry.position : entry.insertAfter
    while (next.value !== undefined && next.value.insert_after < site) {
      result.push(summaryEntry(next.value))
      next = pending.next()
    }
    result.push(entry)
  }
  for (; next.value !== undefined; next = pending.next()) result.push(summaryEntry(next.value))
  return result
}

function summaryEntry(summary: { readonly insert_after: number; readonly content: string }): ViewEntry {
  return { kind: 'summary', insertAfter: summary.insert_after, content: summary.content }
}

/**
 * How many items of the transcript the plan takes out of view.
 *
 * @example
 * countEvicted({ drop: [{ from: 0, to: 41 }] }) // 41
 */
export function countEvicted(plan: Plan): number {
  return countPositions(indexPlan(plan).drop)
}
