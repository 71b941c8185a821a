/** When two neighbours become one, and how. */
export interface Joining<T> {
  readonly mayJoin: (before: T, after: T) => boolean
  readonly join: (before: T, after: T) => T
}

/** The list with neighbours joined, one after the other, wherever they may be. */
export function joinedNeighbours<T>(list: readonly T[], { mayJoin, join }: Joining<T>): readonly T[] {
  const joined: T[] = []
  for (const element of list) {
    const before = joined.at(-1)
    if (before !== undefined && mayJoin(before, element)) joined[joined.length - 1] = join(before, element)
    else joined.push(element)
  }
  return joined
}
