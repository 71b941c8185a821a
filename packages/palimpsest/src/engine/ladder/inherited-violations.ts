import { originOf } from '../json/derive.ts'
import type { Violation } from '../messages/message.ts'

/** Does a view that broke a rule only carry on what the transcript brought along? */
export type IsInherited<Item> = (violation: Violation, view: readonly Item[]) => boolean

/**
 * Tells faults of these items, which a view of them only carries on: the same rule on the same item, or on what an edit made
 * of it. A request with them is no worse than what the caller would have sent; the gate is for what plans do.
 */
export function inheritedViolations<Item extends object>(
  items: readonly Item[],
  violations: readonly Violation[],
): IsInherited<Item> {
  const rules = new Map<object | undefined, Set<string>>()
  for (const { rule, position } of violations) {
    const item = position === undefined ? undefined : items[position]
    rules.set(item, (rules.get(item) ?? new Set()).add(rule))
  }
  return ({ rule, position }, view) => {
    let item: object | undefined = position === undefined ? undefined : view[position]
    while (item !== undefined && !rules.has(item)) item = originOf(item)
    return rules.get(item)?.has(rule) ?? false
  }
}
