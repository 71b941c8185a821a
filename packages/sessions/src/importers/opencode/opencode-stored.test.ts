import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSqlite } from '../../sqlite/sqlite-driver.ts'
import { readSessionFile } from '../read-session-file.ts'
import { itemsOf } from '../session-text.test-data.ts'
import { newestSessionsIn } from '../sessions-in-folder.ts'
import { answered, asked, type Said, sessionInfo, text, tool } from './opencode-session.test-data.ts'

const said = [asked(1, [text('go')]), answered(2, [text('one'), tool('a', 'red')])]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-opencode-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('the database', () => {
  let path: string
  beforeAll(async () => {
    path = join(folder, 'opencode.db')
    await writeDatabase(path)
  })

  test('gives its newest session that is no subagent’s, as an export of it would', async () => {
    const session = await readSessionFile(path)
    const exported = join(folder, 'export.json')
    await writeFile(exported, JSON.stringify({ info: sessionInfo, messages: said }))
    const same = await readSessionFile(exported)
    expect(itemsOf(session)).toEqual(itemsOf(same))
    expect(session).toMatchObject({ format: 'opencode', id: 'ses_1', cwd: '/p', title: 'A title', calls: same.calls })
    expect(session.bytes).toBeGreaterThan(1_000)
    expect(await newestSessionsIn(folder, 9)).toContain(path)
  })

  test('gives the session that is named, and says which there are', async () => {
    const older = await readSessionFile(path, { session: 'ses_0' })
    expect(itemsOf(older)).toEqual([{ role: 'user', content: [{ type: 'text', text: 'older' }] }])
    await expect(readSessionFile(path, { session: 'ses_x' })).rejects.toMatchObject({
      code: 'not-found',
      hint: 'Its newest are ses_1, ses_0, ses_sub.',
    })
  })

  test('loses only the rows that are damaged', async () => {
    const damaged = join(folder, 'damaged.db')
    await writeFile(damaged, await readFile(path))
    const database = (await findSqlite())(damaged)
    database.prepare("UPDATE message SET data = '{torn' WHERE id = 'msg_0001'").run([])
    database.prepare("UPDATE part SET data = 'torn' WHERE id = 'prt_2_0'").run([])
    database.close()
    const session = await readSessionFile(damaged)
    expect(itemsOf(session)).toHaveLength(2)
    expect(session.skipped).toEqual({ 'not JSON': { count: 2, lines: [1, 2] } })
  })

  test('is not changed by reading it', async () => {
    const before = await readFile(path)
    await readSessionFile(path)
    expect((await readFile(path)).equals(before)).toBe(true)
  })

  test('gives what opencode has just written while it runs, and is not changed by that either', async () => {
    const running = join(folder, 'opencode-running.db')
    await writeFile(running, await readFile(path))
    const database = (await findSqlite())(running)
    database.prepare('PRAGMA journal_mode = WAL').all([])
    database.prepare("INSERT INTO message VALUES ('msg_0003', 'ses_1', 1, 1, ?)").run(['{"role":"user"}'])
    database
      .prepare("INSERT INTO part VALUES ('prt_3', 'msg_0003', 'ses_1', 1, 1, ?)")
      .run([JSON.stringify(text('new'))])
    const before = await readFile(running)
    expect(itemsOf(await readSessionFile(running))).toContainEqual({ role: 'user', content: [text('new')] })
    expect((await readFile(running)).equals(before)).toBe(true)
    database.close()
  })

  test('of another client is none of it', async () => {
    const other = join(folder, 'crush.db')
    const database = (await findSqlite())(other)
    for (const table of ['session', 'message', 'part']) database.prepare(`CREATE TABLE ${table} (id TEXT)`).run([])
    database.close()
    await expect(readSessionFile(other)).rejects.toThrow('none with sessions of a known client')
  })
})

describe('the folder of older versions', () => {
  let data: string
  beforeAll(async () => {
    data = join(folder, 'older')
    const { id: _, ...info } = sessionInfo
    await file('session/p/ses_1.json', info)
    await file('session/p/ses_0.json', { ...info, time: { created: 0, updated: 0 } })
    await file('session/p/ses_sub.json', { ...info, parentID: 'ses_1', time: { created: 99, updated: 99 } })
    for (const { info, parts } of said) {
      // The ids are in the paths alone.
      await file(`message/ses_1/${info.id}.json`, { ...info, id: undefined, sessionID: undefined })
      for (const part of parts) await file(`part/${info.id}/${String(part.id)}.json`, { ...part, id: undefined })
    }
    await file('message/ses_0/msg_0000.json', { role: 'user', time: { created: 1 } })
    await file('part/msg_0000/prt_0.json', text('older'))
  })

  test('gives a session by its file, by its name, or the newest', async () => {
    for (const path of ['storage/session/p/ses_1.json', 'storage', '.']) {
      const session = await readSessionFile(join(data, path))
      expect(session).toMatchObject({ format: 'opencode', id: 'ses_1', cwd: '/p', title: 'A title' })
      expect(session.items.map(({ line }) => line)).toEqual([1, 2, 2])
      expect(session.bytes).toBeGreaterThan(100)
    }
    const older = await readSessionFile(data, { session: 'ses_0' })
    expect(itemsOf(older)).toEqual([{ role: 'user', content: [{ type: 'text', text: 'older' }] }])
    await expect(readSessionFile(data, { session: 'ses_x' })).rejects.toMatchObject({ code: 'not-found' })
  })

  test('loses only the files that are damaged', async () => {
    const torn = join(data, 'storage', 'message', 'ses_1', 'msg_0003.json')
    await writeFile(torn, '{"role":"us')
    const session = await readSessionFile(join(data, 'storage'))
    await rm(torn)
    expect(session.items).toHaveLength(3)
    expect(session.skipped).toEqual({ 'not JSON': { count: 1, lines: [3] } })
  })

  test('holds sessions that are found as such, those of subagents left out, and nothing else that is', async () => {
    const found = await newestSessionsIn(data, 99)
    expect(found.map((path) => path.slice(data.length + 1)).sort()).toEqual([
      'storage/session/p/ses_0.json',
      'storage/session/p/ses_1.json',
    ])
  })

  async function file(path: string, content: object): Promise<void> {
    const at = join(data, 'storage', path)
    await mkdir(dirname(at), { recursive: true })
    await writeFile(at, JSON.stringify(content))
  }
})

/** The tables of opencode as far as an importer reads them, with three sessions of which one is a subagent's. */
async function writeDatabase(path: string): Promise<void> {
  const database = (await findSqlite())(path)
  const run = (sql: string, ...values: unknown[]) => database.prepare(sql).run(values)
  run(
    'CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER)',
  )
  run('CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)')
  run(
    'CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)',
  )
  const session = (id: string, parent: string | null, updated: number) =>
    run('INSERT INTO session VALUES (?, ?, ?, ?, NULL, 1, ?)', id, parent, '/p', 'A title', updated)
  session('ses_0', null, 5)
  session('ses_1', null, 9)
  session('ses_sub', 'ses_1', 99)
  const store = (sessionId: string, messages: readonly Said[]) => {
    for (const { info, parts } of messages) {
      const { id, sessionID: _, ...data } = info
      run('INSERT INTO message VALUES (?, ?, 1, 1, ?)', id, sessionId, JSON.stringify(data))
      for (const { id: part, messageID: _m, sessionID: _s, ...content } of parts) {
        run('INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)', part, id, sessionId, JSON.stringify(content))
      }
    }
  }
  store('ses_1', said.toReversed())
  store('ses_0', [asked(0, [text('older')])])
  database.close()
}
