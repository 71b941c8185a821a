import { PalimpsestError } from 'palimpsest'

/**
 * What we need of a SQLite database: `better-sqlite3` and `libsql` have it as it stands. Calls are synchronous. What is not
 * safe as a JavaScript number never comes back, because the tables hold no such integers.
 */
export interface SqliteConnection {
  /** A statement that may run any number of times. */
  prepare(sql: string): SqliteStatement
  /** Closes the file. */
  close(): void
}

/** A prepared statement; parameters fill its question marks in order. */
export interface SqliteStatement {
  /** Does it give rows? */
  readonly reader: boolean
  /** Every row. */
  all(parameters: readonly unknown[]): unknown[]
  /** Runs a statement that gives no rows. */
  run(parameters: readonly unknown[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
  /** Every row, one at a time. */
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
}

/** Opens the database file at an absolute path; makes an empty one where there is none. */
export type OpenSqlite = (path: string) => SqliteConnection

/**
 * The SQLite of this runtime (`node:sqlite`, where it has one), else the package `libsql`.
 * @throws PalimpsestError `not-found` where there is neither.
 */
export async function findSqlite(): Promise<OpenSqlite> {
  const found = runtimeSqlite() ?? (await packagedSqlite())
  if (found !== undefined) return found
  throw new PalimpsestError(
    'not-found',
    'There is no SQLite: this Node.js has none, and the package libsql is not there.',
    {
      hint: 'Install libsql, use Node.js 22.13 or newer, or pass a function that opens a better-sqlite3 database.',
    },
  )
}

/** Undefined where this runtime has no SQLite, or one that is only there behind a flag. */
export function runtimeSqlite(): OpenSqlite | undefined {
  const sqlite = process.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined
  return sqlite === undefined ? undefined : (path) => adaptNodeSqlite(new sqlite.DatabaseSync(path))
}

/** Undefined where the package is not installed. */
export async function packagedSqlite(): Promise<OpenSqlite | undefined> {
  try {
    const { default: Database } = (await import('libsql')) as unknown as {
      default: new (path: string) => SqliteConnection
    }
    return (path) => new Database(path)
  } catch {
    return undefined
  }
}

/** What we use of `node:sqlite`, which the types of Node.js 20 do not know. */
export interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => NodeSqliteDatabase
}

export interface NodeSqliteDatabase {
  prepare(sql: string): NodeSqliteStatement
  /** Closes the file. */
  close(): void
}

export interface NodeSqliteStatement {
  all(...parameters: unknown[]): unknown[]
  run(...parameters: unknown[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
  iterate(...parameters: unknown[]): IterableIterator<unknown>
  /** Since 22.16 and 23.11. */
  columns?(): readonly unknown[]
}

/** A database of `node:sqlite` as a connection of ours. */
export function adaptNodeSqlite(database: NodeSqliteDatabase): SqliteConnection {
  return {
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        reader: statement.columns === undefined ? READER.test(sql) : statement.columns().length > 0,
        all: (parameters) => statement.all(...parameters),
        run: (parameters) => statement.run(...parameters),
        iterate: (parameters) => statement.iterate(...parameters),
      }
    },
    close: () => database.close(),
  }
}

/** The statements of ours that give rows. */
const READER = /^\s*(select|with|pragma|values)\b|\breturning\b/i
