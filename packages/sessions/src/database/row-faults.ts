import { type Kysely, type Selectable, sql } from 'kysely'
import { canonicalJson } from 'palimpsest/engine'
import { artifactKey } from 'palimpsest/stores'
import { databaseFault } from './database-fault.ts'
import type { ArtifactRow, EntryRow, HistoryRow, LimitRow, RecordRow, SessionRow, Tables } from './schema.ts'
import { reading, type SqlDatabase } from './sql-database.ts'
import { digestOf, textOf } from './stored-text.ts'

/** A row, or a place of the database, that is not what was written there. */
export interface RowFault {
  readonly table: string
  /** Names the row; absent where it is about the table as a whole. */
  readonly row?: string
  readonly what: string
}

/** A session, whoever's. */
export interface NamedSession {
  readonly namespace: string
  readonly id: string
}

/**
 * Every row that contradicts itself or belongs to nothing: columns that are not what the entry in their row says, digests and
 * keys of another content, entries without a session. With a session, only its entries. What an entry says is told by its
 * hash, see `verifyChain`.
 * @throws PalimpsestError `effect-failed` where the database cannot be read.
 */
export async function rowFaults(database: SqlDatabase, session?: NamedSession): Promise<readonly RowFault[]> {
  return reading(database, undefined, async (db) => {
    if (session !== undefined) return entriesOfSession(db, session)
    const damaged = database.kind === 'sqlite' ? await fileFaults(db) : []
    if (damaged.length > 0) return damaged
    const checks = [lostRows, sessionRows, recordRows, artifactRows, historyRows, limitRows]
    const found: RowFault[] = []
    for (const faultsIn of checks) found.push(...(await faultsIn(db)))
    return found
  })
}

/** Rows that are in memory at once; artifacts are large. */
const PAGE = 500
const ARTIFACTS = 20

/** What SQLite says of its file, and of the index of words against the histories. */
async function fileFaults(db: Kysely<Tables>): Promise<readonly RowFault[]> {
  const damaged = await unlessDamaged(() => pageFaults(db, undefined))
  if (damaged !== undefined) return damaged.length > 0 ? damaged : indexFaults(db)
  // where it gives up on the whole, the tables are asked for one by one
  const found: RowFault[] = []
  for (const table of TABLES) {
    found.push(...((await unlessDamaged(() => pageFaults(db, table))) ?? [{ table, what: UNREADABLE }]))
  }
  return found.length > 0 ? found : [{ table: 'the file', what: UNREADABLE }]
}

const TABLES = ['sessions', 'entries', 'records', 'artifacts', 'histories', 'history_entries', 'limits'] as const
const UNREADABLE = 'it is damaged: parts of it cannot be read'

async function pageFaults(db: Kysely<Tables>, table: string | undefined): Promise<readonly RowFault[]> {
  const asked = table === undefined ? sql`20` : sql.lit(table)
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(${asked})`.execute(db)
  const said = rows.map(({ integrity_check: what }) => what).filter((what) => what !== 'ok')
  return said.map((what) => ({ table: table ?? 'the file', what }))
}

async function indexFaults(db: Kysely<Tables>): Promise<readonly RowFault[]> {
  try {
    await sql`insert into history_words (history_words, rank) values ('integrity-check', 1)`.execute(db)
    return []
  } catch (error) {
    const kind = databaseFault(error)?.kind
    // a file that may not be written cannot be asked
    if (kind === 'forbidden') return []
    if (kind !== 'damaged') throw error
    return [{ table: 'history_entries', what: 'a text is not the one that the index of words was made of' }]
  }
}

async function unlessDamaged<Result>(run: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await run()
  } catch (error) {
    if (databaseFault(error)?.kind !== 'damaged') throw error
    return undefined
  }
}

/** Rows that name another one that is not there, and sessions that no list shows because they have no entries. */
async function lostRows(db: Kysely<Tables>): Promise<readonly RowFault[]> {
  const { rows: entries } = await sql<Lost>`select session as owner, count(*) as count from entries
    where session not in (select number from sessions) group by session`.execute(db)
  const { rows: histories } = await sql<Lost>`select history as owner, count(*) as count from history_entries
    where history not in (select number from histories) group by history`.execute(db)
  const { rows: empty } = await sql<{ id: string; number: number }>`select id, number from sessions
    where not exists (select 1 from entries where session = sessions.number)`.execute(db)
  return [
    ...entries.map(({ owner, count }) => fault('entries', `session ${owner}`, `${count} without their session`)),
    ...histories.map(({ owner, count }) =>
      fault('history_entries', `history ${owner}`, `${count} without their history`),
    ),
    ...empty.map(({ id, number }) => fault('sessions', `${textOf(id)} (${number})`, 'it has no entries')),
  ]
}

interface Lost {
  readonly owner: number
  readonly count: number
}

async function sessionRows(db: Kysely<Tables>): Promise<readonly RowFault[]> {
  return walked<
    Pick<Selectable<SessionRow>, 'number' | 'digest' | 'namespace_digest' | 'namespace' | 'id' | 'tool_results'>
  >(
    (after) => {
      const columns = ['number', 'digest', 'namespace_digest', 'namespace', 'id', 'tool_results'] as const
      return db
        .selectFrom('sessions')
        .select(columns)
        .where('number', '>', after?.number ?? 0)
        .orderBy('number')
        .limit(PAGE)
        .execute()
    },
    (row) => {
      const [namespace, id] = [textOf(row.namespace), textOf(row.id)]
      const name = `${id} (${row.number})`
      return differs('sessions', name, [
        ['digest', row.digest, digestOf(namespace, id)],
        ['namespace_digest', row.namespace_digest, digestOf(namespace)],
        ['tool_results', row.tool_results, row.tool_results === 'compact' ? 'compact' : 'full'],
      ])
    },
  )
}

async function entriesOfSession(db: Kysely<Tables>, { namespace, id }: NamedSession): Promise<readonly RowFault[]> {
  const number = db.selectFrom('sessions').select('number').where('digest', '=', digestOf(namespace, id))
  const lengths = new Map<number, number>()
  let before = 0
  return walked<Pick<EntryRow, 'seq' | 'type' | 'position' | 'messages' | 'body'>>(
    (after) => {
      const columns = ['seq', 'type', 'position', 'messages', 'body'] as const
      const entries = db.selectFrom('entries').select(columns).where('session', '=', number)
      return entries
        .where('seq', '>', after?.seq ?? 0)
        .orderBy('seq')
        .limit(PAGE)
        .execute()
    },
    (row) => {
      const body = objectIn(row.body)
      const name = `entry ${row.seq}`
      const expected = lengthAfter(body, before, lengths)
      // one that is wrong is told once: what follows is measured by it
      before = row.messages
      lengths.set(row.seq, before)
      if (body === undefined) return [fault('entries', name, 'its body is no JSON')]
      return entryFaults(row, body, expected).map((what) => fault('entries', name, what))
    },
  )
}

function lengthAfter(body: Body | undefined, before: number, lengths: ReadonlyMap<number, number>): number {
  if (body?.type === 'message-appended') return before + 1
  return body?.type === 'rewound' ? (lengths.get(body.to as number) ?? before) : before
}

/** By these columns checkpoints and messages are found. */
function entryFaults(
  { type, position, messages }: Pick<EntryRow, 'type' | 'position' | 'messages'>,
  body: Body,
  length: number,
): readonly string[] {
  const said = body.type === 'message-appended' ? body.position : null
  return [
    ...(type === body.type ? [] : [`its column type says ${type}, and its body ${body.type}`]),
    ...(position === said ? [] : [`its column position says ${position}, and its body ${said}`]),
    ...(messages === length ? [] : [`its column messages says ${messages}, and there are ${length} up to it`]),
  ]
}

async function recordRows(db: Kysely<Tables>): Promise<readonly RowFault[]> {
  const applied = await appliedRecords(db)
  return walked<Selectable<RecordRow>>(
    (after) =>
      db
        .selectFrom('records')
        .selectAll()
        .where('number', '>', after?.number ?? 0)
        .orderBy('number')
        .limit(PAGE)
        .execute(),
    ({ number, digest, root_digest, root: storedRoot, key: storedKey, record }) => {
      const [root, key] = [textOf(storedRoot), textOf(storedKey)]
      const said = objectIn(record)
      const name = `${key} (${number})`
      if (said === undefined) return [fault('records', name, 'the record is no JSON')]
      const other = 'it is not the record that a session applied under this key'
      return [
        ...differs('records', name, [
          ['digest', digest, digestOf(root, key)],
          ['root_digest', root_digest, digestOf(root)],
          ['key', key, String(said.key)],
        ]),
        ...((applied.get(key) ?? digestOfRecord(said)) === digestOfRecord(said) ? [] : [fault('records', name, other)]),
      ]
    },
  )
}

/** What sessions wrote down of their compactions, by key: which records no key tells apart. */
async function appliedRecords(db: Kysely<Tables>): Promise<ReadonlyMap<string, string>> {
  const applied = new Map<string, string>()
  await walked<Pick<EntryRow, 'session' | 'seq' | 'body'>>(
    (after) => {
      const all = db.selectFrom('entries').select(['session', 'seq', 'body']).where('type', '=', 'compaction-applied')
      const rest =
        after === undefined ? all : all.where(sql<boolean>`(session, seq) > (${after.session}, ${after.seq})`)
      return rest.orderBy('session').orderBy('seq').limit(PAGE).execute()
    },
    ({ body }) => {
      const { record } = (objectIn(body) ?? {}) as { readonly record?: { readonly key: string } }
      if (record !== undefined) applied.set(record.key, digestOfRecord(record))
      return []
    },
  )
  return applied
}

function digestOfRecord(record: object): string {
  return digestOf(canonicalJson(record))
}

async function artifactRows(db: Kysely<Tables>): Promise<readonly RowFault[]> {
  return walked<ArtifactRow>(
    (after) => {
      const all = db.selectFrom('artifacts').selectAll()
      const rest = after === undefined ? all : all.where(behind(after))
      return rest.orderBy('namespace_digest').orderBy('key').limit(ARTIFACTS).execute()
    },
    ({ namespace_digest, namespace: stored, key, content }) => {
      const namespace = textOf(stored)
      const other = 'its content is not the one that it was stored for'
      return [
        ...differs('artifacts', key, [['namespace_digest', namespace_digest, digestOf(namespace)]]),
        ...(artifactKey(namespace, textOf(content)) === key ? [] : [fault('artifacts', key, other)]),
      ]
    },
  )
}

function behind({ namespace_digest, key }: { readonly namespace_digest: string; readonly key: string }) {
  return sql<boolean>`(namespace_digest, key) > (${namespace_digest}, ${key})`
}

async function historyRows(db: Kysely<Tables>): Promise<readonly RowFault[]> {
  return walked<Selectable<HistoryRow>>(
    (after) =>
      db
        .selectFrom('histories')
        .selectAll()
        .where('number', '>', after?.number ?? 0)
        .orderBy('number')
        .limit(PAGE)
        .execute(),
    ({ number, digest, namespace, session }) =>
      differs('histories', `${textOf(session)} (${number})`, [
        ['digest', digest, digestOf(textOf(namespace), textOf(session))],
      ]),
  )
}

async function limitRows(db: Kysely<Tables>): Promise<readonly RowFault[]> {
  return walked<LimitRow>(
    (after) =>
      db
        .selectFrom('limits')
        .selectAll()
        .where('digest', '>', after?.digest ?? '')
        .orderBy('digest')
        .limit(PAGE)
        .execute(),
    ({ digest, namespace, upstream, model }) =>
      differs('limits', textOf(model), [
        ['digest', digest, digestOf(textOf(namespace), textOf(upstream), textOf(model))],
      ]),
  )
}

/** The faults of all rows, a page of them at a time. */
async function walked<Row>(
  page: (after: Row | undefined) => Promise<readonly Row[]>,
  faultsOf: (row: Row) => readonly RowFault[],
): Promise<readonly RowFault[]> {
  const found: RowFault[] = []
  for (let rows = await page(undefined); rows.length > 0; rows = await page(rows.at(-1))) {
    found.push(...rows.flatMap(faultsOf))
  }
  return found
}

/** Columns that are not what the others of their row give. */
function differs(
  table: string,
  row: string,
  columns: readonly (readonly [name: string, stored: string, given: string])[],
): readonly RowFault[] {
  return columns
    .filter(([, stored, given]) => stored !== given)
    .map(([name]) => fault(table, row, `its column ${name} does not belong to what else stands there`))
}

function fault(table: string, row: string, what: string): RowFault {
  return { table, row, what }
}

type Body = Readonly<Record<string, unknown>>

function objectIn(text: string): Body | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
