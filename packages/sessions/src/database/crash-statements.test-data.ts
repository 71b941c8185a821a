import pg from 'pg'
import { type DatabaseOptions, isPostgres, openDatabase, type SessionDatabase } from './open-database.ts'
import { findSqlite, type SqliteConnection, type SqliteStatement } from './sqlite-driver.ts'

/** Told of every statement that a database is asked, right before it and right after its answer. */
export type WatchStatement = (when: 'before' | 'after', sql: string) => void

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
  return {
    prepare: (sql) => watchedStatement(connection.prepare(sql), (when) => watch(when, sql)),
    close: () => connection.close(),
  }
}

function watchedStatement(statement: SqliteStatement, watch: (when: 'before' | 'after') => void): SqliteStatement {
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
  const prototype = pg.Client.prototype as { query: Query }
  const { query } = prototype
  prototype.query = function (this: unknown, sql, ...rest) {
    const text = String(sql)
    watch('before', text)
    const answer = query.call(this, sql, ...rest)
    return answer instanceof Promise ? answer.finally(() => watch('after', text)) : answer
  }
  return () => {
    prototype.query = query
  }
}
