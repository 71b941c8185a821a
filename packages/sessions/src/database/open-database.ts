import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { Kysely } from 'kysely'
import { PalimpsestError, type Stores } from 'palimpsest'
import type { SessionStore } from '../log/session-store.ts'
import { findSqlite, type OpenSqlite } from '../sqlite/sqlite-driver.ts'
import { type MigrationStep, type MigrationTaken, migrate, stepsOf } from './migrate.ts'
import { type NamedLocks, namedLocks } from './named-lock.ts'
import { findPostgres, postgresDialect, prepareServer } from './postgres-dialect.ts'
import { postgresLocks } from './postgres-locks.ts'
import type { PostgresOptions } from './postgres-options.ts'
import { type NamedSession, type RowFault, rowFaults } from './row-faults.ts'
import type { Tables } from './schema.ts'
import type { DatabaseKind, SqlDatabase } from './sql-database.ts'
import { SqlSessions } from './sql-sessions.ts'
import { sqlStores } from './sql-stores.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { openSqliteFile } from './sqlite-file.ts'
import { sqliteLeases } from './sqlite-leases.ts'

/** How a database is opened. Everything has a default. */
export interface DatabaseOptions {
  /**
   * Take the tables to this version. Default true. With false they stay as they are, to be looked at and migrated; calls of
   * stores on another version fail.
   */
  readonly migrate?: boolean
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
  /** Milliseconds after which a limit that a provider stated is forgotten. Default 24 hours. */
  readonly forgetAfter?: number
  /** Opens files of SQLite. Default: the SQLite of the runtime, else the package `libsql`. */
  readonly sqlite?: OpenSqlite
  readonly postgres?: PostgresOptions
}

/** Sessions and everything that compactors store, in one database. */
export interface SessionDatabase {
  readonly kind: DatabaseKind
  /** The path, or the address without user and password. */
  readonly name: string
  /** The session logs of a namespace; by default of `default`. */
  sessions(namespace?: string): SessionStore
  readonly stores: Stores
  readonly migrations: DatabaseMigrations
  /** Rows that are not what was written there; with a session, of its entries alone. */
  verify(session?: NamedSession): Promise<readonly RowFault[]>
  /** Lets go of everything. Calls that still run fail. */
  close(): Promise<void>
}

/** The versions of the tables. */
export interface DatabaseMigrations {
  /** All steps, and which of them the database took. */
  list(): Promise<readonly MigrationStep[]>
  /** To the newest version (`up`), one step back (`down`), to the version after a named step, or before the first (`none`). */
  migrate(to: 'up' | 'down' | string): Promise<readonly MigrationTaken[]>
}

/**
 * Opens a database by its address: `postgres://…` is a PostgreSQL server, everything else the path of a SQLite file (`sqlite:`
 * may stand before it), which is made where there is none. Any number of processes may have it open.
 * @throws PalimpsestError `invalid-input` for what is no database of ours or of a newer version, `not-found` where the driver
 * is not installed, `effect-failed` where it cannot be reached or opened.
 *
 * @example const { stores, close } = await openDatabase('sessions.db')
 */
export async function openDatabase(url: string, options: DatabaseOptions = {}): Promise<SessionDatabase> {
  const opened = await (isPostgres(url) ? openPostgres(url, options) : openSqlite(url, options))
  const { database, schema, close } = opened
  const migrated = { ...database, ...(schema !== undefined && { schema }) }
  try {
    if (options.migrate ?? true) await migrate(migrated, 'up')
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
  return {
    kind: database.kind,
    name: database.name,
    sessions: (namespace = 'default') => new SqlSessions(database, namespace),
    stores: sqlStores(database, options),
    migrations: { list: () => stepsOf(migrated), migrate: (to) => migrate(migrated, to) },
    verify: (session) => rowFaults(database, session),
    close,
  }
}

/** Is this the address of a PostgreSQL server, and not a path? */
export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/i.test(url)
}

interface Opened {
  readonly database: SqlDatabase
  readonly schema?: string
  close(): Promise<void>
}

async function openSqlite(url: string, { sqlite, now = Date.now }: DatabaseOptions): Promise<Opened> {
  const path = pathOf(url)
  assertPath(path)
  const full = resolve(path)
  const connection = await openSqliteFile(full, sqlite ?? (await findSqlite()))
  const db = new Kysely<Tables>({ dialect: sqliteDialect(connection, realpathSync(full)) })
  const locks: NamedLocks = namedLocks(sqliteLeases({ db, name: full, now }), randomUUID)
  return { database: { db, kind: 'sqlite', name: full, locks, now }, close: () => db.destroy() }
}

async function openPostgres(url: string, { postgres, now = Date.now }: DatabaseOptions): Promise<Opened> {
  const server = await findPostgres(url, postgres)
  const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
  const keeper = postgresLocks(server)
  const close = async () => {
    await keeper.close()
    await db.destroy()
  }
  try {
    await prepareServer(server)
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
  const { name, schema } = server
  return { database: { db, kind: 'postgres', name, locks: namedLocks(keeper, randomUUID), now }, schema, close }
}

/** `sqlite:FILE` and `sqlite:///absolute/file` as the commands take them too; every other path as it stands. */
function pathOf(url: string): string {
  return url.replace(/^sqlite:(?:\/\/(?=\/|[A-Za-z]:)|(?!\/\/))/i, '')
}

function assertPath(path: string): void {
  if (path !== '' && !path.includes('\0') && !/^[a-z][a-z0-9+.-]+:\/\//i.test(path) && path !== ':memory:') return
  throw new PalimpsestError('invalid-input', `${JSON.stringify(path.replace(/:\/\/.*@/, '://…@'))} is no database.`, {
    hint: 'Name a file, or a server as postgres://user@host/database.',
  })
}
