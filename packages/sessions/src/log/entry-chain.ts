import { createHash } from 'node:crypto'
import { canonicalJson } from 'palimpsest/engine'
import type { EntryBody, EntryPlace, SessionEntry } from './session-entry.ts'

/** Where entries are put, and when that was. */
export interface ChainPlace {
  /** The entry before them; undefined: they begin a session. */
  readonly after: EntryPlace | undefined
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * The entries that say this, behind the one they come after. Pure: same bodies and place, same hashes.
 *
 * @example chainEntries([{ type: 'turn-started' }], { after: head, at: Date.now() })
 */
export function chainEntries(bodies: readonly EntryBody[], { after, at }: ChainPlace): readonly SessionEntry[] {
  if (!Number.isSafeInteger(at))
    throw new RangeError(`An entry is made at a whole number of milliseconds, not at ${at}.`)
  let previous = after
  return bodies.map((body) => {
    const unsealed = { ...body, seq: (previous?.seq ?? 0) + 1, at }
    const entry: SessionEntry = { ...unsealed, hash: entryHash(unsealed, previous?.hash) }
    previous = entry
    return entry
  })
}

/** What is wrong with a chain of entries. */
export interface ChainFault {
  /** The entry at which it shows. */
  readonly seq: number
  /** `place`: another entry belongs here. `content`: the entry, or one before it, is not what was written. */
  readonly reason: 'place' | 'content'
  readonly message: string
}

/**
 * The first fault of entries that follow `after` (by default: that begin a session); undefined where there is none.
 *
 * @example
 * const fault = verifyChain(await store.read('s1'))
 * if (fault !== undefined) console.error(fault.message)
 */
export function verifyChain(entries: readonly SessionEntry[], after?: EntryPlace): ChainFault | undefined {
  let previous = after
  for (const entry of entries) {
    const expected = (previous?.seq ?? 0) + 1
    if (entry.seq !== expected) {
      return { seq: entry.seq, reason: 'place', message: `Entry ${entry.seq} stands where ${expected} belongs.` }
    }
    if (entry.hash !== entryHash(entry, previous?.hash)) {
      const message = `Entry ${entry.seq} is not what was written: its hash is that of another content.`
      return { seq: entry.seq, reason: 'content', message }
    }
    previous = entry
  }
  return undefined
}

const HASH_ITSELF: readonly string[] = ['hash']

/** By content alone: neither the session nor the order of keys is in it. */
function entryHash(entry: Omit<SessionEntry, 'hash'>, previous = ''): string {
  const content = Object.fromEntries(Object.entries(entry).filter(([key]) => !HASH_ITSELF.includes(key)))
  return createHash('sha256').update(previous).update('\n').update(canonicalJson(content)).digest('hex')
}
