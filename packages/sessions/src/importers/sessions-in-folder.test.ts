import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { userLine } from './claude-code/claude-session.test-data.ts'
import { jsonLines } from './session-text.test-data.ts'
import { newestSessionsIn } from './sessions-in-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-folder-'))
})
afterEach(() => rm(folder, { recursive: true }))

const claude = jsonLines([{ type: 'unheard-of' }, userLine('u1', null, 'go')])
const pi = jsonLines([{ type: 'session', version: 3, id: 'S', timestamp: '2026-01-01T00:00:00Z' }])

test('the newest sessions of a folder are told by their content, however deep they are', async () => {
  await file('a/b/c/old.jsonl', 1, claude)
  await file('new.jsonl', 4, pi)
  await file('a/middle.jsonl', 2, claude)
  await file('a/agent-1.jsonl', 9, claude)
  await file('node_modules/x/y.jsonl', 9, claude)
  await file('data.jsonl', 9, '{"role":"user","content":"a data set"}\n')
  await file('words.jsonl', 9, 'no JSON')
  await file('session.txt', 9, claude)
  const found = async (most: number) =>
    (await newestSessionsIn(folder, most)).map((path) => path.slice(folder.length + 1))
  expect(await found(2)).toEqual(['new.jsonl', 'a/middle.jsonl'])
  expect(await found(9)).toEqual(['new.jsonl', 'a/middle.jsonl', 'a/b/c/old.jsonl'])
})

test('sessions that are documents are told apart from other JSON, also where they are long', async () => {
  const message = { id: 'm', timestamp: 't', type: 'user', content: 'x'.repeat(1_000) }
  const messages = Array.from({ length: 400 }, (_, at) => ({ ...message, id: `m${at}` }))
  await file('long.json', 3, JSON.stringify({ sessionId: 'S', projectHash: 'H', messages }, null, 2))
  await file('short.json', 2, JSON.stringify({ sessionId: 'S', projectHash: 'H', messages: [message] }))
  await file('package.json', 9, '{"name":"x","version":"1.0.0"}')
  await file('request.json', 9, JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] }))
  await file('other.db', 9, 'SQLite format 3\0 and no more')
  const found = await newestSessionsIn(folder, 9)
  expect(found.map((path) => path.slice(folder.length + 1))).toEqual(['long.json', 'short.json'])
})

test('a folder that is not there has none', async () => {
  expect(await newestSessionsIn(join(folder, 'gone'), 3)).toEqual([])
})

async function file(path: string, thousands: number, content: string): Promise<void> {
  const at = join(folder, path)
  await mkdir(dirname(at), { recursive: true })
  await writeFile(at, content)
  await utimes(at, thousands * 1000, thousands * 1000)
}
