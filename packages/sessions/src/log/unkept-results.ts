import { compactResults, type Dialect } from 'palimpsest'
import { jsonCopy } from './plain-json.ts'
import type { EntryBody, ToolResultsKept } from './session-entry.ts'
import type { StoredMessage } from './session-store.ts'

/**
 * Results as the tools gave them, of a session that stores none of them: the model reads them as long as the turn runs.
 */
export class UnkeptResults {
  readonly #dialect: Dialect<unknown, object>
  readonly #keptAs: ToolResultsKept
  readonly #items = new Map<number, object>()

  constructor(dialect: Dialect<unknown, object>, keptAs: ToolResultsKept) {
    this.#dialect = dialect
    this.#keptAs = keptAs
  }

  /** What is added, as it may be stored. */
  storable(body: EntryBody): EntryBody {
    if (this.#keptAs === 'full') return body
    if (body.type === 'action-completed') {
      const { output: _, ...rest } = body
      return rest
    }
    if (body.type !== 'message-appended') return body
    return { ...body, item: compactResults(this.#dialect, body.item as object) }
  }

  /** Holds on to the items among these that are stored otherwise. */
  hold(bodies: readonly EntryBody[]): void {
    if (this.#keptAs === 'full') return
    for (const body of bodies) {
      if (body.type !== 'message-appended') continue
      const item = body.item as object
      if (compactResults(this.#dialect, item) !== item) this.#items.set(body.position, jsonCopy(item))
    }
  }

  /** The messages with what is held of them. */
  shown(messages: readonly StoredMessage[]): readonly StoredMessage[] {
    if (this.#items.size === 0) return messages
    return messages.map((message) => ({ ...message, item: this.#items.get(message.position) ?? message.item }))
  }

  /** Lets go of everything from this position on, and gives it. */
  take(from = 0): ReadonlyMap<number, object> {
    const taken = new Map([...this.#items].filter(([position]) => position >= from))
    for (const position of taken.keys()) this.#items.delete(position)
    return taken
  }

  /** Holds an item that was taken, at its new position. */
  put(position: number, item: object): void {
    this.#items.set(position, item)
  }
}
