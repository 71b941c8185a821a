import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeLaws } from 'palimpsest/stores/laws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../database/open-database.ts'
import {
  adaptNodeSqlite,
  findSqlite,
  type NodeSqliteDatabase,
  type OpenSqlite,
  packagedSqlite,
  runtimeSqlite,
} from './sqlite-driver.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-driver-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

it('the SQLite of the runtime comes first, and is the package where there is none', async () => {
  const connection = (await findSqlite())(join(folder, 'found.db'))
  expect(connection.prepare('select 1 as one').all([])).toEqual([expect.objectContaining({ one: 1 })])
  connection.close()
})

const drivers: readonly [string, OpenSqlite | undefined, string][] = [
  ['node:sqlite', runtimeSqlite(), 'this Node.js has no node:sqlite'],
  ['libsql', await packagedSqlite(), 'the package libsql is not installed'],
  ['calls as in node:sqlite', await likeNodeSqlite(true), 'the package libsql is not installed'],
  [
    'calls as in the first node:sqlite, without columns()',
    await likeNodeSqlite(false),
    'the package libsql is not installed',
  ],
]

for (const [name, open, missing] of drivers) {
  describe.skipIf(open === undefined)(open === undefined ? `${name}: ${missing}` : name, () => {
    if (open === undefined) return
    it('tells what gives rows, and how many others changed', () => {
      const connection = open(join(folder, `${name.replace(/\W/g, '-')}.db`))
      const say = (sql: string) => connection.prepare(sql)
      expect(say('create table t (a, b real)').reader).toBe(false)
      say('create table t (a, b real)').run([])
      expect(Number(say('insert into t values (?, ?), (?, ?)').run(['x', 1.5, null, 2 ** 53 - 1]).changes)).toBe(2)
      for (const sql of ['select * from t', 'with u as (select 1) select * from u', 'pragma user_version']) {
        expect(say(sql).reader).toBe(true)
      }
      expect(say('insert into t values (1, 2) returning a').reader).toBe(true)
      for (const sql of ['begin immediate', 'update t set a = 1', 'delete from t']) expect(say(sql).reader).toBe(false)
      const rows = say('select a, b from t')
        .all([])
        .map((row) => ({ ...(row as object) }))
      expect(rows).toEqual([
        { a: 'x', b: 1.5 },
        { a: null, b: 2 ** 53 - 1 },
      ])
      expect([...say('select a from t where a = ?').iterate(['x'])]).toHaveLength(1)
      connection.close()
    })

    storeLaws(
      name,
      async (now) => {
        const path = join(folder, `laws-${name.replace(/\W/g, '-')}.db`)
        const handles = [
          await openDatabase(path, { now, sqlite: open }),
          await openDatabase(path, { now, sqlite: open }),
        ] as const
        const given = handles.values()
        return {
          connect: () => (given.next().value ?? handles[0]).stores,
          async close() {
            for (const handle of handles) await handle.close()
          },
        }
      },
      { runs: 5 },
    )
  })
}

/** A database that is called as `node:sqlite` is, on a Node.js that has none. */
async function likeNodeSqlite(columns: boolean): Promise<OpenSqlite | undefined> {
  const open = await packagedSqlite()
  if (open === undefined) return undefined
  return (path) => {
    const connection = open(path)
    const database: NodeSqliteDatabase = {
      prepare(sql) {
        const statement = connection.prepare(sql)
        return {
          all: (...parameters) => statement.all(parameters),
          run: (...parameters) => statement.run(parameters),
          iterate: (...parameters) => statement.iterate(parameters),
          ...(columns && { columns: () => (statement.reader ? ['some'] : []) }),
        }
      },
      close: () => connection.close(),
    }
    return adaptNodeSqlite(database)
  }
}
