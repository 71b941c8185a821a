import { type Conversation, type Dialect, dialectByName, withInjected } from 'palimpsest'
import { foldEntries } from '../log/fold-session.ts'
import type { SessionEntry, SessionSnapshot } from '../log/session-entry.ts'
import type { SessionStore } from '../log/session-store.ts'
import { noSession } from '../log/store-refusals.ts'
import { type SessionPath, sessionPath } from './session-path.ts'

/** A session as it stands in its store, whole. */
export interface WholeSession {
  readonly entries: readonly SessionEntry[]
  readonly snapshot: SessionSnapshot
  readonly path: SessionPath
  readonly dialect: Dialect<unknown, object>
}

/**
 * Reads a session without changing it.
 * @throws PalimpsestError `not-found`; `invalid-input` where its log contradicts itself.
 *
 * @example
 * const whole = await readWholeSession(store, 's1')
 * whole.path.messages.length
 */
export async function readWholeSession(sessions: SessionStore, id: string): Promise<WholeSession> {
  const entries = await sessions.read(id)
  if (entries.length === 0) throw noSession(id)
  return wholeSession(entries)
}

/**
 * What these entries say; `snapshot` is their fold, where it is known.
 * @throws PalimpsestError `invalid-input` where they contradict each other.
 */
export function wholeSession(
  entries: readonly SessionEntry[],
  snapshot: SessionSnapshot = foldEntries(entries).snapshot,
): WholeSession {
  const path = sessionPath(entries, snapshot)
  return { entries, snapshot, path, dialect: pathDialect(snapshot.started.dialect, path) }
}

/** The dialect of a session's items, which knows of each whether the client wrote it in the user's name. */
function pathDialect(name: string, { messages }: SessionPath): Dialect<unknown, object> {
  const own = dialectByName(name)
  const injected = new Set(messages.flatMap(({ item, injected }) => (injected ? [item as object] : [])))
  return injected.size === 0 ? own : withInjected(own, (item) => injected.has(item))
}

/**
 * The whole transcript as a conversation: with what the session's request says besides, where it began as one.
 *
 * @example
 * const { items } = wholeConversation(await readWholeSession(store, 's1'))
 */
export function wholeConversation({ snapshot, path, dialect }: WholeSession): Conversation<object> {
  const items = path.messages.map(({ item }) => item as object)
  const { frame, model } = snapshot.started
  const named = model === undefined ? {} : { model }
  if (frame === null || typeof frame !== 'object') return { system: [], items, ...named }
  return { ...named, ...dialect.open({ [dialect.itemsKey]: [], ...frame }), items }
}
