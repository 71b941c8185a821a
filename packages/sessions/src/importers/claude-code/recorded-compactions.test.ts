import { describe, expect, test } from 'vitest'
import { importSessionText } from '../import-session.ts'
import { jsonLines, outline, skippedCounts } from '../session-text.test-data.ts'
import { answerLine, boundaryLine, summaryLine, text, userLine } from './claude-session.test-data.ts'

const read = (records: readonly unknown[]) => importSessionText(jsonLines(records))

describe('compactions', () => {
  const opening = [userLine('u1', null, 'go'), answerLine('a1', 'u1', 'm1', text('yes'))]

  test('a boundary with its summary is recorded, and neither is an item', () => {
    const session = read([
      ...opening,
      boundaryLine('b1', 'a1', { trigger: 'auto', preTokens: 155_000, postTokens: 21_000 }),
      summaryLine('s1', 'b1', 'SUMMARY'),
      answerLine('a2', 's1', 'm2', text('on')),
    ])
    expect(outline(session)).toEqual(['user:go', 'assistant:yes', 'assistant:on'])
    expect(session.compactions).toEqual([
      { position: 2, trigger: 'auto', kind: 'summary', tokensBefore: 155_000, tokensAfter: 21_000, summary: 'SUMMARY' },
    ])
    expect(session.skipped).toEqual({})
  })

  test('a boundary whose logical parent was never written follows the line before', () => {
    for (const parent of [undefined, 'never written']) {
      const session = read([
        ...opening,
        boundaryLine('b1', parent, {}),
        summaryLine('s1', 'b1', 'S'),
        userLine('u2', 's1', 'on'),
      ])
      expect(outline(session)).toEqual(['user:go', 'assistant:yes', 'user:on'])
      expect(session.compactions).toEqual([{ position: 2, trigger: 'unknown', kind: 'summary', summary: 'S' }])
    }
  })

  test('messages kept in view stand once, in their first place; the typed command between is none of them', () => {
    for (const kept of [
      { preservedSegment: { headUuid: 'u2', anchorUuid: 's1', tailUuid: 'a2' } },
      { preservedMessages: { anchorUuid: 's1', uuids: ['u2', 'a2'] } },
    ]) {
      const session = read([
        ...opening,
        userLine('u2', 'a1', 'kept'),
        answerLine('a2', 'u2', 'm2', text('kept too')),
        userLine('u3', 'a2', '/compact'),
        boundaryLine('b1', 'never written', { trigger: 'manual', ...kept }),
        summaryLine('s1', 'b1', 'S'),
        userLine('u4', 's1', 'on'),
      ])
      expect(outline(session)).toEqual(['user:go', 'assistant:yes', 'user:kept', 'assistant:kept too', 'user:on'])
      expect(session.compactions).toEqual([
        { position: 4, keptFrom: 2, trigger: 'manual', kind: 'summary', summary: 'S' },
      ])
      expect(skippedCounts(session)).toEqual({ 'abandoned branch': 1 })
    }
  })

  test('a conversation that goes on behind the kept messages, past the boundary, has the compaction', () => {
    const session = read([
      ...opening,
      boundaryLine('b1', 'a1', {
        trigger: 'auto',
        preservedSegment: { headUuid: 'u1', anchorUuid: 's1', tailUuid: 'a1' },
      }),
      summaryLine('s1', 'b1', 'S'),
      userLine('u2', 'a1', 'on'),
    ])
    expect(outline(session)).toEqual(['user:go', 'assistant:yes', 'user:on'])
    expect(session.compactions).toEqual([{ position: 2, keptFrom: 0, trigger: 'auto', kind: 'summary', summary: 'S' }])
    expect(session.skipped).toEqual({})
  })

  test('a compaction on a branch that the user left is none', () => {
    const session = read([
      ...opening,
      userLine('u2', 'a1', 'wrong'),
      boundaryLine('b1', 'u2', { trigger: 'auto' }),
      summaryLine('s1', 'b1', 'S'),
      userLine('u3', 'a1', 'right'),
    ])
    expect(session.compactions).toEqual([])
    expect(skippedCounts(session)).toEqual({ 'abandoned branch': 2 })
  })

  test('without its boundary, the summary tells; without its summary, the boundary', () => {
    const alone = read([...opening, summaryLine('s1', 'b1', 'S'), userLine('u2', 's1', 'on')])
    expect(alone.compactions).toEqual([{ position: 2, trigger: 'unknown', kind: 'summary', summary: 'S' }])
    const silent = read([...opening, boundaryLine('b1', 'a1', { trigger: 'auto' }), userLine('u2', 's1', 'on')])
    expect(silent.compactions).toEqual([{ position: 2, trigger: 'auto', kind: 'summary' }])
    for (const session of [alone, silent]) expect(outline(session)).toEqual(['user:go', 'assistant:yes', 'user:on'])
  })

  test('blanked results are recorded as a micro compaction', () => {
    const metadata = { trigger: 'auto', preTokens: 120_000, tokensSaved: 30_000, compactedToolIds: ['t1'] }
    const micro = {
      type: 'system',
      subtype: 'microcompact_boundary',
      uuid: 'b1',
      parentUuid: 'a1',
      microcompactMetadata: metadata,
    }
    const session = read([...opening, micro, userLine('u2', 'b1', 'on')])
    expect(session.compactions).toEqual([
      { position: 2, trigger: 'auto', kind: 'micro', tokensBefore: 120_000, tokensAfter: 90_000 },
    ])
  })
})
