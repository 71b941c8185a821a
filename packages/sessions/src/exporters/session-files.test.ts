import { describe, expect, test } from 'vitest'
import { importSessionText } from '../importers/import-session.ts'
import type { Fields } from '../importers/json-fields.ts'
import { itemsOf } from '../importers/session-text.test-data.ts'
import { exportSession } from './export-session.ts'
import type { ExportedCompaction, ExportedSession } from './exported-session.ts'
import { linesOf, recordOf, replayClaudeCode, replayPi, TEN_MESSAGES } from './session-files.test-data.ts'

const FILES = [
  ['claude-code', replayClaudeCode],
  ['pi', replayPi],
] as const

const ALL = ['q0', 'a1', 'q2', 'a3+call t1', 'result t1', 'a5', 'q6', 'a7', 'q8', 'a9']

function withCompactions(...compactions: ExportedCompaction[]): ExportedSession {
  return { ...TEN_MESSAGES, compactions }
}

function ours(position: number, facts: { keptFrom: number; summary: string; keep?: number }): ExportedCompaction {
  return { kind: 'record', position, record: recordOf({ ...facts, length: position }) }
}

describe.each(FILES)('a file of %s', (format, replay) => {
  const written = (session: ExportedSession) => exportSession(session, format)
  const replayed = (session: ExportedSession) => replay(linesOf(written(session).text))

  test('is read back with its items, usage, model, folder and title, and nothing is lost', () => {
    const { text, losses } = written(TEN_MESSAGES)
    const read = importSessionText(text)
    expect(losses).toEqual([])
    expect(read).toMatchObject({ format, id: TEN_MESSAGES.id, cwd: '/project', title: 'Ten messages', skipped: {} })
    expect(itemsOf(read)).toEqual(TEN_MESSAGES.items.map(({ item }) => item))
    expect(read.items.map(({ timestamp }) => timestamp)).toEqual(TEN_MESSAGES.items.map(({ timestamp }) => timestamp))
    const recorded = read.calls.filter(({ usage }) => usage !== undefined)
    expect(recorded.map(({ position, usage, model }) => ({ position, usage, model }))).toEqual(TEN_MESSAGES.calls)
  })

  test('takes moments that no date reaches', () => {
    const items = TEN_MESSAGES.items.map((item, at) => ({ ...item, timestamp: (at % 2 ? 1 : -1) * 9e15 }))
    expect(replayed({ ...TEN_MESSAGES, createdAt: 9e15, items })).toEqual(ALL)
  })

  test('is the same text every time', () => {
    expect(written(TEN_MESSAGES).text).toBe(written(structuredClone(TEN_MESSAGES)).text)
  })

  test('without a compaction the client goes on with everything', () => {
    expect(replayed(TEN_MESSAGES)).toEqual(ALL)
  })

  test('behind a compaction of ours the client sees the summary, what was kept, and what came later', () => {
    const session = withCompactions(ours(8, { keptFrom: 6, summary: 'SUMMARY' }))
    expect(replayed(session)).toEqual(['SUMMARY', 'q6', 'a7', 'q8', 'a9'])
    const read = importSessionText(written(session).text)
    expect(itemsOf(read)).toEqual(TEN_MESSAGES.items.map(({ item }) => item))
    expect(read.compactions).toEqual([
      {
        position: 8,
        trigger: 'auto',
        kind: 'summary',
        tokensBefore: 150_000,
        tokensAfter: 20_000,
        keptFrom: 6,
        summary: 'SUMMARY',
      },
    ])
  })

  test('of several compactions the newest counts, also where it keeps what stood before the one before', () => {
    const first = ours(6, { keptFrom: 2, summary: 'ONE' })
    expect(replayed(withCompactions(first, ours(8, { keptFrom: 6, summary: 'TWO' })))).toEqual([
      'TWO',
      'q6',
      'a7',
      'q8',
      'a9',
    ])
    expect(replayed(withCompactions(first, ours(8, { keptFrom: 5, summary: 'TWO' })))).toEqual(['TWO', ...ALL.slice(5)])
    expect(importSessionText(written(withCompactions(first, first)).text).compactions).toHaveLength(2)
  })

  test('at the very end, where nothing came behind, the summary is the last message', () => {
    const session = withCompactions(ours(10, { keptFrom: 10, summary: 'END' }))
    expect(replayed(session)).toEqual(['END'])
    const { compactions } = importSessionText(written(session).text)
    expect(compactions).toMatchObject([{ position: 10, summary: 'END' }])
    expect(compactions[0]).not.toHaveProperty('keptFrom')
  })

  test('compactions of another client stand at their places, as they were', () => {
    const imported = [
      { position: 2, trigger: 'manual', kind: 'summary', tokensBefore: 9, tokensAfter: 3, keptFrom: 1, summary: 'S' },
      { position: 5, trigger: 'unknown', kind: 'summary', tokensBefore: 7, summary: 'T' },
      { position: 6, trigger: 'auto', kind: 'micro', tokensBefore: 8, tokensAfter: 6 },
      { position: 7, trigger: 'unknown', kind: 'opaque' },
    ] as const
    const { text, losses } = written(withCompactions(...imported))
    expect(importSessionText(text).compactions).toEqual(imported)
    expect(losses).toContainEqual({
      what: 'encrypted compaction of the client (its place is marked)',
      count: 1,
      positions: [7],
    })
  })

  test('an encrypted compaction hides nothing: there is no summary to stand for what was before', () => {
    expect(replayed(withCompactions({ position: 6, trigger: 'auto', kind: 'opaque' }))).toEqual(ALL)
  })

  test('edits of kept messages have no place in a marker: that is told', () => {
    const record = recordOf({ keptFrom: 4, length: 8, summary: 'S' })
    const truncated = { message_index: 4, part: 0, kept_head: 1, kept_tail: 1, of: 5 }
    const plan = { ...record.plan, truncations: [truncated] }
    const { losses } = written(withCompactions({ kind: 'record', position: 8, record: { ...record, plan } }))
    expect(losses).toEqual([{ what: 'edit of a message that a compaction kept', count: 1, positions: [4] }])
  })

  test('a plan that only cuts contents is a marker that hides nothing', () => {
    const record = { ...recordOf({ keptFrom: 0, length: 8, summary: '' }), plan: { offloads: [{ message_index: 4 }] } }
    const session = withCompactions({ kind: 'record', position: 8, record })
    expect(replayed(session)).toEqual(ALL)
    expect(importSessionText(written(session).text).compactions).toMatchObject([{ position: 8, kind: 'micro' }])
  })

  test('the transcript has no markers; the view has what a model is sent', () => {
    const session = withCompactions(ours(8, { keptFrom: 6, summary: 'SUMMARY' }))
    const items = (view: 'transcript' | 'view') => importSessionText(exportSession(session, format, { view }).text)
    expect(itemsOf(items('transcript'))).toHaveLength(10)
    expect(items('transcript').compactions).toEqual([])
    const view = linesOf(exportSession(session, format, { view: 'view' }).text)
    expect(replay(view)).toEqual(['SUMMARY', 'q6', 'a7', 'q8', 'a9'])
  })
})

test('Claude Code names what was kept one by one where it is no stretch', () => {
  const session = withCompactions(ours(8, { keptFrom: 6, summary: 'SUMMARY', keep: 0 }))
  const { text, losses } = exportSession(session, 'claude-code')
  expect(replayClaudeCode(linesOf(text))).toEqual(['SUMMARY', 'q0', 'q6', 'a7', 'q8', 'a9'])
  expect(losses).toEqual([])
  expect(exportSession(session, 'pi').losses).toEqual([
    { what: 'message kept before the others (pi keeps none of it)', count: 1, positions: [0] },
  ])
})

test('ids of lines come from the hashes of the log: a fork has those of its origin', () => {
  const hash = (at: number) => `${at}`.padStart(64, 'f')
  const hashed = { ...TEN_MESSAGES, items: TEN_MESSAGES.items.map((item, at) => ({ ...item, hash: hash(at) })) }
  const fork = { ...hashed, id: 'another', items: hashed.items.slice(0, 4) }
  const ids = (session: ExportedSession, format: 'claude-code' | 'pi') =>
    linesOf(exportSession(session, format).text).flatMap((line) => (isMessage(line) ? [line.uuid ?? line.id] : []))
  for (const format of ['claude-code', 'pi'] as const) {
    expect(ids(fork, format)).toEqual(ids(hashed, format).slice(0, 4))
    expect(new Set(ids(hashed, format)).size).toBe(10)
  }
})

function isMessage({ type }: Fields): boolean {
  return type === 'user' || type === 'assistant' || type === 'message'
}

test('what these clients do not keep is told: system messages, empty ones, files, marks', () => {
  const items = [
    { role: 'user', content: [{ type: 'text', text: 'q', cache_control: { type: 'ephemeral' } }] },
    { role: 'assistant', content: [] },
    { role: 'system', content: 'be brief' },
    {
      role: 'user',
      content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } }],
    },
  ].map((item) => ({ item }))
  const session: ExportedSession = { ...TEN_MESSAGES, items, calls: [], frame: { system: 'S' } }
  const claude = exportSession(session, 'claude-code').losses.map(({ what, positions }) => [what, ...positions])
  expect(claude).toEqual([
    ['system, tools and settings of the request'],
    ['empty message', 1],
    ['role of a system message (carried as the user’s)', 2],
  ])
  const pi = exportSession(session, 'pi').losses.map(({ what, positions }) => [what, ...positions])
  expect(pi).toEqual([
    ['system, tools and settings of the request'],
    ['role of a system message (carried as the user’s)', 2],
    ['block "document" (a note stands in its place)', 3],
    ['empty message', 1],
  ])
})
