import { chmodSync, closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type TransactionSettings,
} from 'kysely'
import { PalimpsestError } from 'palimpsest'
import type { OpenSqlite, SqliteConnection } from './sqlite-driver.ts'

/** Written into the head of each file, so that no other program's database is taken for one of ours: "Plmp". */
const APPLICATION_ID = 0x506c6d70
/** Milliseconds that one statement waits for another process. */
const BUSY_TIMEOUT = 5000
/** A transaction waits some times as long before it gives up. */
const BUSY_ATTEMPTS = 10
/** Milliseconds between two attempts: some refusals come at once. */
const BUSY_PAUSE = 20

/**
 * The database file at an absolute path, made where there is none, for its user alone. What a transaction confirmed survives a
 * loss of power.
 * @throws PalimpsestError `invalid-input` for a file that is no database of ours, `effect-failed` for one that cannot be opened.
 */
export async function openSqliteFile(path: string, open: OpenSqlite): Promise<SqliteConnection> {
  let connection: SqliteConnection | undefined
  try {
    makePrivateFile(path)
    const opened = open(path)
    connection = opened
    await whileBusy(async () => setUp(opened, path))
    return opened
  } catch (error) {
    connection?.close()
    throw refusal(path, error)
  }
}

/** Kysely over one connection. Transactions take the right to write when they begin, so none fails half-way for want of it. */
export function sqliteDialect(connection: SqliteConnection, path: string): Dialect {
  const config = { database: connection }
  const dialect = new SqliteDialect(config)
  return {
    createDriver: () => new PatientSqliteDriver(config, path),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

/** Tables of SQLite are made in transactions too; so a migration is whole or not there, and one process at a time runs it. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** The last use of each file in this process: its calls are synchronous, so who waits for a lock would wait for himself. */
const lastUse = new Map<string, Promise<void>>()

class PatientSqliteDriver extends SqliteDriver {
  readonly #path: string
  #release: (() => void) | undefined

  constructor(config: ConstructorParameters<typeof SqliteDriver>[0], path: string) {
    super(config)
    this.#path = path
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const before = lastUse.get(this.#path)
    let release = forget
    const use = new Promise<void>((resolve) => {
      release = resolve
    })
    lastUse.set(this.#path, use)
    await before
    this.#release = () => {
      if (lastUse.get(this.#path) === use) lastUse.delete(this.#path)
      release()
    }
    return super.acquireConnection()
  }

  override async releaseConnection(): Promise<void> {
    await super.releaseConnection()
    this.#release?.()
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = CompiledQuery.raw(settings?.accessMode === 'read only' ? 'begin' : 'begin immediate')
    await whileBusy(() => connection.executeQuery(begin))
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection)
    } catch (error) {
      // SQLite takes some failed transactions back by itself: a full disk, a failed read
      if (!/no transaction is active/.test(String(error))) throw error
    }
  }
}

function forget(): void {}

/** Before SQLite makes it with the modes of the process. Nothing is opened that is there: closing it would end SQLite's locks. */
function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const { O_CREAT, O_EXCL, O_RDWR } = constants
  try {
    closeSync(openSync(path, O_CREAT | O_EXCL | O_RDWR, 0o600))
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
}

/** Once the file is known to be ours. What stands beside it may have been made with the modes that it had. */
function keepPrivate(path: string): void {
  for (const part of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      chmodSync(part, 0o600)
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw error
    }
  }
}

function setUp(connection: SqliteConnection, path: string): void {
  ask(connection, `pragma busy_timeout = ${BUSY_TIMEOUT}`)
  ask(connection, 'pragma foreign_keys = on')
  claim(connection, path)
  keepPrivate(path)
  if (ask(connection, 'pragma journal_mode') !== 'wal') ask(connection, 'pragma journal_mode = wal')
  ask(connection, 'pragma synchronous = full')
}

function claim(connection: SqliteConnection, path: string): void {
  // in one statement: between two of them another process may have made its tables
  const state = `select case (select application_id from pragma_application_id)
    when ${APPLICATION_ID} then 'ours' when 0 then (select iif(count(*) = 0, 'empty', 'foreign') from sqlite_master)
    else 'foreign' end`
  switch (ask(connection, state)) {
    case 'ours':
      return
    case 'empty':
      ask(connection, `pragma application_id = ${APPLICATION_ID}`)
      return
    default:
      throw new ForeignDatabase(path)
  }
}

class ForeignDatabase extends PalimpsestError {
  constructor(path: string) {
    super('invalid-input', `The file ${path} is the database of another program.`, {
      hint: 'Name a file of its own: it is made where there is none.',
    })
  }
}

/** The first value of the first row; undefined where there is none. */
function ask(connection: SqliteConnection, sql: string): unknown {
  const statement = connection.prepare(sql)
  if (!statement.reader) {
    statement.run([])
    return undefined
  }
  const [row] = statement.all([])
  return Object.values(row ?? {})[0]
}

function refusal(path: string, error: unknown): PalimpsestError {
  if (error instanceof PalimpsestError) return error
  if (/not a database|malformed/i.test(String(error))) {
    return new PalimpsestError('invalid-input', `The file ${path} is no SQLite database, or a damaged one.`, {
      hint: 'Name a file of its own: it is made where there is none.',
      cause: error,
    })
  }
  return new PalimpsestError('effect-failed', `The database file ${path} cannot be opened.`, {
    hint: 'Check that its folder exists or can be made, that both are yours, and that there is room on the disk.',
    cause: error,
  })
}

/** Again and again while other processes have what it needs. */
async function whileBusy<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === BUSY_ATTEMPTS || !isBusy(error)) throw error
      await pause(BUSY_PAUSE)
    }
  }
}

/** SQLite's own number or name of it, with whatever a driver adds. */
function isBusy(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  return (
    (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) ||
    (typeof errcode === 'number' && (errcode & 0xff) === 5)
  )
}
