import pg from 'pg'
import { findSqlite, type SqliteConnection, type SqliteStatement } from '../sqlite/sqlite-driver.ts'
import { type DatabaseOptions, isPostgres, openDatabase, type SessionDatabase } from './open-database.ts'

/** `sent`: on its way to a server, before the answer. Statements of SQLite are not sent anywhere. */
export type StatementMoment = 'before' | 'sent' | 'after'

/** One of the statements that a database is asked. */
export interface WatchedStatement {
  /** From 0. */
  readonly number: number
  readonly sql: string
}

/** Told of every statement, at each of its moments. */
export type WatchStatement = (when: StatementMoment, statement: WatchedStatement) => void

/** A database whose statements are watched. In PostgreSQL, all of this process are. */
export async function watchedDatabase(
  url: string,
  watch: WatchStatement,
  options: DatabaseOptions = {},
): Promise<SessionDatabase> {
  const stop = isPostgres(url) ? watchClients(watch) : () => undefined
  const open = await findSqlite()
  const sqlite: typeof open = (path) => watchedConnection(open(path), watch)
  const database = await openDatabase(url, { ...options, sqlite })
  return { ...database, close: () => database.close().finally(stop) }
}

function watchedConnection(connection: SqliteConnection, watch: WatchStatement): SqliteConnection {
  let asked = 0
  return {
    prepare: (sql) =>
      watchedStatement(connection.prepare(sql), (when) => {
        const statement = { number: when === 'before' ? asked++ : asked - 1, sql }
        watch(when, statement)
      }),
    close: () => connection.close(),
  }
}

function watchedStatement(statement: SqliteStatement, watch: (when: StatementMoment) => void): SqliteStatement {
  function told<Result>(run: () => Result): Result {
    watch('before')
    const result = run()
    watch('after')
    return result
  }
  return {
    reader: statement.reader,
    all: (parameters) => told(() => statement.all(parameters)),
    run: (parameters) => told(() => statement.run(parameters)),
    iterate: (parameters) => told(() => statement.iterate(parameters)),
  }
}

type Query = (sql: unknown, ...rest: readonly unknown[]) => unknown

function watchClients(watch: WatchStatement): () => void {
  let asked = 0
  const prototype = pg.Client.prototype as { query: Query }
  const { query } = prototype
  prototype.query = function (this: unknown, sql, ...rest) {
    const statement = { number: asked++, sql: String(sql) }
    watch('before', statement)
    const answer = query.call(this, sql, ...rest)
    watch('sent', statement)
    return answer instanceof Promise ? answer.finally(() => watch('after', statement)) : answer
  }
  return () => {
    prototype.query = query
  }
}
