import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findSessions } from './find-sessions.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'palimpsest-home-'))
})
afterEach(() => rm(home, { recursive: true }))

test('sessions of the three clients are found, newest first; other files are not', async () => {
  await file('.claude/projects/-project/one.jsonl', 3)
  await file('.claude/projects/-project/agent-sub.jsonl', 9)
  await file('.claude/projects/-project/notes.txt', 9)
  await file('.claude/history.jsonl', 9)
  await file('.codex/sessions/2026/01/02/rollout-a.jsonl', 2)
  await file('.codex/archived_sessions/rollout-b.jsonl', 4)
  await file('.codex/sessions/index.jsonl', 9)
  await file('.pi/agent/sessions/--project--/two.jsonl', 1)
  const found = await findSessions(home, {})
  expect(found.map(({ client, path }) => [client, path.slice(home.length + 1)])).toEqual([
    ['codex', '.codex/archived_sessions/rollout-b.jsonl'],
    ['claude-code', '.claude/projects/-project/one.jsonl'],
    ['codex', '.codex/sessions/2026/01/02/rollout-a.jsonl'],
    ['pi', '.pi/agent/sessions/--project--/two.jsonl'],
  ])
  expect(found[0]).toMatchObject({ bytes: 4, modified: 4_000_000 })
})

test('the variables of the clients name other places', async () => {
  await file('a/projects/p/one.jsonl', 3)
  await file('b/sessions/rollout-x.jsonl', 2)
  await file('c/sessions/p/two.jsonl', 1)
  const environment = {
    CLAUDE_CONFIG_DIR: join(home, 'a'),
    CODEX_HOME: join(home, 'b'),
    PI_CODING_AGENT_DIR: join(home, 'c'),
  }
  expect((await findSessions(join(home, 'nobody'), environment)).map(({ client }) => client)).toEqual([
    'claude-code',
    'codex',
    'pi',
  ])
})

test('a home without sessions has none', async () => {
  expect(await findSessions(home, {})).toEqual([])
})

test('a folder that is a file is passed over', async () => {
  await file('.claude/projects', 1)
  await file('.codex/sessions/rollout-a.jsonl', 1)
  expect(await findSessions(home, {})).toHaveLength(1)
})

/** A file of four bytes, last changed at `thousands` of seconds. */
async function file(path: string, thousands: number): Promise<void> {
  const at = join(home, path)
  await mkdir(dirname(at), { recursive: true })
  await writeFile(at, '{}\n\n')
  await utimes(at, thousands * 1000, thousands * 1000)
}
