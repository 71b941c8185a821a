import { type Kysely, type Migration, sql } from 'kysely'
import { PalimpsestError } from 'palimpsest'
import type { DatabaseKind } from '../sql-database.ts'

const TABLES = [
  'entries',
  'sessions',
  'records',
  'artifacts',
  'history_entries',
  'histories',
  'limits',
  'locks',
] as const
/** Tables whose rows nobody could write again. */
const KEPT = ['sessions', 'records', 'artifacts', 'histories'] as const

/** Everything but counters and the index of words. */
export function base(kind: DatabaseKind): Migration {
  return {
    async up(db) {
      await createSessions(db, kind)
      await createRecords(db, kind)
      await createArtifacts(db)
      await createHistories(db, kind)
      await createLimits(db)
      await createLocks(db)
    },
    async down(db) {
      for (const table of KEPT) await assertEmpty(db, table)
      for (const table of TABLES) await db.schema.dropTable(table).execute()
    },
  }
}

type Database = Parameters<Migration['up']>[0]

async function createSessions(db: Database, kind: DatabaseKind): Promise<void> {
  await numbered(db, kind, 'sessions')
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('namespace_digest', 'text', (column) => column.notNull())
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('dialect', 'text', (column) => column.notNull())
    .addColumn('model', 'text')
    .addColumn('cwd', 'text')
    .addColumn('title', 'text')
    .addColumn('tool_results', 'text', (column) => column.notNull())
    .addColumn('created_at', 'double precision', (column) => column.notNull())
    .addColumn('forked_from', 'text')
    .addColumn('forked_until', 'integer')
    .execute()
  await db.schema.createIndex('sessions_of_namespace').on('sessions').columns(['namespace_digest', 'number']).execute()
  await db.schema
    .createTable('entries')
    .addColumn('session', 'bigint', (column) => column.notNull().references('sessions.number').onDelete('cascade'))
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('at', 'double precision', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('position', 'integer')
    .addColumn('messages', 'integer', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('entries_in_order', ['session', 'seq'])
    .execute()
  await partialIndex(db, 'entries_by_position', ['session', 'position', 'seq'], sql`position is not null`)
  await partialIndex(db, 'checkpoints', ['session', 'seq'], sql`type = 'checkpoint'`)
}

function partialIndex(db: Database, name: string, columns: string[], where: ReturnType<typeof sql<boolean>>) {
  return db.schema.createIndex(name).on('entries').columns(columns).where(where).execute()
}

async function createRecords(db: Database, kind: DatabaseKind): Promise<void> {
  await numbered(db, kind, 'records')
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('root_digest', 'text', (column) => column.notNull())
    .addColumn('root', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('record', 'text', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('records_of_root').on('records').columns(['root_digest', 'number']).execute()
}

async function createArtifacts(db: Database): Promise<void> {
  await db.schema
    .createTable('artifacts')
    .addColumn('namespace_digest', 'text', (column) => column.notNull())
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('artifact_key', ['namespace_digest', 'key'])
    .execute()
}

async function createHistories(db: Database, kind: DatabaseKind): Promise<void> {
  await numbered(db, kind, 'histories')
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('session', 'text', (column) => column.notNull())
    .execute()
  await numbered(db, kind, 'history_entries')
    .addColumn('history', 'bigint', (column) => column.notNull().references('histories.number').onDelete('cascade'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('markdown', 'text', (column) => column.notNull())
    .addUniqueConstraint('history_entry_once', ['history', 'position', 'fingerprint'])
    .execute()
  await db.schema.createIndex('history_in_order').on('history_entries').columns(['history', 'number']).execute()
}

async function createLimits(db: Database): Promise<void> {
  await db.schema
    .createTable('limits')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('upstream', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('size', 'double precision', (column) => column.notNull())
    .addColumn('at', 'double precision', (column) => column.notNull())
    .execute()
}

async function createLocks(db: Database): Promise<void> {
  await db.schema
    .createTable('locks')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('machine', 'text', (column) => column.notNull())
    .addColumn('pid', 'integer', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'double precision', (column) => column.notNull())
    .execute()
}

/** A table whose rows are counted, with numbers that are never given twice. */
function numbered(db: Database, kind: DatabaseKind, table: string) {
  const created = db.schema.createTable(table)
  if (kind === 'sqlite') return created.addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
  return created.addColumn('number', 'bigint', (column) => column.primaryKey().generatedByDefaultAsIdentity())
}

async function assertEmpty(db: Kysely<Record<string, object>>, table: string): Promise<void> {
  const row = await db.selectFrom(table).select(sql<number>`1`.as('one')).limit(1).executeTakeFirst()
  if (row === undefined) return
  throw new PalimpsestError('conflict', `The database still holds ${table}, so its tables cannot be taken away.`, {
    hint: 'Remove what it holds first, or keep the tables: nothing else could bring it back.',
  })
}
