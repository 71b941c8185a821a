import { setTimeout as pause } from 'node:timers/promises'
import type { SqliteConnection } from '../sqlite/sqlite-driver.ts'

/** Milliseconds for which SQLite itself waits for another process. Nothing else runs in this one meanwhile, so they are few. */
export const BUSY_TIMEOUT = 50
/** Milliseconds between two attempts, in which everything else runs. */
const BUSY_PAUSE = 10
/** About half a minute: longer than any transaction of another process, save one that migrates very much. */
const BUSY_ATTEMPTS = 500

/** What a statement gave. */
export interface SqliteOutcome {
  readonly rows: readonly object[]
  /** Undefined where it gives rows. */
  readonly changed?: { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
}

/**
 * Runs one statement, again and again while other processes have what it needs. Within a transaction of ours that can write,
 * nobody else has.
 */
export async function runPatiently(
  connection: SqliteConnection,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<SqliteOutcome> {
  const statement = await whileBusy(() => connection.prepare(sql))
  // one statement for all attempts: a driver leaves one that failed half done, and no transaction ends beside it
  return whileBusy(() =>
    statement.reader
      ? { rows: statement.all(parameters) as object[] }
      : { rows: [], changed: statement.run(parameters) },
  )
}

async function whileBusy<Result>(run: () => Result): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return run()
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
