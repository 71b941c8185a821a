import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate as nextRound } from 'node:timers/promises'
import { inspect } from 'node:util'
import { Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { chainEntries } from '../log/entry-chain.ts'
import type { EntryBody } from '../log/session-entry.ts'
import { findSqlite } from '../sqlite/sqlite-driver.ts'
import { openDatabase, type SessionDatabase } from './open-database.ts'
import { findPostgres, postgresDialect, publicName } from './postgres-dialect.ts'
import { postgresLocks } from './postgres-locks.ts'
import type { Tables } from './schema.ts'
import { exampleEntry, exampleRecord } from './store-examples.test-data.ts'
import { postgresDatabases, rowsOf, testDatabases } from './test-databases.test-data.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-open-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a SQLite file', () => {
  it('is made with its folders, for its user alone', async () => {
    const path = join(folder, 'deep', 'er', 'sessions.db')
    const database = await openDatabase(path)
    await database.stores.records.commit('root', exampleRecord('k'))
    expect(database).toMatchObject({ kind: 'sqlite', name: path })
    for (const part of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(part).mode & 0o777).toBe(0o600)
    for (const part of [dirname(path), dirname(dirname(path))]) expect(statSync(part).mode & 0o777).toBe(0o700)
    await database.close()
  })

  it.skipIf(process.platform === 'win32')(
    'that was removed or replaced while it was open confirms nothing more',
    async () => {
      const path = join(folder, 'removed.db')
      const put = (database: SessionDatabase) => database.stores.artifacts.put('n', 'said')
      const first = await openDatabase(path)
      await put(first)
      for (const part of [path, `${path}-wal`, `${path}-shm`]) rmSync(part)
      await expect(put(first)).rejects.toMatchObject({
        code: 'effect-failed',
        message: expect.stringContaining('removed'),
      })
      const second = await openDatabase(path)
      await put(second)
      await expect(put(first)).rejects.toMatchObject({ code: 'effect-failed' })
      await first.close()
      await second.close()
      expect(await rowsOf(path, 'select key from artifacts')).toHaveLength(1)
    },
  )

  it('that its user made read-only stays so', async () => {
    const path = join(folder, 'kept.db')
    await (await openDatabase(path)).close()
    chmodSync(path, 0o444)
    await (await openDatabase(path)).close()
    expect(statSync(path).mode & 0o777).toBe(0o400)
  })

  it('that is open to others is closed to them, with what stands beside it', async () => {
    const path = join(folder, 'open.db')
    writeFileSync(path, '', { mode: 0o644 })
    const database = await openDatabase(path)
    for (const part of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(part).mode & 0o777).toBe(0o600)
    await database.close()
  })

  it('waits for the disk with each transaction, and keeps who belongs to whom', async () => {
    const path = join(folder, 'settings.db')
    const connections: unknown[] = []
    const open = await findSqlite()
    const database = await openDatabase(path, {
      sqlite: (file) => {
        const connection = open(file)
        connections.push(connection)
        return connection
      },
    })
    const [connection] = connections as [ReturnType<typeof open>]
    const asked = ['journal_mode', 'synchronous', 'foreign_keys'].map((name) =>
      Object.values(connection.prepare(`pragma ${name}`).all([])[0] as object).at(0),
    )
    expect(asked).toEqual(['wal', 2, 1])
    await database.close()
  })

  it('is waited for while another process writes, and everything else goes on meanwhile', async () => {
    const path = join(folder, 'busy.db')
    const database = await openDatabase(path)
    const other = (await findSqlite())(path)
    other.prepare('begin immediate').run([])
    const written: string[] = []
    const writing = database.stores.records.commit('root', exampleRecord('k')).then(({ key }) => written.push(key))
    // each round is one in which the process does other things; an attempt to write is made in some of them
    for (let round = 0; round < 100; round++) await nextRound()
    expect(written).toEqual([])
    other.prepare('commit').run([])
    other.close()
    await writing
    expect(written).toEqual(['k'])
    await database.close()
  })

  it('is refused where it is none of ours, and stays as it was', async () => {
    const text = join(folder, 'notes.txt')
    writeFileSync(text, 'Dear diary, this is no database at all. '.repeat(100), { mode: 0o644 })
    await expect(openDatabase(text)).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining(text),
    })
    expect(statSync(text).mode & 0o777).toBe(0o644)

    const foreign = join(folder, 'foreign.db')
    const connection = (await findSqlite())(foreign)
    connection.prepare('create table sessions (mine text)').run([])
    connection.close()
    await expect(openDatabase(foreign)).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('another program'),
    })
    expect(await rowsOf(foreign, "select name from sqlite_master where type = 'table'")).toEqual([{ name: 'sessions' }])
  })

  it('is refused where its path is a folder, whose modes stay', async () => {
    const path = join(folder, 'a-folder')
    mkdirSync(path, { mode: 0o755 })
    await expect(openDatabase(path)).rejects.toMatchObject({
      code: 'effect-failed',
      message: expect.stringContaining('it is a folder'),
    })
    expect(statSync(path).mode & 0o777).toBe(0o755)
  })

  it('may be named as sqlite:FILE', async () => {
    const path = join(folder, 'named.db')
    for (const url of [`sqlite:${path}`, `sqlite://${path}`]) {
      const database = await openDatabase(url)
      expect(database.name).toBe(path)
      await database.close()
    }
  })

  it.each([
    '',
    'sqlite:',
    'sqlite://host/db',
    'https://example.com/x',
    'mysql://me:hunter2@host/db',
    ':memory:',
    'a\0b',
  ])('%j is none', async (url) => {
    const error = await openDatabase(url).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'invalid-input' })
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2')
  })
})

describe('a PostgreSQL server', () => {
  const refused: readonly [string, (port: number) => string][] = [
    ['where nobody listens', () => 'postgres://me:hunter2@127.0.0.1:1/db'],
    ['where somebody else answers', (port) => `postgres://me:hunter2@127.0.0.1:${port}/db`],
    ['that has no such name', () => 'postgres://me:hunter2@no-such-host.invalid/db'],
  ]
  it.each(refused)('is told to be out of reach %s, without the password', async (_, url) => {
    const stranger = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.0\r\n'))
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    const { port } = stranger.address() as { port: number }
    const error = await openDatabase(url(port), { postgres: { connectTimeout: 2000 } }).catch((error: unknown) => error)
    stranger.close()
    expect(error).toMatchObject({
      code: 'effect-failed',
      message: expect.stringContaining('/db'),
      hint: expect.any(String),
    })
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2')
  })

  it.each(['postgres://me:hunter2@[bad/db', 'postgresql:'])('has an address that is one: %s is none', async (url) => {
    const error = await openDatabase(url).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'invalid-input' })
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2')
  })

  it('is named without user, password and options', () => {
    expect(publicName('postgres://me:hunter2@host:5433/db?password=hunter2')).toBe('postgres://host:5433/db')
  })
})

const postgres = await postgresDatabases()
describe.skipIf(postgres.skip)(`a PostgreSQL database ${postgres.skip ?? ''}`, () => {
  it('keeps its tables in a schema of its own, beside those of others', async () => {
    const { url, remove } = await postgres.create()
    await rowsOf(url, 'create table public.sessions (theirs text)')
    await rowsOf(url, 'create table public.migrations (theirs text)')
    const [one, two] = [await openDatabase(url), await openDatabase(url, { postgres: { schema: 'a "second" one' } })]
    await one.stores.records.commit('root', exampleRecord('k'))
    expect(await two.stores.records.list('root')).toEqual([])
    for (const database of [one, two]) await database.close()
    await remove()
  })

  it('is refused where its texts are not Unicode', async () => {
    const { url, remove } = await postgres.create()
    const latin = new URL(`${url}_latin`)
    const name = latin.pathname.slice(1)
    await rowsOf(url, `create database ${name} encoding 'LATIN1' locale 'C' template template0`)
    await expect(openDatabase(latin.href)).rejects.toMatchObject({
      code: 'invalid-input',
      hint: expect.stringContaining('UTF8'),
    })
    await rowsOf(url, `drop database ${name} with (force)`)
    await remove()
  })

  // left alone, such a connection lasts as long as the server's authentication_timeout: 60 seconds
  it('that asks for a password where none was given says so, and lets the process end', {
    timeout: 30_000,
  }, async () => {
    const { url, remove } = await postgres.create()
    const given = new URL(url)
    const sockets: Socket[] = []
    const between = createServer((socket) => {
      const server = connect(Number(given.port), given.hostname)
      server.on('error', () => socket.destroy())
      socket.on('error', () => server.destroy())
      socket.pipe(server).pipe(socket)
      sockets.push(socket)
    })
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
    const { port } = between.address() as { port: number }
    vi.stubEnv('PGPASSWORD', undefined)
    vi.stubEnv('PGPASSFILE', join(folder, 'no.pgpass'))
    await expect(openDatabase(`postgres://nobody@127.0.0.1:${port}/db`)).rejects.toMatchObject({
      message: expect.stringContaining('asks for a password'),
      hint: expect.stringContaining('PGPASSWORD'),
    })
    vi.unstubAllEnvs()
    expect(sockets.length).toBeGreaterThan(0)
    await new Promise<void>((resolve) => between.close(() => resolve())) // only once all its connections have ended
    await remove()
  })

  it('that is gone is an error of the call, without what was to be written', async () => {
    const { url, remove } = await postgres.create()
    const database = await openDatabase(url)
    await remove()
    const error = await database.stores.artifacts.put('n', 'my dearest secret').catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'effect-failed', message: expect.stringContaining(database.name) })
    expect(inspect(error, { depth: 9 })).not.toContain('dearest')
    await database.close()
  })

  it('whose connection breaks while a transaction has it ends that transaction alone', async () => {
    const { url, remove } = await postgres.create()
    const server = await findPostgres(url)
    const db = new Kysely<Tables>({ dialect: postgresDialect(server) })
    // nothing waits for an answer when it breaks: an error that nobody hears would end the process
    const broken = db.connection().execute(async (one) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(one)
      await rowsOf(url, `select pg_terminate_backend(${rows[0]?.pid}, 5000)`)
      return sql`select 1`.execute(one)
    })
    await expect(broken).rejects.toThrow()
    expect((await sql`select 1`.execute(db)).rows).toHaveLength(1)
    await db.destroy()
    await remove()
  })

  it('is asked for one lock after the other', async () => {
    const { url, remove } = await postgres.create()
    const server = await findPostgres(url)
    let [now, most] = [0, 0]
    const connect = async () => {
      const client = await server.connect()
      const query = client.query.bind(client) as (...asked: unknown[]) => Promise<unknown>
      const counted = async (...asked: unknown[]) => {
        most = Math.max(most, ++now)
        return query(...asked).finally(() => now--)
      }
      return Object.assign(client, { query: counted })
    }
    const locks = postgresLocks({ ...server, connect })
    const taken = ['a', 'b', 'c'].map((name) => locks.take(name, 'me'))
    expect(await Promise.all(taken)).toEqual([true, true, true])
    expect(most).toBe(1)
    await locks.close()
    await server.pool.end()
    await remove()
  })

  it('never tells the row that it refused', async () => {
    const { url, remove } = await postgres.create()
    const database = await openDatabase(url)
    await rowsOf(url, 'alter table artifacts add check (length(content) < 3)')
    const error = await database.stores.artifacts.put('n', 'my dearest secret').catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'effect-failed' })
    expect(inspect(error, { depth: 9 })).not.toContain('dearest')
    await database.close()
    await remove()
  })
})

for (const { name, skip, create } of await testDatabases()) {
  describe.skipIf(skip)(`one database for everything, ${name} ${skip ?? ''}`, () => {
    it('what one handle wrote is there for the next, in its namespace', async () => {
      const { url, remove } = await create()
      const one = await openDatabase(url)
      const started: EntryBody = { type: 'session-started', dialect: 'anthropic-messages', toolResults: 'full' }
      const log = chainEntries([started], { after: undefined, at: 1_700_000_000_000 })
      await one.sessions('mine').append('s', log)
      await one.stores.history.append({ namespace: 'mine', session: 's' }, [exampleEntry(0, 'said')])
      await one.close()
      const two = await openDatabase(url)
      expect(await two.sessions('mine').read('s')).toEqual(log)
      expect(await two.sessions().find('s')).toBeUndefined()
      expect(await two.stores.history.read({ namespace: 'mine', session: 's' })).toContain('said')
      expect(await two.stores.history.read({ namespace: '', session: 's' })).toBeUndefined()
      await two.close()
      await remove()
    })

    it('a store whose tables are of an older version says so', async () => {
      const { url, remove } = await create()
      const database = await openDatabase(url, { migrate: false })
      await expect(database.stores.records.list('root')).rejects.toMatchObject({
        code: 'effect-failed',
        message: expect.stringContaining('another version'),
        hint: expect.stringContaining('migrate up'),
      })
      await database.migrations.migrate('up')
      expect(await database.stores.records.list('root')).toEqual([])
      await database.close()
      await remove()
    })
  })
}
