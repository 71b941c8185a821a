import { describe, expect, test } from 'vitest'
import { importSessionText } from '../importers/import-session.ts'
import { chainEntries } from '../log/entry-chain.ts'
import { logOfImport } from '../log/log-of-import.ts'
import type { EntryBody, SessionEntry } from '../log/session-entry.ts'
import { exportSession } from './export-session.ts'
import { exportedOfImport } from './exported-of-import.ts'
import { exportedOfLog } from './exported-of-log.ts'
import type { ExportedSession } from './exported-session.ts'
import { IMPORTED_FILES } from './imported-files.test-data.ts'
import { linesOf, recordOf } from './session-files.test-data.ts'

const started: EntryBody = { type: 'session-started', dialect: 'anthropic-messages', model: 'm', toolResults: 'full' }
const usage = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, output: 1 })
const used = (input: number): EntryBody => ({
  type: 'usage-recorded',
  purpose: 'chat',
  usage: usage(input),
  model: 'm',
})

function said(position: number, role: string): EntryBody {
  return { type: 'message-appended', position, item: { role, content: `${role} ${position}` } }
}

function logOf(...bodies: readonly EntryBody[]): SessionEntry[] {
  return bodies.map((body, at) => ({ ...body, seq: at + 1, at: at * 1_000, hash: `${at}`.padStart(64, 'a') }))
}

describe('a log', () => {
  test('gives items with times and hashes, usage at the beginning of its answer, and what the session is', () => {
    const entries = logOf(
      { ...started, cwd: '/project', title: 'T', frame: { system: 'S' } },
      { type: 'turn-started' },
      said(0, 'user'),
      said(1, 'assistant'),
      used(10),
      { type: 'usage-recorded', purpose: 'summarize', usage: usage(99) },
      said(2, 'user'),
      said(3, 'assistant'),
      said(4, 'assistant'),
      used(20),
      { type: 'turn-ended', outcome: 'answered' },
    )
    const session = exportedOfLog('id', entries)
    expect(session).toMatchObject({
      id: 'id',
      cwd: '/project',
      title: 'T',
      model: 'm',
      frame: { system: 'S' },
      createdAt: 0,
    })
    expect(session.items[1]).toEqual({
      item: { role: 'assistant', content: 'assistant 1' },
      timestamp: 3_000,
      hash: entries[3]?.hash,
    })
    expect(session.calls.map(({ position, usage: { input } = { input: 0 } }) => [position, input])).toEqual([
      [1, 10],
      [3, 20],
    ])
  })

  test('of an imported session has usage behind the first item of an answer', () => {
    const begun: EntryBody = { ...started, type: 'session-started', imported: { format: 'codex' } } as EntryBody
    const entries = logOf(
      begun,
      said(0, 'user'),
      said(1, 'assistant'),
      used(10),
      said(2, 'assistant'),
      said(3, 'assistant'),
      used(20),
    )
    expect(exportedOfLog('id', entries).calls.map(({ position }) => position)).toEqual([1, 3])
  })

  test('is what it came to: what a rewind left behind is not there, and stands in the log', () => {
    const record = recordOf({ keptFrom: 1, length: 2, summary: 'S' })
    const entries = logOf(
      started,
      said(0, 'user'),
      said(1, 'assistant'),
      used(10),
      { type: 'compaction-applied', record },
      said(2, 'user'),
      { type: 'rewound', to: 2 },
      said(1, 'user'),
      { type: 'compaction-imported', trigger: 'auto', kind: 'opaque' },
    )
    const session = exportedOfLog('id', entries)
    expect(session.items.map(({ item }) => item)).toEqual([
      { role: 'user', content: 'user 0' },
      { role: 'user', content: 'user 1' },
    ])
    expect(session.calls).toEqual([])
    expect(session.compactions).toEqual([{ position: 2, trigger: 'auto', kind: 'opaque', timestamp: 8_000 }])
    expect(linesOf(exportSession(session, 'log').text)).toEqual(entries)
  })

  test('goes back to what an earlier rewind left behind, where it is told to', () => {
    const entries = logOf(
      started,
      said(0, 'user'),
      said(1, 'assistant'),
      { type: 'rewound', to: 2 },
      said(1, 'user'),
      { type: 'rewound', to: 3 },
      said(2, 'user'),
    )
    const roles = exportedOfLog('id', entries).items.map(({ item }) => (item as { role: string }).role)
    expect(roles).toEqual(['user', 'assistant', 'user'])
  })

  test('has records where they took force', () => {
    const record = recordOf({ keptFrom: 1, length: 2, summary: 'S' })
    const session = exportedOfLog(
      'id',
      logOf(started, said(0, 'user'), said(1, 'user'), { type: 'compaction-applied', record }),
    )
    expect(session.compactions).toEqual([{ kind: 'record', position: 2, record, timestamp: 3_000 }])
    const body = JSON.parse(exportSession(session, 'anthropic-messages', { view: 'view' }).text)
    expect(body.messages.map(({ content }: { content: unknown }) => JSON.stringify(content))).toEqual([
      expect.stringContaining('S'),
      '"user 1"',
    ])
  })

  test('that lacks its beginning is refused', () => {
    expect(() => exportedOfLog('id', logOf(said(0, 'user')))).toThrow('does not begin with its beginning')
  })
})

test.each(Object.entries(IMPORTED_FILES))(
  'an imported session of %s is exported from its log as from its file',
  (_format, file) => {
    const imported = importSessionText(file)
    const entries: SessionEntry[] = []
    for (const { body, at } of logOfImport(imported))
      entries.push(...chainEntries([body], { after: entries.at(-1), at }))
    const told = ({ items, calls, compactions, dialect, cwd, title }: ExportedSession) => ({
      about: { dialect, cwd, title },
      items: items.map(({ item, injected }) => ({ item, injected })),
      calls: calls.flatMap(({ position, usage, model }) => (usage === undefined ? [] : [{ position, usage, model }])),
      compactions: compactions.map(({ timestamp, ...compaction }) => compaction),
    })
    expect(told(exportedOfLog('id', entries))).toEqual(told(exportedOfImport(imported)))
  },
)
