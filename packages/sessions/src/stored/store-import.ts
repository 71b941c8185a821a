import { createHash } from 'node:crypto'
import { dialectByName, PalimpsestError } from 'palimpsest'
import { canonicalJson } from 'palimpsest/engine'
import type { ImportedSession } from '../importers/imported-session.ts'
import { chainEntries } from '../log/entry-chain.ts'
import { foldEntries, isAbandoned } from '../log/fold-session.ts'
import { logOfImport, type TimedBody } from '../log/log-of-import.ts'
import { CHECKPOINT_EVERY } from '../log/resume-session.ts'
import { countersOf } from '../log/session-counters.ts'
import type { EntryBody, MessageAppended, SessionEntry } from '../log/session-entry.ts'
import type { SessionStore } from '../log/session-store.ts'

/** What became of an import. */
export interface StoredImport {
  readonly id: string
  /**
   * `new`: it was not there. `same`: nothing to do; the store may hold more of it. `grown`: what came since was appended.
   * `changed`: the file goes another way than what was stored: the log goes back to where they part, and on from there.
   */
  readonly outcome: 'new' | 'same' | 'grown' | 'changed'
  /** Entries that were appended. */
  readonly appended: number
}

/** Under which id and at what time a session is put into a store. */
export interface StoreImportOptions {
  readonly id?: string | undefined
  /** The time of what has none, in milliseconds since the epoch. */
  readonly at: number
}

/**
 * Puts an imported session into a store, under the id that its client gave it, else one that its content gives. The same
 * again changes nothing; one that has grown is continued.
 * @throws PalimpsestError `conflict` where the stored session went on by itself since.
 *
 * @example
 * const { id, outcome } = await storeImport(store, await readSessionFile('session.jsonl'), { at: Date.now() })
 */
export async function storeImport(
  sessions: SessionStore,
  imported: ImportedSession,
  { id: named, at }: StoreImportOptions,
): Promise<StoredImport> {
  const log = logOfImport(imported, { at })
  const id = named ?? imported.id ?? (await idByContent(sessions, imported, log))
  const stored = await sessions.read(id)
  const { outcome, bodies } = continuation(id, stored, log)
  if (bodies.length > 0) await appendAll(sessions, id, { stored, bodies })
  return { id, outcome, appended: bodies.length }
}

interface Continuation {
  readonly outcome: StoredImport['outcome']
  /** What is to be appended: where the stored log went another way, it goes back to before that first. */
  readonly bodies: readonly TimedBody[]
}

/** What of a log is still to be appended to the entries that are stored. */
function continuation(id: string, stored: readonly SessionEntry[], log: readonly TimedBody[]): Continuation {
  if (stored.length === 0) return { outcome: 'new', bodies: log }
  const onPath = pathOf(stored)
  const said = saidIn(log)
  const parts = onPath.findIndex((entry, at) => textOf(bodyOf(entry)) !== textOf(said[at]?.body))
  if (parts === -1) {
    const bodies = said.slice(onPath.length)
    return { outcome: bodies.length === 0 ? 'same' : 'grown', bodies }
  }
  const rest = said.slice(parts)
  const left = onPath.slice(parts)
  const own = left.find(({ type }) => !IMPORTED.has(type))
  if (rest.length === 0 || isOlder(rest, left)) return { outcome: 'same', bodies: [] }
  if (own !== undefined) throw wentOn(id, own)
  const back: TimedBody = { body: { type: 'rewound', to: onPath[parts - 1]?.seq ?? 1 }, at: rest[0]?.at ?? 0 }
  return { outcome: isBeginning(left, rest) ? 'grown' : 'changed', bodies: [back, ...rest] }
}

/**
 * Is the file an older state of what is stored: does it hold no message that the store lacks? What a client tells of a call
 * may come late, and stand before messages that were there already. And a client writes its newest message piece by piece: a
 * last one that differs, with nothing behind it, is an older state where the store goes on, or has more of it.
 */
function isOlder(rest: readonly TimedBody[], left: readonly SessionEntry[]): boolean {
  const [fresh, old] = [messagesIn(rest.map(({ body }) => body)), messagesIn(left)]
  const parts = fresh.findIndex((message, at) => sayingOf(message) !== sayingOf(old[at]))
  if (parts === -1) return fresh.length < old.length || holdsAll(left, rest)
  const [differs, stored] = [fresh[parts], old[parts]]
  if (stored === undefined || parts < fresh.length - 1) return false
  return parts < old.length - 1 || (sayingOf(differs)?.length ?? 0) <= (sayingOf(stored)?.length ?? 0)
}

/** Does the file say all that is stored, of one last message at least a part? */
function isBeginning(left: readonly SessionEntry[], rest: readonly TimedBody[]): boolean {
  const [stored, fresh] = [messagesIn(left), messagesIn(rest.map(({ body }) => body))]
  const parts = stored.findIndex((message, at) => sayingOf(message) !== sayingOf(fresh[at]))
  return parts === -1 || parts === stored.length - 1
}

function holdsAll(left: readonly SessionEntry[], rest: readonly TimedBody[]): boolean {
  const stored = new Set(left.map((entry) => textOf(bodyOf(entry))))
  return rest.every(({ body }) => stored.has(textOf(body)))
}

function sayingOf(message: MessageAppended | undefined): string | undefined {
  return textOf(message?.item as object | undefined)
}

function messagesIn(bodies: readonly EntryBody[]): readonly MessageAppended[] {
  return bodies.filter((body) => body.type === 'message-appended')
}

/** What the log says behind its first entry. Its checkpoints are those of a log without rewinds. */
function saidIn(log: readonly TimedBody[]): readonly TimedBody[] {
  return log.slice(1).filter(({ body }) => body.type !== 'checkpoint')
}

/** Entries that say something, on the way to the end, without the first. */
function pathOf(stored: readonly SessionEntry[]): readonly SessionEntry[] {
  const { abandoned } = foldEntries(stored).snapshot
  return stored
    .slice(1)
    .filter(({ type, seq }) => type !== 'checkpoint' && type !== 'rewound' && !isAbandoned(abandoned, seq))
}

/** What an import is made of. Anything else was written by a session that goes on here. */
const IMPORTED: ReadonlySet<SessionEntry['type']> = new Set<SessionEntry['type']>([
  'turn-started',
  'message-appended',
  'usage-recorded',
  'compaction-imported',
  'turn-ended',
])

function bodyOf({ seq: _, at: __, hash: ___, ...body }: SessionEntry): object {
  return body
}

function textOf(body: object | undefined): string | undefined {
  return body === undefined ? undefined : canonicalJson(body)
}

function wentOn(id: string, { seq, type }: SessionEntry): PalimpsestError {
  return new PalimpsestError(
    'conflict',
    `The session ${id} went on in this store (entry ${seq}, ${type}), and the file in another way.`,
    {
      hint: 'Import it under another id (--id NAME): it is a session of its own then.',
    },
  )
}

/** All in one step: a process that dies in it leaves what was there. */
async function appendAll(
  sessions: SessionStore,
  id: string,
  { stored, bodies }: { readonly stored: readonly SessionEntry[]; readonly bodies: readonly TimedBody[] },
): Promise<void> {
  const fresh: SessionEntry[] = []
  for (const { body, at } of bodies) {
    fresh.push(...chainEntries([body], { after: fresh.at(-1) ?? stored.at(-1), at }))
  }
  const { snapshot, place } = foldEntries([...stored, ...fresh])
  const goesOn = stored.length > 0 && fresh.length >= CHECKPOINT_EVERY
  if (goesOn || bodies[0]?.body.type === 'rewound') {
    fresh.push(...chainEntries([{ type: 'checkpoint', state: snapshot }], { after: place, at: place.at }))
  }
  await sessions.append(id, fresh, { counters: countersOf(snapshot) })
}

/**
 * A request has no id: its first item gives one. Of stored requests that begin with that item it is the one that this one
 * continues, or is the beginning of; where there are only others, the whole content makes the difference.
 */
async function idByContent(
  sessions: SessionStore,
  { dialect: name, format, items }: ImportedSession,
  log: readonly TimedBody[],
): Promise<string> {
  const first = items[0]?.item
  const dialect = dialectByName(name)
  const base = `${format}-${digest(first === undefined ? '' : dialect.fingerprint(first as object))}`
  const others = (await sessions.list({ limit: Number.MAX_SAFE_INTEGER })).filter(
    ({ id, dialect }) => dialect === name && (id === base || id.startsWith(`${base}-`)),
  )
  for (const { id } of others) {
    if (isContinued(await sessions.read(id), log)) return id
  }
  return others.length === 0 ? base : `${base}-${digest(log.map(({ body }) => canonicalJson(body)).join('\n'))}`
}

function isContinued(stored: readonly SessionEntry[], log: readonly TimedBody[]): boolean {
  const said = saidIn(log).map(({ body }) => textOf(body))
  const path = pathOf(stored).map((entry) => textOf(bodyOf(entry)))
  return path.slice(0, said.length).every((text, at) => text === said[at])
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
