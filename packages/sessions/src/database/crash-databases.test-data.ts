import { copyFile, rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type WatchStatement, watchedDatabase } from './crash-statements.test-data.ts'
import { isPostgres, openDatabase, type SessionDatabase } from './open-database.ts'
import type { TestDatabases } from './test-databases.test-data.ts'

/** A database for one process after the other. */
export interface ReusedDatabase {
  readonly url: string
  /** Makes it as it was at first: migrated, and empty. */
  reset(): Promise<void>
  /** Until nobody is there any more: a server needs a moment to see that a process died. */
  untilLeft(): Promise<void>
  remove(): Promise<void>
}

/** A new database with everything asked of it told to `watch`, for as long as `run` takes. */
export async function withDatabase(
  databases: TestDatabases,
  watch: WatchStatement,
  run: (database: SessionDatabase) => Promise<void>,
): Promise<void> {
  const { url, remove } = await databases.create()
  try {
    const database = await watchedDatabase(url, watch)
    await run(database).finally(() => database.close())
  } finally {
    await remove()
  }
}

export async function reusedDatabase(databases: TestDatabases): Promise<ReusedDatabase> {
  const { url, remove } = await databases.create()
  await (await openDatabase(url)).close()
  return isPostgres(url) ? reusedOnServer(url, remove) : reusedFile(url, remove)
}

async function reusedFile(path: string, remove: () => Promise<void>): Promise<ReusedDatabase> {
  const template = `${path}.template`
  await copyFile(path, template)
  return {
    url: path,
    async reset() {
      for (const suffix of ['', '-wal', '-shm']) await rm(`${path}${suffix}`, { force: true })
      await copyFile(template, path)
    },
    untilLeft: async () => undefined,
    remove,
  }
}

async function reusedOnServer(url: string, remove: () => Promise<void>): Promise<ReusedDatabase> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ names: string }>(`
    select string_agg(format('%I.%I', schemaname, tablename), ', ') as names
    from pg_tables where schemaname = 'palimpsest' and tablename not like '%migration%'`)
  return {
    url,
    async reset() {
      await client.query(`truncate ${rows[0]?.names} restart identity cascade`)
    },
    async untilLeft() {
      const others = 'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
      while (((await client.query(others)).rowCount ?? 0) > 0) await pause(2)
    },
    async remove() {
      await client.end()
      await remove()
    },
  }
}
