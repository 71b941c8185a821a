import { anthropicMessages, type CompactionRecord, type Dialect } from 'palimpsest'
import type { SessionEntry } from './session-entry.ts'
import type { AppendOptions, SessionStore } from './session-store.ts'

/** The format of most tests. */
export const anthropic = anthropicMessages as unknown as Dialect<unknown, object>

export function userSays(text: string): object {
  return { role: 'user', content: text }
}

export function modelSays(text: string): object {
  return { role: 'assistant', content: text }
}

export function toolCall(id: string, input: object = { path: 'a' }): object {
  return { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input }] }
}

export function toolResult(id: string, text: string): object {
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] }
}

/** A record that puts a text, which is its key too, in the place of the first messages. */
export function toyRecord(key: string, extent: number): CompactionRecord {
  return {
    key,
    anchor: 'a',
    extent,
    length: extent,
    plan: { drop: [{ from: 0, to: extent }], summaries: [{ insert_after: extent - 1, content: key }] },
    strategy: 'toy',
    reason: 'manual',
    at_turn: 1,
    kept_from: extent,
    tokens_before: 2,
    tokens_after: 1,
  }
}

/** One append that a store was asked for. */
export interface SeenAppend {
  readonly entries: readonly SessionEntry[]
  readonly options: AppendOptions
}

/** A store whose appends can be watched, and made to fail before they are done or after it. */
export class WatchedStore implements SessionStore {
  readonly appends: SeenAppend[] = []
  /** Entries and messages that were read. */
  readSoFar = 0
  fails: 'before' | 'after' | undefined
  readonly #store: SessionStore

  constructor(store: SessionStore) {
    this.#store = store
  }

  append: SessionStore['append'] = async (session, entries, options = {}) => {
    const { fails } = this
    this.fails = undefined
    if (fails === 'before') throw new Error('The store is away.')
    await this.#store.append(session, entries, options)
    this.appends.push({ entries, options })
    if (fails === 'after') throw new Error('The store did not confirm.')
  }

  read: SessionStore['read'] = async (session, range) => {
    const entries = await this.#store.read(session, range)
    this.readSoFar += entries.length
    return entries
  }

  messages: SessionStore['messages'] = async (session, wanted) => {
    const messages = await this.#store.messages(session, wanted)
    this.readSoFar += messages.length
    return messages
  }

  find: SessionStore['find'] = (session, call) => this.#store.find(session, call)
  list: SessionStore['list'] = (options) => this.#store.list(options)
  head: SessionStore['head'] = (session, call) => this.#store.head(session, call)
  checkpoint: SessionStore['checkpoint'] = (session, options) => this.#store.checkpoint(session, options)
  fork: SessionStore['fork'] = (session, into, options) => this.#store.fork(session, into, options)
  remove: SessionStore['remove'] = (session, call) => this.#store.remove(session, call)
  alone: SessionStore['alone'] = (name, run, call) => this.#store.alone(name, run, call)
}
