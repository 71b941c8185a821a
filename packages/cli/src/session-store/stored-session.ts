import { foldEntries, type SessionEntry, type SessionSnapshot, type SessionStore } from '@palimpsest/sessions'
import { type Conversation, type Dialect, dialectByName, PalimpsestError, withInjected } from 'palimpsest'
import { type SessionPath, sessionPath } from './session-path.ts'

/** A session as it stands in its store, whole. */
export interface ReadSession {
  readonly entries: readonly SessionEntry[]
  readonly snapshot: SessionSnapshot
  readonly path: SessionPath
  readonly dialect: Dialect<unknown, object>
}

/**
 * Reads a session without changing it.
 * @throws PalimpsestError `not-found`; `invalid-input` where its log contradicts itself.
 */
export async function readStoredSession(sessions: SessionStore, id: string): Promise<ReadSession> {
  const entries = await sessions.read(id)
  if (entries.length === 0) throw new PalimpsestError('not-found', `There is no session "${id}" in this store.`)
  return readEntries(entries)
}

/**
 * What these entries say; `snapshot` is their fold, where it is known.
 * @throws PalimpsestError `invalid-input` where they contradict each other.
 */
export function readEntries(
  entries: readonly SessionEntry[],
  snapshot: SessionSnapshot = foldEntries(entries).snapshot,
): ReadSession {
  const path = sessionPath(entries, snapshot)
  return { entries, snapshot, path, dialect: pathDialect(snapshot.started.dialect, path) }
}

/** The dialect of a session's items, which knows of each whether the client wrote it in the user's name. */
function pathDialect(name: string, { messages }: SessionPath): Dialect<unknown, object> {
  const own = dialectByName(name)
  const injected = new Set(messages.flatMap(({ item, injected }) => (injected ? [item as object] : [])))
  return injected.size === 0 ? own : withInjected(own, (item) => injected.has(item))
}

/** The whole transcript as a conversation: with what the session's request says besides, where it began as one. */
export function wholeConversation({ snapshot, path, dialect }: ReadSession): Conversation<object> {
  const items = path.messages.map(({ item }) => item as object)
  const { frame, model } = snapshot.started
  const named = model === undefined ? {} : { model }
  if (frame === null || typeof frame !== 'object') return { system: [], items, ...named }
  return { ...named, ...dialect.open({ [dialect.itemsKey]: [], ...frame }), items }
}
