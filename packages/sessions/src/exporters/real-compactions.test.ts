import fc from 'fast-check'
import { anthropicMessages, type CompactionRecord, compactConversation, dialectByName } from 'palimpsest'
import { keptFrom, planExtent } from 'palimpsest/engine'
import { expect, test } from 'vitest'
import { importSessionText } from '../importers/import-session.ts'
import { itemsOf } from '../importers/session-text.test-data.ts'
import { type Script, SPEAKERS, scripts } from './dialect-scripts.test-data.ts'
import { exportSession } from './export-session.ts'
import type { ExportedSession } from './exported-session.ts'
import { linesOf, replayClaudeCode, replayPi } from './session-files.test-data.ts'

/** A conversation with a compaction that the library itself made. */
function compacted(script: Script): ExportedSession | undefined {
  const request = SPEAKERS['anthropic-messages']?.(script) as never
  const conversation = anthropicMessages.open(request)
  const result = compactConversation(anthropicMessages, conversation, { force: true, window: 4_000 })
  if (result.status !== 'compacted') return undefined
  const { plan } = result
  const length = conversation.items.length
  const record: CompactionRecord = {
    key: 'key',
    anchor: 'anchor',
    extent: planExtent(plan),
    length,
    plan,
    strategy: 'palimpsest',
    reason: 'threshold',
    at_turn: 1,
    kept_from: keptFrom(plan, length),
    tokens_before: 100,
    tokens_after: 50,
  }
  const later = [{ role: 'user', content: 'LATER' }]
  return {
    id: 's',
    dialect: 'anthropic-messages',
    items: [...conversation.items, ...later].map((item) => ({ item })),
    frame: { ...(request as object), messages: [] },
    createdAt: 0,
    calls: [],
    compactions: [{ kind: 'record', position: length, record }],
  }
}

/** Long enough that the older half is worth a summary. */
const longScripts = fc.array(scripts, { minLength: 8, maxLength: 12 }).map(
  (all): Script => ({
    system: undefined,
    turns: all
      .flatMap(({ turns }) => turns)
      .map((turn) => ({ ...turn, answer: `${turn.answer ?? 'so'} ${'word '.repeat(60)}` })),
  }),
)

test('a client that goes on behind a compaction of ours sees what our own view shows, but for edits inside messages', () => {
  let seen = 0
  fc.assert(
    fc.property(longScripts, (script) => {
      const session = compacted(script)
      if (session === undefined) return
      seen += 1
      const view = importSessionText(exportSession(session, 'claude-code', { view: 'view' }).text)
      for (const [format, replay] of [
        ['claude-code', replayClaudeCode],
        ['pi', replayPi],
      ] as const) {
        const { text } = exportSession(session, format)
        const shown = replay(linesOf(text))
        expect(shown.at(-1)).toBe('LATER')
        expect(itemsOf(importSessionText(text))).toHaveLength(
          itemsOf(importSessionText(exportSession(session, format, { view: 'transcript' }).text)).length,
        )
        if (format === 'claude-code') expect(shown).toHaveLength(itemsOf(view).length)
      }
      const dialect = dialectByName('openai-chat')
      const chat = JSON.parse(exportSession(session, 'openai-chat', { view: 'view' }).text)
      expect(dialect.check(dialect.open(chat))).toEqual([])
    }),
    { numRuns: 25 },
  )
  expect(seen).toBeGreaterThan(5)
})
