// The databases that session logs are measured on: a SQLite file and a PostgreSQL server, each with what was asked of it and
// what it wrote. Both sides of a comparison use the same one: the same driver, the same syncs to disk.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@palimpsest/sessions/database'
import Sqlite from 'libsql'
import pg from 'pg'

/**
 * Runs with each kind of database that there is; says which one there is not. `postgres`: the address of a server, and none is
 * started. A measured database has `url`, `open()` as we do, `statements()` asked so far, `written()` bytes of its log so far,
 * `stored()` bytes that it takes up, and `remove()`.
 */
export async function withDatabases({ postgres, kinds = ['sqlite', 'postgres'] }, run) {
  const results = []
  if (kinds.includes('sqlite')) results.push(...(await run({ name: 'SQLite', create: createFile })))
  if (!kinds.includes('postgres')) return results
  const server = postgres === undefined ? await startOwnServer() : { url: postgres, stop: async () => undefined }
  if ('missing' in server) {
    console.log(`PostgreSQL is left out: ${server.missing}.`)
    return results
  }
  try {
    results.push(...(await run({ name: 'PostgreSQL', create: () => createOnServer(server.url) })))
  } finally {
    await server.stop()
  }
  return results
}

async function startOwnServer() {
  const { startServer } = await import('../packages/sessions/dist/database/postgres-server.test-data.js')
  return startServer({ durable: true })
}

async function createFile() {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'))
  const url = join(folder, 'log.db')
  const asked = { statements: 0 }
  return {
    url,
    open: () => openDatabase(url, { sqlite: (path) => counted(new Sqlite(path), asked) }),
    statements: () => asked.statements,
    /** The write-ahead log of one file; it begins anew where `settle` was called. */
    written: async () => statSync(`${url}-wal`).size,
    /** Takes what is in the write-ahead log into the file. */
    settle: async () => void pragma(url, 'wal_checkpoint(truncate)'),
    stored: async () => {
      pragma(url, 'wal_checkpoint(truncate)')
      return pragma(url, 'page_count') * pragma(url, 'page_size')
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

function pragma(path, text) {
  const connection = new Sqlite(path)
  try {
    const [row] = connection.prepare(`pragma ${text}`).all([])
    return Object.values(row)[0]
  } finally {
    connection.close()
  }
}

function counted(connection, asked) {
  return {
    close: () => connection.close(),
    prepare(sql) {
      const statement = connection.prepare(sql)
      const told = (method) => (parameters) => {
        asked.statements++
        return statement[method](parameters)
      }
      return { reader: statement.reader, all: told('all'), run: told('run'), iterate: told('iterate') }
    },
  }
}

async function createOnServer(server) {
  const name = `palimpsest_bench_${randomUUID().replaceAll('-', '')}`
  await askServer(server, `create database ${name} encoding 'UTF8' template template0`)
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  const [first, watch] = [sent, new pg.Client({ connectionString: url })]
  await watch.connect()
  const numberFrom = async (sql) => Number(Object.values((await query.call(watch, sql)).rows[0])[0])
  return {
    url,
    open: () => openDatabase(url),
    statements: () => sent - first,
    written: () => numberFrom(`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn`),
    settle: async () => undefined,
    stored: () => numberFrom('select pg_database_size(current_database())'),
    async remove() {
      await watch.end()
      await askServer(server, `drop database if exists ${name} with (force)`)
    },
  }
}

/** Statements of all clients of this process, save those that watch. */
let sent = 0
const { query } = pg.Client.prototype
pg.Client.prototype.query = function (...asked) {
  sent++
  return query.apply(this, asked)
}

async function askServer(url, sql) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}
