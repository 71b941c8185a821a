import { dialectByName } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { corpusFiles, hasCorpus } from '../importers/corpus.test-data.ts'
import { importSessionText } from '../importers/import-session.ts'
import type { ImportedSession } from '../importers/imported-session.ts'
import { readSessionFile } from '../importers/read-session-file.ts'
import { chainEntries } from './entry-chain.ts'
import { foldEntries } from './fold-session.ts'
import { logOfImport, type TimedBody } from './log-of-import.ts'
import type { SessionEntry } from './session-entry.ts'

const USAGE = { input: 100, cacheRead: 60, cacheWrite: 30, output: 7 }

function imported(items: number, more: Partial<ImportedSession> = {}): ImportedSession {
  return {
    format: 'claude-code',
    dialect: 'anthropic-messages',
    items: Array.from({ length: items }, (_, n) => ({
      item: { role: n % 2 === 0 ? 'user' : 'assistant', content: `said ${n}` },
      line: n + 1,
      timestamp: 1_000 + n,
    })),
    calls: Array.from({ length: Math.floor(items / 2) }, (_, n) => ({ position: 2 * n + 1, usage: USAGE, model: 'm' })),
    compactions: [],
    skipped: {},
    lines: items,
    bytes: 0,
    ...more,
  }
}

function entriesOf(bodies: readonly TimedBody[]): readonly SessionEntry[] {
  const log: SessionEntry[] = []
  for (const { body, at } of bodies) log.push(...chainEntries([body], { after: log.at(-1), at }))
  return log
}

function types(bodies: readonly TimedBody[]): readonly string[] {
  return bodies.map(({ body }) => (body.type === 'message-appended' ? `${body.position}` : body.type))
}

describe('the log of an import', () => {
  it('has messages, usage and compactions in their places, at their times', () => {
    const log = logOfImport(
      imported(4, {
        id: 'abc',
        cwd: '/work',
        title: 'a title',
        items: imported(4).items.with(2, { item: { role: 'user', content: 'reminder' }, line: 3, injected: true }),
        compactions: [
          { position: 2, trigger: 'auto', kind: 'summary', summary: 'so far', keptFrom: 1 },
          { position: 4, trigger: 'unknown', kind: 'opaque' },
        ],
      }),
    )
    expect(types(log)).toEqual([
      'session-started',
      '0',
      '1',
      'usage-recorded',
      'compaction-imported',
      '2',
      '3',
      'usage-recorded',
      'compaction-imported',
    ])
    expect(log.map(({ at }) => at)).toEqual([1000, 1000, 1001, 1001, 1001, 1001, 1003, 1003, 1003])
    expect(log[0]?.body).toEqual({
      type: 'session-started',
      dialect: 'anthropic-messages',
      model: 'm',
      cwd: '/work',
      title: 'a title',
      toolResults: 'full',
      imported: { format: 'claude-code', id: 'abc' },
    })
    expect(log[5]?.body).toMatchObject({ injected: true })
    const { snapshot } = foldEntries(entriesOf(log))
    expect(snapshot).toMatchObject({ length: 4, lastInputTokens: 100, usage: { chat: { calls: 2, input: 200 } } })
  })

  it('of a file that has grown begins with that of the file before, checkpoints included', () => {
    const whole = entriesOf(logOfImport(imported(1_000)))
    for (const items of [2, 399, 700]) {
      const before = entriesOf(logOfImport(imported(items, { calls: imported(1_000).calls.slice(0, items / 2) })))
      expect(before.map(({ hash }) => hash)).toEqual(whole.slice(0, before.length).map(({ hash }) => hash))
    }
    const checkpoints = whole.filter(({ type }) => type === 'checkpoint')
    expect(checkpoints.length).toBeGreaterThan(1)
    const [first] = checkpoints
    if (first?.type !== 'checkpoint') throw new Error('There is no checkpoint.')
    const rest = foldEntries(whole.slice(first.seq), { snapshot: first.state, place: first })
    expect(rest.snapshot).toEqual(foldEntries(whole).snapshot)
  })

  it('of a request keeps all but the items as its frame, and leading system messages in it', () => {
    const request = {
      model: 'gpt-5',
      tools: [{ type: 'function', function: { name: 'run', parameters: {} } }],
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'hi' },
      ],
    }
    const log = logOfImport(importSessionText(JSON.stringify(request)), { at: 5 })
    expect(types(log)).toEqual(['session-started', '0', '1'])
    expect(log.map(({ at }) => at)).toEqual([5, 5, 5])
    const { started } = foldEntries(entriesOf(log)).snapshot
    expect(started.frame).toEqual({ ...request, messages: request.messages.slice(0, 1) })
    const chat = dialectByName('openai-chat')
    const items = log.flatMap(({ body }) => (body.type === 'message-appended' ? [body.item as object] : []))
    expect(chat.close(started.frame, { ...chat.open(started.frame), items })).toEqual(request)
  })

  it('of a session that begins with a system message keeps that apart from what was said', () => {
    const items = [
      { type: 'system', content: 'be brief' },
      { type: 'human', content: 'hello' },
    ].map((item, n) => ({ item, line: n + 1 }))
    const log = logOfImport(imported(0, { dialect: 'langchain', items }))
    expect(types(log)).toEqual(['session-started', '0'])
    expect(log[0]?.body).toMatchObject({ frame: { messages: [{ type: 'system', content: 'be brief' }] } })
  })

  it.skipIf(!hasCorpus)(
    'of recorded sessions is sound and has every message (skipped without the recordings)',
    async () => {
      const files = ['claude-code', 'codex-rollout', 'pi-session', 'openai-chat'].flatMap((folder) =>
        corpusFiles(folder).slice(0, 3),
      )
      expect(files.length).toBeGreaterThan(4)
      for (const file of files) {
        const session = await readSessionFile(file.path)
        const entries = entriesOf(logOfImport(session))
        const { snapshot, messages } = foldEntries(entries)
        const leading = session.items.length - snapshot.length
        expect(messages.map(({ item }) => item)).toEqual(session.items.slice(leading).map(({ item }) => item))
        expect(snapshot.usage.chat.calls).toBe(session.calls.filter(({ usage }) => usage !== undefined).length)
      }
    },
  )
})
