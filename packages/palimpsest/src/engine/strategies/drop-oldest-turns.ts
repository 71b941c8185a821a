import type { MessageGroup } from '../messages/groups.ts'
import type { Plan } from '../plan/plan.ts'
import { positionSet } from '../plan/position-set.ts'
import { projectUnits } from '../plan/projected-units.ts'
import { UNITS_PER_TOKEN } from '../tokens/ledger.ts'
import { evictGroups, isEvicted, isFixed, repairs } from './evict.ts'
import { floorBoundary } from './keep-window.ts'
import { lastUserGroup } from './last-user-message.ts'
import type { Strategy } from './strategy.ts'

/**
 * Drops whole turns, oldest first, until the limit is met; inside the last turn its steps, oldest first. The last user
 * message, the open tool batch, pinned items and earlier summaries stay.
 *
 * @example
 * const adapter = strategyAdapter('drop', 8_000, dropOldestTurns())
 */
export function dropOldestTurns(): Strategy {
  return ({ groups, ledger, current, limit }) => {
    const gone = positionSet(current.drop ?? [])
    const projected = projectUnits(current, ledger)
    const stays = new Set([lastUserGroup(groups)?.group])
    let excess = projected.total - limit * UNITS_PER_TOKEN
    const leaving = new Set<MessageGroup>()
    for (const batch of inTurns(groups.slice(0, floorBoundary(groups)))) {
      if (excess <= 0) break
      for (const group of batch) {
        if (isFixed(group) || group.kind === 'summary' || stays.has(group) || isEvicted(group, gone)) continue
        leaving.add(group)
        excess -= group.slices.reduce(
          (sum, slice) => sum + (slice.parts === 'all' ? projected.at(slice.position) : 0),
          0,
        )
      }
    }
    keepOpening(groups, leaving, (group) => isEvicted(group, gone), current)
    if (leaving.size === 0) return undefined
    const { drop, removals } = evictGroups(groups, (group) => leaving.has(group), current)
    const repaired = repairs(groups, positionSet([...gone, ...drop]))
    const all = [...removals, ...repaired.removals]
    return { drop: [...drop, ...repaired.drop], ...(all.length > 0 && { removals: all }) }
  }
}

/**
 * A conversation opens with the user. Where nothing but the model's own steps would be left in front, the newest user
 * message that would have gone stays.
 */
function keepOpening(
  groups: readonly MessageGroup[],
  leaving: Set<MessageGroup>,
  isGone: (group: MessageGroup) => boolean,
  current: Plan,
): void {
  if ((current.summaries?.length ?? 0) > 0) return
  const first = groups.findIndex((group) => !leaving.has(group) && !isGone(group) && group.kind !== 'system')
  const opening = groups[first]
  if (opening?.kind === 'user' || opening?.kind === 'summary') return
  const before = first < 0 ? groups : groups.slice(0, first)
  const last =
    before.findLast((group) => group.kind === 'user' && leaving.has(group)) ?? (first < 0 ? before.at(-1) : undefined)
  if (last !== undefined) leaving.delete(last)
}

/** What is dropped together: a whole turn, and in the last turn each group by itself. */
function inTurns(groups: readonly MessageGroup[]): readonly (readonly MessageGroup[])[] {
  const last = groups.at(-1)?.turn ?? 0
  const batches: MessageGroup[][] = []
  for (const group of groups) {
    const batch = batches.at(-1)
    if (batch !== undefined && group.turn < last && batch[0]?.turn === group.turn) batch.push(group)
    else batches.push([group])
  }
  return batches
}
