import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { StoreCall } from 'palimpsest'
import type { EntryPlace, SessionEntry } from '../log/session-entry.ts'
import type {
  AppendOptions,
  EntryRange,
  ListOptions,
  SessionStore,
  SessionSummary,
  StoredCheckpoint,
  StoredMessage,
  WantedMessages,
} from '../log/session-store.ts'
import { assertFork, noSession, sessionTaken } from '../log/store-refusals.ts'
import { compactionsBefore, lastInputBefore } from './counted-entries.ts'
import type { EntryRow, SessionRow, Tables } from './schema.ts'
import { reading, type SqlDatabase, writing } from './sql-database.ts'
import { appendEntries, lockSession, type SessionName } from './sql-sessions-append.ts'
import { checkpointOf, entryOf, messageOf, summaryOf } from './sql-sessions-rows.ts'
import { digestOf, storedText } from './stored-text.ts'

const DEFAULT_LIMIT = 1_000
/** The largest integer of a column. */
const LAST = 2 ** 31 - 1

/**
 * Session logs in the tables of a database, of one namespace. An append is one insert, whatever the length of the log; what is
 * asked for is found by an index.
 */
export class SqlSessions implements SessionStore {
  readonly #database: SqlDatabase
  readonly #namespace: string

  constructor(database: SqlDatabase, namespace: string) {
    this.#database = database
    this.#namespace = namespace
  }

  async append(session: string, entries: readonly SessionEntry[], options: AppendOptions = {}): Promise<void> {
    const name = this.#named(session)
    await writing(this.#database, options, (trx) =>
      appendEntries(trx, name, { entries, ...options, kind: this.#database.kind }),
    )
  }

  async find(session: string, call: StoreCall = {}): Promise<SessionSummary | undefined> {
    const rows = await reading(this.#database, call, (db) =>
      summaries(db).where('s.digest', '=', this.#named(session).digest).execute(),
    )
    return rows.map(summaryOf)[0]
  }

  async list(options: ListOptions = {}): Promise<readonly SessionSummary[]> {
    const { cwd, limit = DEFAULT_LIMIT } = options
    const rows = await reading(this.#database, options, (db) => {
      const all = summaries(db).where('s.namespace_digest', '=', digestOf(this.#namespace))
      const wanted = cwd === undefined ? all : all.where('s.cwd', '=', storedText(cwd))
      return wanted.orderBy('last.at', 'desc').orderBy('s.number', 'desc').limit(within(limit)).execute()
    })
    return rows.map(summaryOf)
  }

  async read(session: string, options: EntryRange = {}): Promise<readonly SessionEntry[]> {
    const { from = 1, to = LAST } = options
    const rows = await reading(this.#database, options, (db) =>
      this.#entries(db, session)
        .select(['seq', 'at', 'hash', 'body'])
        .where('seq', '>=', within(from))
        .where('seq', '<', within(to))
        .orderBy('seq')
        .execute(),
    )
    return rows.map(entryOf)
  }

  async head(session: string, call: StoreCall = {}): Promise<EntryPlace | undefined> {
    const newest = (db: Kysely<Tables>) => this.#entries(db, session).orderBy('seq', 'desc').limit(1)
    const [place] = await reading(this.#database, call, (db) => newest(db).select(['seq', 'at', 'hash']).execute())
    return place && { seq: place.seq, at: place.at, hash: place.hash }
  }

  async checkpoint(
    session: string,
    options: StoreCall & { readonly before?: number } = {},
  ): Promise<StoredCheckpoint | undefined> {
    const { before = LAST } = options
    const rows = await reading(this.#database, options, (db) =>
      this.#entries(db, session)
        .select(['seq', 'at', 'hash', 'body'])
        // spelled out: as a parameter it would not be seen that the index of checkpoints has it
        .where('type', '=', sql.lit('checkpoint'))
        .where('seq', '<', within(before))
        .orderBy('seq', 'desc')
        .limit(1)
        .execute(),
    )
    return rows.map(checkpointOf)[0]
  }

  async messages(session: string, wanted: WantedMessages): Promise<readonly StoredMessage[]> {
    const rows = await reading(this.#database, wanted, async (db) => {
      const found: Pick<EntryRow, 'seq' | 'body'>[] = []
      for (const { from, to } of merged(wanted.positions)) {
        const range = this.#entries(db, session)
          .where('position', '>=', within(from))
          .where('position', '<', within(to))
        const onTheWay = range.where('seq', '<', within(wanted.until)).select(['seq', 'body'])
        found.push(...(await onTheWay.orderBy('position').orderBy('seq').execute()))
      }
      return found
    })
    const abandoned = merged(wanted.abandoned)
    return rows.filter(({ seq }) => !isWithin(abandoned, seq)).map(messageOf)
  }

  async fork(session: string, into: string, options: StoreCall & { readonly until?: number } = {}): Promise<void> {
    const { until = LAST } = options
    assertFork(until)
    const name = this.#named(into)
    await writing(this.#database, options, async (trx) => {
      await lockSession(trx, this.#database.kind, name)
      const row = sessionRow(trx, this.#named(session))
      // appends to the origin go on meanwhile; its removal waits
      const kept = this.#database.kind === 'postgres' ? row.forKeyShare() : row
      const origin = await kept.executeTakeFirst()
      if (origin === undefined) throw noSession(session)
      if ((await sessionRow(trx, name).executeTakeFirst()) !== undefined) throw sessionTaken(into)
      await copySession(trx, origin, { name, until: within(until) })
    })
  }

  async remove(session: string, call: StoreCall = {}): Promise<boolean> {
    const name = this.#named(session)
    return writing(this.#database, call, async (trx) => {
      await lockSession(trx, this.#database.kind, name)
      const removed = await trx.deleteFrom('sessions').where('digest', '=', name.digest).executeTakeFirst()
      return removed.numDeletedRows > 0n
    })
  }

  alone<Result>(name: string, run: () => Promise<Result>, { signal }: StoreCall = {}): Promise<Result> {
    return this.#database.locks.alone(JSON.stringify(['sessions', this.#namespace, name]), run, signal)
  }

  #named(id: string): SessionName {
    return { id, namespace: this.#namespace, digest: digestOf(this.#namespace, id) }
  }

  #entries(db: Kysely<Tables>, session: string) {
    const number = db.selectFrom('sessions').select('number').where('digest', '=', this.#named(session).digest)
    return db.selectFrom('entries').where('session', '=', number)
  }
}

/** What a list shows. */
function summaries(db: Kysely<Tables>) {
  return withLastEntry(db)
    .selectAll('s')
    .select(['last.seq as entries', 'last.at as updated_at', 'last.messages as messages'])
}

/** Sessions `s`, each with its `last` entry, which its key finds. */
function withLastEntry(db: Kysely<Tables>) {
  return db.selectFrom('sessions as s').innerJoin('entries as last', (join) =>
    join.onRef('last.session', '=', 's.number').on('last.seq', '=', ({ selectFrom }) =>
      selectFrom('entries as one')
        .select(({ fn }) => fn.max<number>('one.seq').as('seq'))
        .whereRef('one.session', '=', 's.number'),
    ),
  )
}

function sessionRow(trx: Transaction<Tables>, { digest }: SessionName) {
  return trx.selectFrom('sessions').selectAll().where('digest', '=', digest)
}

async function copySession(
  trx: Transaction<Tables>,
  origin: Selectable<SessionRow>,
  { name, until }: { readonly name: SessionName; readonly until: number },
): Promise<void> {
  const { number: from, ...rest } = origin
  const copied = trx.selectFrom('entries').where('session', '=', from).where('seq', '<', until)
  const { last } = await copied.select(({ fn }) => fn.max<number>('seq').as('last')).executeTakeFirstOrThrow()
  const counters = {
    compactions: await compactionsBefore(trx, from, until),
    last_input_tokens: await lastInputBefore(trx, from, until),
  }
  const fork = { digest: name.digest, id: storedText(name.id), forked_from: origin.id, forked_until: last + 1 }
  const { number } = await trx
    .insertInto('sessions')
    .values({ ...rest, ...counters, ...fork })
    .returning('number')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('entries')
    .columns(['session', ...COPIED])
    .expression(copied.select(sql.val(number).as('session')).select(COPIED))
    .execute()
}

const COPIED = ['seq', 'at', 'hash', 'type', 'position', 'messages', 'body'] as const

/** A bound as a column of integers can be compared with. */
function within(bound: number): number {
  return Math.min(Math.max(Math.ceil(bound), 0), LAST)
}

interface Range {
  readonly from: number
  readonly to: number
}

/** Ranges in order, without what they share. */
function merged(ranges: readonly Range[]): readonly Range[] {
  const inOrder = ranges.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from)
  return inOrder.reduce<Range[]>((known, range) => {
    const last = known.at(-1)
    if (last === undefined || last.to < range.from) known.push(range)
    else known[known.length - 1] = { from: last.from, to: Math.max(last.to, range.to) }
    return known
  }, [])
}

/** Of ranges in order, by halves. */
function isWithin(ranges: readonly Range[], at: number): boolean {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.to ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return (ranges[low]?.from ?? Number.POSITIVE_INFINITY) <= at
}
