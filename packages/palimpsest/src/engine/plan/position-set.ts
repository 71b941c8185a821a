import type { PositionRange } from './plan.ts'

/** A set of positions as ranges that are sorted, apart and not empty. */
export type PositionSet = readonly PositionRange[]

/** Any ranges as a position set: overlapping and touching ones joined, empty ones gone. */
export function positionSet(ranges: readonly PositionRange[]): PositionSet {
  const sorted = ranges.filter((range) => range.to > range.from).sort((a, b) => a.from - b.from)
  const joined: { from: number; to: number }[] = []
  for (const range of sorted) {
    const last = joined.at(-1)
    if (last !== undefined && range.from <= last.to) last.to = Math.max(last.to, range.to)
    else joined.push({ from: range.from, to: range.to })
  }
  return joined
}

/** A position set of single positions, in any order. */
export function positionSetOf(positions: Iterable<number>): PositionSet {
  return positionSet(Array.from(positions, (position) => ({ from: position, to: position + 1 })))
}

/** Is `position` in the set? */
export function hasPosition(set: PositionSet, position: number): boolean {
  let low = 0
  let high = set.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const range = set[middle]
    if (range === undefined) return false
    if (position < range.from) high = middle - 1
    else if (position >= range.to) low = middle + 1
    else return true
  }
  return false
}

/** How many positions the set holds. */
export function countPositions(set: PositionSet): number {
  return set.reduce((sum, range) => sum + range.to - range.from, 0)
}
