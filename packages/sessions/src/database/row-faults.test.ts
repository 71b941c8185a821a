import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CrashAgent, NAMESPACE, SESSION } from './crash-session.test-data.ts'
import { openDatabase, type SessionDatabase } from './open-database.ts'
import { rowsOf, type TestDatabase, testDatabases } from './test-databases.test-data.ts'

/** By hand: a change of one row, how it is taken back, and the table and words in which it is told. */
const CHANGES: readonly (readonly [table: string, column: string, value: string, where: string, told: RegExp])[] = [
  ['sessions', 'digest', `digest || 'a'`, 'number = 1', /column digest/],
  ['sessions', 'namespace', `'other'`, 'number = 1', /column digest/],
  ['sessions', 'namespace_digest', `'other'`, 'number = 1', /column namespace_digest/],
  ['sessions', 'id', `'other'`, 'number = 1', /column digest/],
  ['sessions', 'tool_results', `'fill'`, 'number = 1', /column tool_results/],
  ['records', 'digest', `digest || 'a'`, 'number = 1', /column digest/],
  ['records', 'root', `'other'`, 'number = 1', /column root_digest/],
  ['records', 'root_digest', `'other'`, 'number = 1', /column root_digest/],
  ['records', 'key', `'other'`, 'number = 1', /column key/],
  [
    'records',
    'record',
    `replace(record, '"extent":', '"extent":1')`,
    'number = 1',
    /not the record that a session applied/,
  ],
  ['records', 'record', `'{'`, 'number = 1', /no JSON/],
  ['artifacts', 'namespace', `'other'`, 'true', /column namespace_digest/],
  ['artifacts', 'content', `content || 'a'`, 'true', /content is not the one/],
  ['histories', 'digest', `digest || 'a'`, 'number = 1', /column digest/],
  ['histories', 'session', `'other'`, 'number = 1', /column digest/],
  ['limits', 'model', `'other'`, 'true', /column digest/],
]

const ENTRIES: readonly (readonly [column: string, value: string, seq: number, told: RegExp])[] = [
  ['type', `'checkpoint'`, 5, /^its column type says checkpoint, and its body /],
  ['position', 'position + 1', 2, /^its column position says \d+, and its body /],
  ['messages', 'messages + 1', 7, /^its column messages says \d+, and there are /],
  ['body', `'{"type":"turn-'`, 9, /no JSON/],
]

for (const { name, skip, create } of await testDatabases()) {
  describe.skipIf(skip)(`what was changed by hand, ${name} ${skip ?? ''}`, () => {
    let test: TestDatabase
    let database: SessionDatabase
    let messages: readonly number[]
    beforeAll(async () => {
      test = await create()
      database = await openDatabase(test.url)
      await (await CrashAgent.open({ sessions: database.sessions(NAMESPACE), stores: database.stores })).run()
      const limit = { namespace: NAMESPACE, upstream: 'u', model: 'm' }
      await database.stores.limits.learn(limit, { window: 1000, at: Date.now() })
      const rows = await rowsOf(test.url, `select seq from entries where type = 'message-appended' order by seq`)
      messages = rows.map(({ seq }) => Number(seq))
    })
    afterAll(async () => {
      await database.close()
      await test.remove()
    })

    it('is nothing', async () => {
      expect(await database.verify()).toEqual([])
      expect(await database.verify({ namespace: NAMESPACE, id: SESSION })).toEqual([])
    })

    it.each(CHANGES)('is told of %s.%s (%s)', async (table, column, value, where, told) => {
      const changed = await undone(table, { column, value, where }, () => database.verify())
      const found = changed.filter((fault) => fault.table === table)
      expect(found.map(({ what }) => what)).toContainEqual(expect.stringMatching(told))
      expect(await database.verify()).toEqual([])
    })

    it.each(ENTRIES)('is told of entries.%s (%s), at its entry alone', async (column, value, at, told) => {
      const seq = column === 'position' ? messages[at] : at
      const session = { namespace: NAMESPACE, id: SESSION }
      const changed = await undone('entries', { column, value, where: `seq = ${seq}` }, () => database.verify(session))
      expect(changed[0]).toEqual({ table: 'entries', row: `entry ${seq}`, what: expect.stringMatching(told) })
      // the next one is measured by it
      expect(changed.length).toBeLessThanOrEqual(2)
    })

    it('an entry that is no JSON is a clear error, which quotes nothing of it', async () => {
      const change = { column: 'body', value: `'{"secret":"hunter2'`, where: 'seq = 9' }
      const error = await undone('entries', change, () =>
        database
          .sessions(NAMESPACE)
          .read(SESSION)
          .catch((error: unknown) => error),
      )
      expect(error).toMatchObject({ code: 'invalid-input', message: expect.stringContaining('Entry 9') })
      expect(String((error as Error).cause)).not.toContain('hunter2')
    })

    it('a record that is no JSON is left out, and made again', async () => {
      const [{ root } = { root: '' }] = await rowsOf(test.url, 'select root from records where number = 1')
      const { records } = database.stores
      const [first, ...rest] = await records.list(String(root))
      await rowsOf(test.url, `update records set record = '{' where number = 1${RETURNING}`)
      expect(await records.list(String(root))).toEqual(rest)
      if (first !== undefined) expect(await records.commit(String(root), first)).toEqual(first)
      expect(await records.list(String(root))).toEqual([first, ...rest])
    })

    it.runIf(name === 'SQLite')('texts of histories are told by the index of their words', async () => {
      const change = { column: 'markdown', value: `replace(markdown, 'Task', 'Mask')`, where: `markdown like '%Task%'` }
      const changed = await undone('history_entries', change, () => database.verify())
      expect(changed).toEqual([{ table: 'history_entries', what: expect.stringContaining('index of words') }])
    })

    it.runIf(name === 'SQLite')('damaged pages are told by the file', async () => {
      await rowsOf(test.url, 'pragma wal_checkpoint(truncate)')
      const [{ rootpage } = { rootpage: 0 }] = await rowsOf(
        test.url,
        "select rootpage from sqlite_master where name = 'artifacts'",
      )
      const damaged = join(dirname(test.url), 'damaged.db')
      copyFileSync(test.url, damaged)
      const file = openSync(damaged, 'r+')
      writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, 4096 * (Number(rootpage) - 1))
      closeSync(file)
      const opened = await openDatabase(damaged)
      const found = await opened.verify()
      expect(found.map(({ table, what }) => `${table} ${what}`).join()).toMatch(/artifacts|page/)
      await opened.close()
    })

    async function undone<Result>(table: string, change: Change, run: () => Promise<Result>): Promise<Result> {
      const { column, value, where } = change
      const key = table === 'entries' ? 'seq' : table === 'limits' ? 'size' : table === 'artifacts' ? 'key' : 'number'
      const kept = await rowsOf(test.url, `select ${key}, ${column} from ${table} where ${where}`)
      expect(kept.length).toBeGreaterThan(0)
      await rowsOf(test.url, `update ${table} set ${column} = ${value} where ${where}${RETURNING}`)
      try {
        return await run()
      } finally {
        for (const row of kept) {
          const old = typeof row[column] === 'number' ? row[column] : `'${String(row[column]).replaceAll("'", "''")}'`
          const at = typeof row[key] === 'number' ? row[key] : `'${row[key]}'`
          await rowsOf(test.url, `update ${table} set ${column} = ${old} where ${key} = ${at}${RETURNING}`)
        }
      }
    }
  })
}

interface Change {
  readonly column: string
  readonly value: string
  readonly where: string
}

/** The one way in which drivers give rows. */
const RETURNING = ' returning 1'
