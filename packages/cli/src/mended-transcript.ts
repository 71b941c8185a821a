import type { Dialect, PartKind, Plan, RecordedSession } from 'palimpsest'

/** Parts that may go so that the rest is legal: they belong to a step that was broken off. Words never go. */
const removable: ReadonlySet<PartKind> = new Set<PartKind>(['tool-call', 'tool-result', 'reasoning'])

/** Taking out a part can lay bare another (a result whose call went); each round finds the next ones. */
const mostRounds = 10

type AnyDialect = Dialect<unknown, object>

/**
 * The plan that leaves out what breaks the protocol in a recorded transcript: calls that were broken off before their
 * result came, and what hangs on them. A client puts that right when it sends the next request; the file keeps it as it
 * was. Empty for a sound transcript.
 */
export function mendingPlan(dialect: AnyDialect, items: readonly object[]): Plan {
  const removed = brokenParts(dialect, items)
  const removals = [...removed]
    .sort(([a], [b]) => a - b)
    .flatMap(([position, parts]) => [...parts].sort((a, b) => a - b).map((part) => ({ message_index: position, part })))
  return removals.length === 0 ? {} : { removals }
}

/** The session without those parts, and how many they were. Its calls move with the items that went. */
export function mendedSession(
  dialect: AnyDialect,
  session: RecordedSession<object>,
): { readonly session: RecordedSession<object>; readonly parts: number } {
  const removed = brokenParts(dialect, session.items)
  if (removed.size === 0) return { session, parts: 0 }
  const { items, positions } = without(dialect, session.items, removed)
  const moved = <T extends { readonly position: number }>(one: T) => ({
    ...one,
    position: positions.filter((position) => position < one.position).length,
  })
  const { compactions } = session
  return {
    session: {
      ...session,
      items,
      calls: session.calls.map(moved),
      ...(compactions !== undefined && { compactions: compactions.map(moved) }),
    },
    parts: [...removed.values()].reduce((sum, parts) => sum + parts.size, 0),
  }
}

/** Numbers of parts by position. */
type Parts = Map<number, Set<number>>

function brokenParts(dialect: AnyDialect, items: readonly object[]): Parts {
  const removed: Parts = new Map()
  for (let round = 0; round < mostRounds; round++) {
    const rest = without(dialect, items, removed)
    let found = false
    for (const { position, part } of dialect.check({ system: [], items: rest.items })) {
      const place = position === undefined ? undefined : rest.positions[position]
      const item = place === undefined ? undefined : items[place]
      if (place === undefined || item === undefined) continue
      const gone = removed.get(place) ?? new Set<number>()
      for (const broken of partsMeant(dialect, item, gone, part)) {
        removed.set(place, gone.add(broken))
        found = true
      }
    }
    if (!found) break
  }
  return removed
}

/** The removable parts that an objection means: the one it names, else all of the item. Numbers are those of the whole item. */
function partsMeant(
  dialect: AnyDialect,
  item: object,
  gone: ReadonlySet<number>,
  part: number | undefined,
): readonly number[] {
  const { parts } = dialect.view(item)
  const left = parts.flatMap((_, number) => (gone.has(number) ? [] : [number]))
  const meant = part === undefined ? left : left.slice(part, part + 1)
  return meant.filter((number) => removable.has(parts[number]?.kind ?? 'text'))
}

/** The items without these parts, and the position of each before; an item without parts is gone. */
function without(dialect: AnyDialect, items: readonly object[], removed: Parts) {
  const kept = items.flatMap((item, position) => {
    const parts = removed.get(position)
    if (parts === undefined) return [{ item, position }]
    const edited = dialect.edit(
      item,
      [...parts].map((part) => ({ kind: 'remove', part }) as const),
    )
    return edited === undefined ? [] : [{ item: edited, position }]
  })
  return { items: kept.map(({ item }) => item), positions: kept.map(({ position }) => position) }
}
