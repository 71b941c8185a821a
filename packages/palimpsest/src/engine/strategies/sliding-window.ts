import type { MessageGroup } from '../messages/groups.ts'
import { positionSet } from '../plan/position-set.ts'
import { evictGroups, repairs } from './evict.ts'
import { keepBoundary } from './keep-window.ts'
import type { Strategy } from './strategy.ts'

/** What stays. */
export interface SlidingWindowOptions {
  /** Messages at the end that stay, system messages not counted. */
  readonly keepLast: number
  /** Do system messages inside the conversation stay? They always do in formats that give them authority. Default true. */
  readonly pinSystem?: boolean
}

/**
 * Drops what stands between the first message and the last `keepLast`, without a summary.
 *
 * @example
 * const adapter = strategyAdapter('sliding', 8_000, slidingWindow({ keepLast: 6 }))
 */
export function slidingWindow({ keepLast, pinSystem = true }: SlidingWindowOptions): Strategy {
  return ({ groups, ledger, current }) => {
    const boundary = keepBoundary(groups, ledger, { messages: keepLast }, current)
    const leaving = (group: MessageGroup, index: number) =>
      index > 0 && index < boundary && !(pinSystem && group.kind === 'system')
    const { drop, removals } = evictGroups(groups, leaving, current)
    if (drop.length === 0 && removals.length === 0) return undefined
    const repaired = repairs(groups, positionSet([...(current.drop ?? []), ...drop]))
    const all = [...removals, ...repaired.removals]
    return { drop: [...drop, ...repaired.drop], ...(all.length > 0 && { removals: all }) }
  }
}
