import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSqlite } from '../sqlite/sqlite-driver.ts'
import { userLine } from './claude-code/claude-session.test-data.ts'
import { readSessionFile } from './read-session-file.ts'
import { chunked, jsonLines, outline } from './session-text.test-data.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-read-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('a file is read from disk, its name plays no part', async () => {
  const path = join(folder, 'rollout-misleading.txt')
  await writeFile(path, jsonLines([userLine('u1', null, 'go')]))
  const session = await readSessionFile(path)
  expect(session.format).toBe('claude-code')
  expect(outline(session)).toEqual(['user:go'])
})

test('a dash is standard input', async () => {
  const standardInput = chunked(jsonLines([userLine('u1', null, 'go')]), 10)
  expect(outline(await readSessionFile('-', { standardInput }))).toEqual(['user:go'])
  await expect(readSessionFile('-', { standardInput: chunked('', 1) })).rejects.toMatchObject({
    message: 'standard input: The file is empty.',
  })
})

test('a missing file, a folder, and a file without a session are told apart', async () => {
  const missing = join(folder, 'missing.jsonl')
  await expect(readSessionFile(missing)).rejects.toMatchObject({
    code: 'effect-failed',
    message: `${missing}: there is no such file.`,
  })
  await expect(readSessionFile(folder)).rejects.toMatchObject({
    code: 'invalid-input',
    message: `${folder} is a directory.`,
  })
  const empty = join(folder, 'empty.jsonl')
  await writeFile(empty, '')
  await expect(readSessionFile(empty)).rejects.toMatchObject({
    code: 'invalid-input',
    message: `${empty}: The file is empty.`,
  })
  const words = join(folder, 'words.txt')
  await writeFile(words, 'words')
  await expect(readSessionFile(words)).rejects.toMatchObject({
    message: `${words}: Not JSON at line 1.`,
    hint: expect.stringContaining('Accepted are'),
  })
})

test('a database that holds no sessions of a known client is told from a text', async () => {
  const database = join(folder, 'other.db')
  const openSqlite = await findSqlite()
  const made = openSqlite(database)
  made.prepare('CREATE TABLE notes (id TEXT)').run([])
  made.close()
  await expect(readSessionFile(database)).rejects.toMatchObject({
    code: 'invalid-input',
    message: `${database} is a database, and none with sessions of a known client.`,
  })
})

test('whatever else the disk says is passed on, with the name of the file', async () => {
  const file = join(folder, 'file.jsonl')
  await writeFile(file, '{}')
  const below = join(file, 'below')
  await expect(readSessionFile(below)).rejects.toMatchObject({
    code: 'effect-failed',
    message: expect.stringMatching(/below: ENOTDIR/),
    cause: expect.any(Error),
  })
})
