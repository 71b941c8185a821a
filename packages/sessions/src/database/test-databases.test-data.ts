import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { findSqlite } from '../sqlite/sqlite-driver.ts'
import { isPostgres } from './open-database.ts'
import type { PostgresAnswer } from './postgres-server.test-data.ts'

/** A kind of database that tests can have new ones of. */
export interface TestDatabases {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** Why tests on it are skipped. */
  readonly skip?: string
  /** A new, empty database, for one test or file alone. */
  create(): Promise<TestDatabase>
}

export interface TestDatabase {
  readonly url: string
  remove(): Promise<void>
}

/**
 * Both kinds. A server is started when this is first called, and shared by all tests of a run.
 *
 * @example for (const { name, skip, create } of await testDatabases()) describe.skipIf(skip)(`${name} ${skip ?? ''}`, …)
 */
export async function testDatabases(): Promise<readonly TestDatabases[]> {
  return [sqliteFiles, await postgresDatabases()]
}

export const sqliteFiles: TestDatabases = {
  name: 'SQLite',
  async create() {
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-sqlite-'))
    return {
      url: join(folder, 'sessions.db'),
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
}

export async function postgresDatabases(): Promise<TestDatabases> {
  const answer = await askForServer()
  if ('failed' in answer) throw new Error(answer.failed)
  const skip = 'missing' in answer ? answer.missing : undefined
  return {
    name: 'PostgreSQL',
    ...(skip !== undefined && { skip }),
    async create() {
      if ('missing' in answer) throw new Error(answer.missing)
      const name = `palimpsest_${randomUUID().replaceAll('-', '')}`
      await onServer(answer.url, `create database ${name} encoding 'UTF8' template template0`)
      const url = new URL(answer.url)
      url.pathname = `/${name}`
      return { url: url.href, remove: () => onServer(answer.url, `drop database if exists ${name} with (force)`) }
    },
  }
}

async function askForServer(): Promise<PostgresAnswer> {
  const starter = inject('postgresStarter') as string | undefined
  if (starter === undefined) return { missing: 'this run has no global setup that starts a PostgreSQL server' }
  return (await fetch(starter)).json() as Promise<PostgresAnswer>
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

/** All rows that a statement gives, past everything that is to be tested. */
export async function rowsOf(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  if (!isPostgres(url)) {
    const connection = (await findSqlite())(url)
    const rows = connection.prepare(sql).all([])
    connection.close()
    return rows as Record<string, unknown>[]
  }
  const client = new pg.Client({ connectionString: url, options: '-c search_path=palimpsest' })
  await client.connect()
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}
