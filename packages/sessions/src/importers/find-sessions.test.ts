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

test('sessions of clients are found, newest first; other files are not', async () => {
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

test('sessions are found where each client keeps them, and nothing beside them', async () => {
  await file('.gemini/tmp/hash/chats/session-2026-01-01T00-00-aaaaaaaa.jsonl', 8)
  await file('.gemini/tmp/hash/chats/session-2025-01-01T00-00-bbbbbbbb.json', 7)
  await file('.gemini/tmp/hash/chats/parent/session-sub.jsonl', 9)
  await file('.gemini/tmp/hash/logs.json', 9)
  await file('.local/share/opencode/opencode.db', 6)
  await file('.local/share/opencode/opencode.db-wal', 9)
  await file('.local/share/opencode/storage/session/project/ses_1.json', 5)
  await file('.local/share/opencode/storage/message/ses_1/msg_1.json', 9)
  await file('.copilot/session-state/0a1b2c3d-0000-4000-8000-000000000000/events.jsonl', 4)
  await file('.copilot/session-state/0a1b2c3d-0000-4000-8000-000000000000/workspace.yaml', 9)
  await file('.copilot/session-state/0a1b2c3d-1111-4000-8000-000000000000.jsonl', 3)
  const found = await findSessions(home, {})
  expect(found.map(({ client, modified }) => [client, modified / 1_000_000])).toEqual([
    ['gemini-cli', 8],
    ['gemini-cli', 7],
    ['opencode', 6],
    ['opencode', 5],
    ['copilot-cli', 4],
    ['copilot-cli', 3],
  ])
})

test('the variables of the clients name other places', async () => {
  await file('a/projects/p/one.jsonl', 3)
  await file('b/sessions/rollout-x.jsonl', 2)
  await file('c/sessions/p/two.jsonl', 1)
  await file('d/.gemini/tmp/p/chats/session-x.jsonl', 0.9)
  await file('e/opencode/opencode-dev.db', 0.8)
  await file('f/session-state/s/events.jsonl', 0.7)
  const environment = {
    CLAUDE_CONFIG_DIR: join(home, 'a'),
    CODEX_HOME: join(home, 'b'),
    PI_CODING_AGENT_DIR: join(home, 'c'),
    GEMINI_CLI_HOME: join(home, 'd'),
    XDG_DATA_HOME: join(home, 'e'),
    COPILOT_HOME: join(home, 'f'),
  }
  expect((await findSessions(join(home, 'nobody'), environment)).map(({ client }) => client)).toEqual([
    'claude-code',
    'codex',
    'pi',
    'gemini-cli',
    'opencode',
    'copilot-cli',
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
