import { PalimpsestError } from 'palimpsest'
import type { SessionEntry } from './session-entry.ts'

/**
 * Entries that are to be appended behind the entry `last`, 0 where there is none.
 * @throws PalimpsestError `conflict` where they do not follow it; `invalid-input` where they begin a session with something else.
 */
export function assertFollowing(session: string, entries: readonly SessionEntry[], last: number): void {
  const [first] = entries
  if (first?.seq === 1 && last === 0 && first.type !== 'session-started') {
    throw new PalimpsestError('invalid-input', `A session begins with session-started, not with ${first.type}.`)
  }
  for (const [index, { seq }] of entries.entries()) {
    const expected = last + 1 + index
    if (seq === expected) continue
    const what =
      seq < expected ? `another entry ${seq} stands there already` : `entry ${expected} is missing before entry ${seq}`
    throw cannotAppend(session, what)
  }
}

/** What a store says where the entry that others come after is not stored as their writer knows it. */
export function cannotFollow(session: string, seq: number): PalimpsestError {
  return cannotAppend(session, `entry ${seq} is not the one that they come after`)
}

function cannotAppend(session: string, what: string): PalimpsestError {
  return new PalimpsestError('conflict', `Session ${JSON.stringify(session)} cannot take these entries: ${what}.`, {
    hint: 'Read what was written since, and append behind it.',
  })
}

/** A fork has at least the first entry of its origin. @throws RangeError */
export function assertFork(until: number): void {
  if (!(until >= 2)) throw new RangeError(`A fork before entry ${until} would have no entry.`)
}

/** What a store says of a session that is not there. */
export function noSession(id: string): PalimpsestError {
  return new PalimpsestError('not-found', `There is no session ${JSON.stringify(id)}.`)
}

/** What a store says where a new session would take the place of another one. */
export function sessionTaken(id: string): PalimpsestError {
  return new PalimpsestError('conflict', `There is a session ${JSON.stringify(id)} already.`, {
    hint: 'Open it, or choose another id.',
  })
}
