import { PalimpsestError, type StoreCall } from 'palimpsest'
import { type FoldedSession, foldEntries } from './fold-session.ts'
import type { SessionSnapshot } from './session-entry.ts'
import type { SessionStore } from './session-store.ts'
import { noSession } from './store-refusals.ts'

/** Entries after which another checkpoint is due: what resuming costs at most beside one turn. */
export const CHECKPOINT_EVERY = 500

/** A session as it is read to go on: from its newest checkpoint. */
export interface ResumedSession extends FoldedSession {
  /** The entry that it was read from; 0 for the beginning. */
  readonly checkpoint: number
}

export interface ResumeOptions extends StoreCall {
  /** What came behind this entry does not count, save a checkpoint right behind it. Default: all counts. */
  readonly last?: number
}

/**
 * What a stored log says in the end. Costs what came since the newest checkpoint, not what came before it.
 * @throws PalimpsestError `not-found`; `invalid-input` where the log is broken.
 */
export async function resumeSession(
  store: SessionStore,
  id: string,
  { last, ...call }: ResumeOptions = {},
): Promise<ResumedSession> {
  return foldFrom(store, id, last, call)
}

/** The state after one entry of a stored log. @throws PalimpsestError `not-found` where there is no such entry. */
export async function stateAt(
  store: SessionStore,
  id: string,
  seq: number,
  call: StoreCall = {},
): Promise<SessionSnapshot> {
  if (!Number.isSafeInteger(seq) || seq < 1) throw new RangeError(`There is no entry ${seq}: they count from 1.`)
  const { snapshot, place } = await foldFrom(store, id, seq, call)
  if (place.seq >= seq) return snapshot
  throw new PalimpsestError('not-found', `Session ${JSON.stringify(id)} has ${place.seq} entries, no entry ${seq}.`)
}

/** A checkpoint right behind the entry says what the entry left: a rewind may need what came before the last one. */
async function foldFrom(
  store: SessionStore,
  id: string,
  last: number | undefined,
  call: StoreCall,
): Promise<ResumedSession> {
  const checkpoint = await store.checkpoint(id, { ...call, ...(last !== undefined && { before: last + 2 }) })
  const from = (checkpoint?.seq ?? 0) + 1
  const entries = await store.read(id, { ...call, from, ...(last !== undefined && { to: Math.max(from, last + 1) }) })
  if (checkpoint === undefined) {
    if (entries.length === 0) throw noSession(id)
    return { ...foldEntries(entries), checkpoint: 0 }
  }
  const { seq, at, hash, state: snapshot } = checkpoint
  const start = { snapshot, place: { seq, at, hash } }
  return { ...(entries.length === 0 ? { ...start, messages: [] } : foldEntries(entries, start)), checkpoint: seq }
}
