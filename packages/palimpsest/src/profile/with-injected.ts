import type { Dialect } from '../dialects/dialect.ts'
import { originOf } from '../engine/json/derive.ts'
import type { MessageView, PartKind } from '../engine/messages/message.ts'

/**
 * The dialect for a transcript of which a client wrote some user messages by itself, and the session file says which:
 * what these items say, and what edits make of them, is never taken for the user's own words.
 *
 * @example
 * const reminders = new Set<object>()
 * const dialect = withInjected(anthropicMessages, (item) => reminders.has(item))
 */
export function withInjected<Item extends object>(
  dialect: Dialect<unknown, Item>,
  isInjected: (item: object) => boolean,
): Dialect<unknown, Item> {
  return {
    ...dialect,
    view: (item) => (comesFrom(item, isInjected) ? injectedView(dialect.view(item)) : dialect.view(item)),
  }
}

function comesFrom(item: object, isInjected: (item: object) => boolean): boolean {
  for (let at: object | undefined = item; at !== undefined; at = originOf(at)) if (isInjected(at)) return true
  return false
}

/** What a user says or shows. Results of tools are nobody's words as it is. */
const said: ReadonlySet<PartKind> = new Set<PartKind>(['text', 'image', 'document'])

function injectedView(view: MessageView): MessageView {
  return { ...view, parts: view.parts.map((part) => (said.has(part.kind) ? { ...part, injected: true } : part)) }
}
