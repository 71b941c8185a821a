import { type BigIntStats, statSync } from 'node:fs'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type TransactionSettings,
} from 'kysely'
import { PalimpsestError } from 'palimpsest'
import type { SqliteConnection } from '../sqlite/sqlite-driver.ts'
import { runPatiently } from './sqlite-patience.ts'

/** Kysely over one connection. Transactions take the right to write when they begin, so none fails half-way for want of it. */
export function sqliteDialect(connection: SqliteConnection, path: string): Dialect {
  const dialect = new SqliteDialect({ database: connection })
  return {
    createDriver: () => new PatientSqliteDriver(connection, path),
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
  readonly #connection: SqliteConnection
  readonly #path: string
  readonly #file: BigIntStats | undefined
  #release: (() => void) | undefined

  constructor(connection: SqliteConnection, path: string) {
    super({ database: connection })
    this.#connection = connection
    this.#path = path
    this.#file = fileAt(path)
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
    return patientConnection(this.#connection, await super.acquireConnection())
  }

  override async releaseConnection(): Promise<void> {
    await super.releaseConnection()
    this.#release?.()
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const readOnly = settings?.accessMode === 'read only'
    if (!readOnly && !isSame(this.#file, fileAt(this.#path))) throw removed(this.#path)
    await connection.executeQuery(CompiledQuery.raw(readOnly ? 'begin' : 'begin immediate'))
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

function patientConnection(connection: SqliteConnection, kysely: DatabaseConnection): DatabaseConnection {
  return {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, changed } = await runPatiently(connection, sql, parameters)
      if (changed === undefined) return { rows: rows as Row[] }
      return {
        rows: [],
        numAffectedRows: BigInt(changed.changes),
        insertId: BigInt(changed.lastInsertRowid),
      }
    },
    streamQuery: (query, size) => kysely.streamQuery(query, size),
  }
}

function fileAt(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })
}

function isSame(opened: BigIntStats | undefined, now: BigIntStats | undefined): boolean {
  return opened?.ino === now?.ino && opened?.dev === now?.dev
}

/** What was written would be confirmed, and be gone with this process. */
function removed(path: string): PalimpsestError {
  return new PalimpsestError(
    'effect-failed',
    `The database file ${path} was removed or replaced while it was open: nothing more is written to it.`,
    { hint: 'Start this program again: it opens the file that is there now, or makes one.' },
  )
}

function forget(): void {}
