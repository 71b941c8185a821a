import type { MessageGroup } from '../messages/groups.ts'
import type { Plan, PositionRange, Removal } from '../plan/plan.ts'
import { hasPosition, type PositionSet, positionSet, positionSetOf } from '../plan/position-set.ts'

/** What leaves when whole groups leave. */
export interface Eviction {
  readonly drop: readonly PositionRange[]
  readonly removals: readonly Removal[]
}

/**
 * Whole groups out of the view: items that belong to them alone are dropped, of shared items only their parts are removed.
 * Pinned groups stay whatever is asked; positions that `current` dropped already are not named again.
 */
export function evictGroups(
  groups: readonly MessageGroup[],
  leaving: (group: MessageGroup, index: number) => boolean,
  current: Plan,
): Eviction {
  const gone = positionSet(current.drop ?? [])
  const shares = new Map<number, { parts: number[]; whole: boolean }>()
  const staying = new Set<number>()
  groups.forEach((group, index) => {
    const leaves = !group.pinned && leaving(group, index)
    for (const { position, parts } of group.slices) {
      if (!leaves) staying.add(position)
      else if (!hasPosition(gone, position)) {
        const share = shares.get(position) ?? { parts: [], whole: false }
        if (parts === 'all') share.whole = true
        else share.parts.push(...parts)
        shares.set(position, share)
      }
    }
  })
  const dropped = [...shares.keys()].filter((position) => !staying.has(position))
  const removals = [...shares].flatMap(([position, share]) =>
    staying.has(position) && !share.whole ? share.parts.map((part) => ({ message_index: position, part })) : [],
  )
  return { drop: positionSetOf(dropped), removals: sorted(removals) }
}

/** Does this group stay wherever it stands, unless a strategy has a reason of its own? */
export function isFixed(group: MessageGroup): boolean {
  return group.pinned || group.kind === 'system'
}

/** Is everything of this group out of the view already? */
export function isEvicted(group: MessageGroup, gone: PositionSet): boolean {
  return group.slices.every((slice) => hasPosition(gone, slice.position))
}

/**
 * Orphan results, and calls of steps before the last that never got a result, as removals: a view that is rewritten
 * anyway must not carry them on. A step that waits for an approval is left alone.
 */
export function repairs(groups: readonly MessageGroup[], gone: PositionSet): Eviction {
  const orphans = evictGroups(groups, (group) => group.orphan, { drop: gone })
  const unanswered = groups.flatMap((group, index) =>
    index === groups.length - 1 ? [] : group.unanswered.filter((call) => !hasPosition(gone, call.position)),
  )
  return {
    drop: orphans.drop,
    removals: sorted([
      ...orphans.removals,
      ...unanswered.map(({ position, part }) => ({ message_index: position, part })),
    ]),
  }
}

function sorted(removals: readonly Removal[]): readonly Removal[] {
  return [...removals].sort((a, b) => a.message_index - b.message_index || a.part - b.part)
}
