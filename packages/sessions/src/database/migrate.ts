import { type Kysely, type Migration, Migrator, NO_MIGRATIONS, sql } from 'kysely'
import { PalimpsestError } from 'palimpsest'
import { databaseFault } from './database-fault.ts'
import { base } from './migrations/0001-base.ts'
import { sessionCounters } from './migrations/0002-session-counters.ts'
import { historyWords } from './migrations/0003-history-words.ts'
import type { Tables } from './schema.ts'
import type { DatabaseKind } from './sql-database.ts'

/** What is migrated: the database, and where its tables stand. */
export interface MigratedDatabase {
  readonly db: Kysely<Tables>
  readonly kind: DatabaseKind
  readonly name: string
  /** In PostgreSQL. */
  readonly schema?: string
}

/** One step of the tables' way, and whether the database took it. */
export interface MigrationStep {
  readonly name: string
  readonly done: boolean
}

/** A step that `migrate` took. */
export interface MigrationTaken {
  readonly name: string
  readonly direction: 'up' | 'down'
}

/** The table that says which steps were taken. */
const TABLE = 'migrations'
const LOCK_TABLE = 'migration_lock'

/** All steps in order. */
export function migrationsOf(kind: DatabaseKind): Readonly<Record<string, Migration>> {
  return { '0001-base': base(kind), '0002-session-counters': sessionCounters, '0003-history-words': historyWords(kind) }
}

/**
 * Takes the database to the newest version (`up`), one step back (`down`), or to the version after a named step; `none` is
 * before the first one. Processes that do so at once wait for each other. A step is taken whole or not at all.
 * @throws PalimpsestError `invalid-input` for a step that is not there and for a database of a newer version; `conflict` for
 * the first step back while the database holds anything; `effect-failed` for what the database refuses.
 */
export async function migrate(
  database: MigratedDatabase,
  to: 'up' | 'down' | string,
): Promise<readonly MigrationTaken[]> {
  const steps = await stepsOf(database)
  if (to === 'up' && steps.every(({ done }) => done)) return []
  if (to !== 'up' && to !== 'down' && to !== 'none') assertKnown(steps, to)
  const migrator = migratorOf(database)
  const { error, results = [] } = await (to === 'up'
    ? migrator.migrateToLatest()
    : to === 'down'
      ? migrator.migrateDown()
      : migrator.migrateTo(to === 'none' ? NO_MIGRATIONS : to))
  if (error !== undefined) throw refusal(database, error)
  return results.map(({ migrationName, direction }) => ({
    name: migrationName,
    direction: direction === 'Up' ? 'up' : 'down',
  }))
}

/**
 * All steps, and which of them the database took.
 * @throws PalimpsestError `invalid-input` for a database of a newer version, `effect-failed` where it cannot be read.
 */
export async function stepsOf(database: MigratedDatabase): Promise<readonly MigrationStep[]> {
  const taken = await takenSteps(database).catch((error: unknown) => {
    throw refusal(database, error)
  })
  const names = Object.keys(migrationsOf(database.kind))
  const unknown = taken.find((name) => !names.includes(name))
  if (unknown === undefined) return names.map((name) => ({ name, done: taken.includes(name) }))
  throw new PalimpsestError(
    'invalid-input',
    `The database ${database.name} is of a newer version: it took the step ${unknown}.`,
    {
      hint: 'Update this program, or let the newer one migrate the database down.',
    },
  )
}

async function takenSteps({ db, kind, schema }: MigratedDatabase): Promise<readonly string[]> {
  const there =
    kind === 'sqlite'
      ? sql<object>`select 1 from sqlite_master where name = ${TABLE}`
      : sql<object>`select 1 from pg_tables where schemaname = ${schema} and tablename = ${TABLE}`
  const { rows } = await there.execute(db)
  if (rows.length === 0) return []
  const taken = await sql<{ name: string }>`select name from ${sql.table(TABLE)}`.execute(db)
  return taken.rows.map(({ name }) => name)
}

function migratorOf({ db, kind, schema }: MigratedDatabase): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations: async () => migrationsOf(kind) },
    migrationTableName: TABLE,
    migrationLockTableName: LOCK_TABLE,
    // other programs on the server may have a table of that name
    ...(schema !== undefined && { migrationTableSchema: schema }),
  })
}

function assertKnown(steps: readonly MigrationStep[], name: string): void {
  if (steps.some((step) => step.name === name)) return
  throw new PalimpsestError('invalid-input', `There is no migration ${JSON.stringify(name)}.`, {
    hint: `Name one of ${steps.map((step) => step.name).join(', ')}, or up, down, none.`,
  })
}

function refusal({ name }: MigratedDatabase, cause: unknown): PalimpsestError {
  if (cause instanceof PalimpsestError) return cause
  const fault = databaseFault(cause)
  const why = fault === undefined ? '' : `: ${fault.what}`
  return new PalimpsestError('effect-failed', `The database ${name} could not be migrated${why}; it is as it was.`, {
    hint: fault?.hint ?? 'Check that its user may create tables, and that there is room on its disk.',
    cause,
  })
}
