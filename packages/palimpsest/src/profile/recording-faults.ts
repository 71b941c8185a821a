import type { Dialect } from '../dialects/dialect.ts'
import { originOf } from '../engine/json/derive.ts'
import type { RenderContext, Violation } from '../engine/messages/message.ts'

/** The rules that a recording breaks by itself. A view that carries such an item on carries its fault on. */
export interface RecordingFaults<Item extends object> {
  /** With positions in the recording. */
  readonly violations: readonly Violation[]
  /** Does the view that broke a rule only carry on what the recording brought along? */
  areCause(violation: Violation, view: readonly Item[]): boolean
}

/** Checks the whole recording once. */
export function recordingFaults<Item extends object>(
  dialect: Dialect<unknown, Item>,
  items: readonly Item[],
  context: RenderContext,
): RecordingFaults<Item> {
  const violations = dialect.check({ system: [], items }, context)
  const rules = new Map<object | undefined, Set<string>>()
  for (const { rule, position } of violations) {
    const item = position === undefined ? undefined : items[position]
    rules.set(item, (rules.get(item) ?? new Set()).add(rule))
  }
  return {
    violations,
    areCause({ rule, position }, view) {
      let item: object | undefined = position === undefined ? undefined : view[position]
      while (item !== undefined && !rules.has(item)) item = originOf(item)
      return rules.get(item)?.has(rule) ?? false
    },
  }
}
