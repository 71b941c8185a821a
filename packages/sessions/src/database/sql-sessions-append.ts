import { type Insertable, sql, type Transaction } from 'kysely'
import type { EntryPlace, SessionEntry, SessionStarted } from '../log/session-entry.ts'
import type { SessionCounters } from '../log/session-store.ts'
import { assertFollowing, cannotFollow } from '../log/store-refusals.ts'
import type { SessionRow, Tables } from './schema.ts'
import type { DatabaseKind } from './sql-database.ts'
import { rowsOf } from './sql-sessions-rows.ts'
import { digestOf, storedText } from './stored-text.ts'

/** A session as the tables name it. */
export interface SessionName {
  readonly namespace: string
  readonly id: string
  /** Of both. */
  readonly digest: string
}

/** What is appended in one step. */
export interface Append {
  readonly kind: DatabaseKind
  readonly entries: readonly SessionEntry[]
  /** What must be stored before them. */
  readonly after?: Place
  readonly counters?: SessionCounters
}

type Place = Pick<EntryPlace, 'seq' | 'hash'>

/**
 * Appends what is not stored yet. Two statements, whatever the length of the log: where it ends, and the rows; a third one
 * where counters are to be written.
 * @throws PalimpsestError `conflict` where the entries do not follow what is stored.
 */
export async function appendEntries(trx: Transaction<Tables>, name: SessionName, append: Append): Promise<void> {
  const { kind, entries, after, counters } = append
  await lockSession(trx, kind, name)
  const end = await endOf(trx, name)
  const hashes = await storedHashes(trx, end, after === undefined ? entries : [after, ...entries])
  const isStored = ({ seq, hash }: Place) => hashes.get(seq) === hash
  if (after !== undefined && !isStored(after)) {
    throw cannotFollow(name.id, after.seq)
  }
  const fresh = entries.filter((entry) => !isStored(entry))
  assertFollowing(name.id, fresh, end.seq)
  const session = end.session ?? (await beginSession(trx, name, fresh))
  if (session === undefined) return
  const lengths = await lengthsAt(trx, session, fresh)
  const rows = rowsOf(fresh, { session, messages: end.messages, lengths })
  for (let at = 0; at < rows.length; at += ROWS) {
    await trx
      .insertInto('entries')
      .values(rows.slice(at, at + ROWS))
      .execute()
  }
  if (counters !== undefined && fresh.length > 0) await writeCounters(trx, session, counters)
}

/** Of one insert: SQLite takes 32,766 parameters, and a row has eight. */
const ROWS = 4_000

/**
 * Whoever writes a session waits here for those who write it already. SQLite lets only one write anyhow. Without it, two
 * PostgreSQL transactions would meet at a key: the one that loses would have sent its rows in vain, and have to begin again to
 * see whether they were its own.
 */
export async function lockSession(
  trx: Transaction<Tables>,
  kind: DatabaseKind,
  { digest }: SessionName,
): Promise<void> {
  if (kind === 'sqlite') return
  const [high, low] = [digest.slice(0, 8), digest.slice(8, 16)].map((part) => Number.parseInt(part, 16) | 0)
  // of two numbers: no lock that is held longer than a transaction is named so
  await sql`select pg_advisory_xact_lock(${high}::int, ${low}::int)`.execute(trx)
}

interface LogEnd {
  /** Undefined: there is no such session. */
  readonly session: number | undefined
  /** 0 where there is no entry. */
  readonly seq: number
  readonly hash?: string
  /** Of the transcript. */
  readonly messages: number
}

async function endOf(trx: Transaction<Tables>, { digest }: SessionName): Promise<LogEnd> {
  const number = trx.selectFrom('sessions').select('number').where('digest', '=', digest)
  const found = await trx
    .selectFrom('entries')
    .select(['session', 'seq', 'hash', 'messages'])
    .where('session', '=', number)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found ?? NO_LOG
}

const NO_LOG: LogEnd = { session: undefined, seq: 0, messages: 0 }

/** Hashes by `seq` of what stands at these places. The last one is known already: mostly no other is asked for. */
async function storedHashes(
  trx: Transaction<Tables>,
  { session, seq: last, hash }: LogEnd,
  places: readonly Place[],
): Promise<ReadonlyMap<number, string>> {
  if (session === undefined || hash === undefined) return new Map()
  const asked = places.filter(({ seq }) => seq < last)
  const rows = await (asked.length === 0
    ? []
    : trx
        .selectFrom('entries')
        .select(['seq', 'hash'])
        .where('session', '=', session)
        .where(
          'seq',
          '>=',
          asked.reduce((least, { seq }) => Math.min(least, seq), last),
        )
        .where(
          'seq',
          '<=',
          asked.reduce((most, { seq }) => Math.max(most, seq), 0),
        )
        .execute())
  return new Map([...rows.map((row) => [row.seq, row.hash] as const), [last, hash]])
}

/** The number of a new session; undefined where there is nothing to begin it with. */
async function beginSession(
  trx: Transaction<Tables>,
  name: SessionName,
  [first]: readonly SessionEntry[],
): Promise<number | undefined> {
  if (first?.type !== 'session-started') return undefined
  const row = sessionRowOf(name, first)
  const { number } = await trx.insertInto('sessions').values(row).returning('number').executeTakeFirstOrThrow()
  return number
}

function sessionRowOf(
  { namespace, id, digest }: SessionName,
  { dialect, model, cwd, title, toolResults, at }: SessionStarted & { readonly at: number },
): Insertable<SessionRow> {
  const text = (value: string | undefined) => (value === undefined ? null : storedText(value))
  return {
    digest,
    namespace_digest: digestOf(namespace),
    namespace: storedText(namespace),
    id: storedText(id),
    dialect: storedText(dialect),
    model: text(model),
    cwd: text(cwd),
    title: text(title),
    tool_results: toolResults,
    created_at: at,
    forked_from: null,
    forked_until: null,
  }
}

/** How long the transcript was after the stored entries to which some of these rewind. */
async function lengthsAt(
  trx: Transaction<Tables>,
  session: number,
  entries: readonly SessionEntry[],
): Promise<ReadonlyMap<number, number>> {
  const stored = entries[0]?.seq ?? 0
  const targets = entries.flatMap((entry) => (entry.type === 'rewound' && entry.to < stored ? [entry.to] : []))
  if (targets.length === 0) return new Map()
  const rows = await trx
    .selectFrom('entries')
    .select(['seq', 'messages'])
    .where('session', '=', session)
    .where('seq', 'in', targets)
    .execute()
  return new Map(rows.map(({ seq, messages }) => [seq, messages]))
}

async function writeCounters(
  trx: Transaction<Tables>,
  session: number,
  { lastInputTokens, compactions }: SessionCounters,
): Promise<void> {
  await trx
    .updateTable('sessions')
    .set({ compactions, last_input_tokens: lastInputTokens ?? null })
    .where('number', '=', session)
    .execute()
}
