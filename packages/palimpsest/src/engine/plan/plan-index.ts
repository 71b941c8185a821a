import type { Offload, Placeholder, Plan, PlanSummary, Truncation } from './plan.ts'
import { hasPosition, type PositionSet, positionSet } from './position-set.ts'

/** What a plan does to one part: the strongest edit of each sort. */
export interface PartEdits {
  readonly removed: boolean
  readonly offload?: Offload
  readonly truncation?: Truncation
  readonly placeholders: readonly Placeholder[]
}

/** What a plan does to one item that it does not drop. */
export interface ItemEdits {
  /** An offload of every tool result of the item. */
  readonly offload?: Offload
  readonly parts: ReadonlyMap<number, PartEdits>
}

/** A plan in the form that can be merged and looked up: one canonical value for plans that mean the same. */
export interface PlanIndex {
  readonly drop: PositionSet
  readonly summaries: readonly PlanSummary[]
  readonly items: ReadonlyMap<number, ItemEdits>
}

export function indexPlan(plan: Plan): PlanIndex {
  const items = new Map<number, MutableItemEdits>()
  const at = (position: number) => getOrPut(items, position, (): MutableItemEdits => ({ parts: new Map() }))
  const strengthen = (position: number, part: number, edits: Partial<PartEdits>) => {
    const { parts } = at(position)
    parts.set(part, stronger(parts.get(part) ?? NO_EDITS, { ...NO_EDITS, ...edits }))
  }
  for (const offload of plan.offloads ?? []) {
    if (offload.part !== undefined) strengthen(offload.message_index, offload.part, { offload })
    else at(offload.message_index).offload ??= offload
  }
  for (const truncation of plan.truncations ?? []) {
    strengthen(truncation.message_index, truncation.part, { truncation })
  }
  for (const removal of plan.removals ?? []) strengthen(removal.message_index, removal.part, { removed: true })
  for (const placeholder of plan.placeholders ?? []) {
    strengthen(placeholder.message_index, placeholder.part, { placeholders: [placeholder] })
  }
  return prune({ drop: positionSet(plan.drop ?? []), summaries: bySite(plan.summaries ?? []), items })
}

/** `earlier`, then `later`, as one. The rules are law 2: see `mergePlans`. */
export function mergeIndexes(earlier: PlanIndex, later: PlanIndex): PlanIndex {
  const items = new Map(earlier.items)
  for (const [position, edits] of later.items) {
    const before = items.get(position)
    items.set(position, before === undefined ? edits : mergeItemEdits(before, edits))
  }
  const kept = earlier.summaries.filter((summary) => !hasPosition(later.drop, summary.insert_after))
  return prune({
    drop: positionSet([...earlier.drop, ...later.drop]),
    summaries: bySite([...kept, ...later.summaries]),
    items,
  })
}

export function planOf(index: PlanIndex): Plan {
  const entries = [...index.items].sort(([a], [b]) => a - b)
  const parts = entries.flatMap(([, edits]) => [...edits.parts].sort(([a], [b]) => a - b).map(([, part]) => part))
  const offloads = entries.flatMap(([, edits]) => [
    ...(edits.offload === undefined ? [] : [edits.offload]),
    ...[...edits.parts].sort(([a], [b]) => a - b).flatMap(([, part]) => part.offload ?? []),
  ])
  const truncations = parts.flatMap((part) => part.truncation ?? [])
  const removals = entries.flatMap(([position, edits]) =>
    [...edits.parts]
      .filter(([, part]) => part.removed)
      .map(([part]) => ({ message_index: position, part }))
      .sort((a, b) => a.part - b.part),
  )
  const placeholders = parts.flatMap((part) => part.placeholders)
  return {
    ...(index.drop.length > 0 && { drop: index.drop }),
    ...(index.summaries.length > 0 && { summaries: index.summaries }),
    ...(offloads.length > 0 && { offloads }),
    ...(truncations.length > 0 && { truncations }),
    ...(removals.length > 0 && { removals }),
    ...(placeholders.length > 0 && { placeholders }),
  }
}

interface MutableItemEdits {
  offload?: Offload
  readonly parts: Map<number, PartEdits>
}

const NO_EDITS: PartEdits = { removed: false, placeholders: [] }

function mergeItemEdits(earlier: ItemEdits, later: ItemEdits): ItemEdits {
  const parts = new Map(earlier.parts)
  for (const [part, edits] of later.parts) parts.set(part, stronger(parts.get(part) ?? NO_EDITS, edits))
  const offload = earlier.offload ?? later.offload
  return { ...(offload !== undefined && { offload }), parts }
}

/**
 * Removal beats offload beats the smallest truncation; a placeholder stands beside a truncation. Of two offloads of one
 * part the earlier stays: its pointer was already shown.
 */
function stronger(earlier: PartEdits, later: PartEdits): PartEdits {
  if (earlier.removed || later.removed) return { removed: true, placeholders: [] }
  const offload = earlier.offload ?? later.offload
  if (offload !== undefined) return { removed: false, offload, placeholders: [] }
  const truncation = smaller(earlier.truncation, later.truncation)
  const placeholders = [...earlier.placeholders]
  for (const placeholder of later.placeholders) {
    if (!placeholders.some((other) => other.kind === placeholder.kind)) placeholders.push(placeholder)
  }
  placeholders.sort((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0))
  return { removed: false, ...(truncation !== undefined && { truncation }), placeholders }
}

function smaller(a: Truncation | undefined, b: Truncation | undefined): Truncation | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const order = a.kept_head + a.kept_tail - (b.kept_head + b.kept_tail) || a.kept_head - b.kept_head || a.of - b.of
  return order <= 0 ? a : b
}

/** Edits of dropped items and items without edits leave. */
function prune(index: PlanIndex): PlanIndex {
  const items = new Map<number, ItemEdits>()
  for (const [position, edits] of index.items) {
    const empty = edits.offload === undefined && edits.parts.size === 0
    if (!empty && !hasPosition(index.drop, position)) items.set(position, edits)
  }
  return { ...index, items }
}

/** Summaries in the order in which they stand; of one site, the earlier made first. */
function bySite(summaries: readonly PlanSummary[]): readonly PlanSummary[] {
  return [...summaries].sort((a, b) => a.insert_after - b.insert_after)
}

function getOrPut<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
