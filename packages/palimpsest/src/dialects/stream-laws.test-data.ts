import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../deep-freeze.test-data.ts'
import type { OverflowFacts, StreamReader, Usage } from './dialect.ts'

/** A streamed answer, and the same answer whole. */
export interface StreamedAnswer {
  /** Events that say nothing: envelopes, pings, empty openings. */
  readonly before: readonly unknown[]
  /** What the model says; empty for an answer without content. */
  readonly content: readonly unknown[]
  /** From the event that ends the answer on. */
  readonly after: readonly unknown[]
  readonly response: unknown
}

interface Format {
  readonly name: string
  reader(): StreamReader
  usage(response: unknown): Usage | undefined
  outcome(response: unknown, context: { size: number; window: number }): 'ok' | OverflowFacts
}

/** The laws of stream readers, run by every dialect on streams of its own. */
export function streamLaws(dialect: Format, answers: fc.Arbitrary<StreamedAnswer>): void {
  const contexts = fc.record({
    size: fc.constantFrom(0, 1_000, 260_000, 2_000_000),
    window: fc.constantFrom(0, 8_192, 200_000, 1_000_000),
  })

  describe(`laws of streams of ${dialect.name}`, () => {
    it('event by event tells the usage and the outcome of the whole answer', () => {
      const told = { usage: 0, overflow: 0 }
      fc.assert(
        fc.property(answers, contexts, ({ before, content, after, response }, context) => {
          const reader = readAll(dialect, [...before, ...content, ...after])
          expect(reader.usage()).toEqual(dialect.usage(response))
          expect(reader.overflow(context) ?? 'ok').toEqual(dialect.outcome(response, context))
          if (reader.usage() !== undefined) told.usage++
          if (reader.overflow(context) !== undefined) told.overflow++
        }),
        { numRuns: 500 },
      )
      expect(Math.min(told.usage, told.overflow)).toBeGreaterThan(0)
    })

    it('has started with the first content, finished with the end, and failed never', () => {
      fc.assert(
        fc.property(answers, ({ before, content, after }) => {
          const reader = readAll(dialect, before)
          expect([reader.started, reader.finished]).toEqual([false, false])
          for (const event of content) {
            reader.push(event)
            expect([reader.started, reader.finished]).toEqual([true, false])
          }
          for (const event of after) reader.push(event)
          expect([reader.started, reader.finished]).toEqual([content.length > 0, true])
          expect(reader.failure).toBeUndefined()
        }),
      )
    })

    it('any events at all are read', () => {
      const events = fc.oneof(
        fc.anything(),
        answers.map(({ after }) => after[0]),
        hostile(),
      )
      fc.assert(
        fc.property(fc.array(events, { maxLength: 6 }), contexts, (list, context) => {
          const reader = readAll(dialect, list)
          const usage = reader.usage()
          if (usage !== undefined) expect(Object.values(usage).every((count) => Number.isFinite(count))).toBe(true)
          expect(typeof (reader.overflow(context)?.detail ?? '')).toBe('string')
        }),
        { numRuns: 1000 },
      )
    })
  })
}

function readAll(dialect: Format, events: readonly unknown[]): StreamReader {
  const reader = dialect.reader()
  for (const event of events) reader.push(deepFreeze(event))
  return reader
}

const KEYS = [
  'type',
  'message',
  'usage',
  'delta',
  'response',
  'item',
  'choices',
  'candidates',
  'content',
  'parts',
  'finish_reason',
  'error',
  'index',
  'metadata',
  'contentBlockDelta',
  'contentBlockStart',
  'start',
  'content_block',
  'output',
  'usageMetadata',
]
const WORDS = [
  'message_start',
  'message_delta',
  'content_block_start',
  'content_block_delta',
  'response.completed',
  'response.output_item.added',
  'error',
  'finish',
  'text-delta',
]

function hostile(): fc.Arbitrary<unknown> {
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, undefined, 0, -1, Number.NaN, 1e9, '', ...WORDS),
      fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 5 }),
      fc.array(tie('value'), { maxLength: 2 }),
    ),
  }))
  return value
}

/** Prompt and output tokens of an answer, 0 and more than any window among them. */
export const arbitraryCounts = fc.record({
  input: fc.constantFrom(0, 7, 4_096, 199_999, 200_000, 250_000),
  cacheRead: fc.constantFrom(0, 3, 5_000),
  cacheWrite: fc.constantFrom(0, 2, 700),
  output: fc.nat({ max: 9_000 }),
})

/** Texts of an answer, none of them empty; none at all for an answer that says nothing. */
export const arbitraryTexts = fc.array(fc.string({ minLength: 1 }), { maxLength: 3 })
