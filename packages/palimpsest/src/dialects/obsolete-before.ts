/** What must be known of a format's items to tell what a provider's own compaction made obsolete. */
export interface CompactionPlaces<Item> {
  readonly isCompaction: (item: Item) => boolean
  /** Ids of the calls and approvals that the item asks for. */
  readonly asks: (item: Item) => readonly string[]
  /** Ids of those that it answers. */
  readonly answers: (item: Item) => readonly string[]
  /** May a request begin with the item at this index? */
  readonly mayBegin: (items: readonly Item[], index: number) => boolean
}

/**
 * Positions before this one stand before the newest compaction: the provider no longer reads them, so they count 0 and
 * may be dropped first. Less where an answer behind it belongs to a call before it, or where no request may begin there.
 * 0 without a compaction.
 */
export function obsoleteBefore<Item>(items: readonly Item[], places: CompactionPlaces<Item>): number {
  const compaction = items.findLastIndex(places.isCompaction)
  if (compaction <= 0) return 0
  const pairs = pairsOf(items, places)
  let cut = compaction
  for (let before = -1; before !== cut; ) {
    before = cut
    for (const { call, answer } of pairs) if (call < cut && answer >= cut) cut = call
    while (cut > 0 && !places.mayBegin(items, cut)) cut--
  }
  return cut
}

interface Pair {
  readonly call: number
  readonly answer: number
}

/** Calls with their answers. Ids may come again: an answer belongs to the newest call of its id. */
function pairsOf<Item>(items: readonly Item[], { asks, answers }: CompactionPlaces<Item>): readonly Pair[] {
  const open = new Map<string, number>()
  return items.flatMap((item, index) => {
    const pairs = answers(item).flatMap((id) => {
      const call = open.get(id)
      open.delete(id)
      return call === undefined ? [] : [{ call, answer: index }]
    })
    for (const id of asks(item)) open.set(id, index)
    return pairs
  })
}
