import fc from 'fast-check'
import { expect } from 'vitest'
import type { RenderContext } from '../engine/messages/message.ts'
import type { Dialect } from './dialect.ts'
import { editsOf, type LawOptions, readView } from './dialect-laws.runs.test-data.ts'

/** Laws about values that nobody promised anything about: items, bodies, answers, failures, media. */
export const ANSWER_LAWS: readonly {
  readonly name: string
  readonly holds: (dialect: Dialect<unknown, object>, options: LawOptions) => void
}[] = [
  { name: 'any value at all can be read, checked, edited, laid out and fingerprinted', holds: takesAnyItem },
  { name: 'any value at all is recognised or not, and opened where it is', holds: takesAnyBody },
  { name: 'usage, overflow and outcome are told of any value', holds: takesAnyAnswer },
  { name: 'a picture, and a document whose pages are known, cost the same whatever their bytes', holds: countsNoBytes },
]

const RUNS = { numRuns: 1000 }

const STRICT: RenderContext = { thinkingBinding: 'prefix', strictAlternation: true }

function takesAnyItem(dialect: Dialect<unknown, object>, options: LawOptions): void {
  fc.assert(
    fc.property(options.hostile, (value) => {
      const item = value as object
      const view = dialect.view(item)
      expect(readView(dialect.view(item))).toEqual(readView(view))
      expect(view.parts.every((part) => typeof part.text() === 'string' && part.bytes() >= 0)).toBe(true)
      expect(dialect.fingerprint(item)).toBe(dialect.fingerprint(item))
      view.parts.forEach((_, part) => {
        for (const edit of editsOf(view, part)) dialect.edit(item, [edit])
      })
      const removals = view.parts.map((_, part) => ({ kind: 'remove', part }) as const)
      if (removals.length > 0) expect(dialect.edit(item, removals)).toBeUndefined()
      expect(dialect.check({ system: [], items: [item, item] }, STRICT)).toBeInstanceOf(Array)
      const shown = { kind: 'item', position: 3, item, edited: false } as const
      const out = dialect.layOut(
        [{ kind: 'summary', insertAfter: 2, text: 'S' }, shown],
        { from: 0, before: 4 },
        STRICT,
      )
      expect(out.length).toBeGreaterThan(0)
      dialect.markCache({ system: [item], items: [item] }, { system: true, item: 0 })
      dialect.obsoleteBefore?.([item, item])
    }),
    RUNS,
  )
}

function takesAnyBody(dialect: Dialect<unknown, object>, options: LawOptions): void {
  const lists = fc.array(options.hostile, { maxLength: 3 })
  const bodies = fc.oneof(
    fc.anything(),
    lists,
    fc.record(
      { [dialect.itemsKey]: lists, model: fc.anything(), tools: fc.anything(), system: fc.anything() },
      { requiredKeys: [dialect.itemsKey] },
    ),
  )
  fc.assert(
    fc.property(bodies, (body) => {
      const certainty = dialect.recognises(body)
      expect(certainty).toBeGreaterThanOrEqual(0)
      expect(certainty).toBeLessThanOrEqual(1)
      if (certainty === 0) return
      const opened = dialect.open(body)
      expect(dialect.check(opened)).toBeInstanceOf(Array)
      expect(dialect.close(body, opened)).toBe(body)
    }),
    RUNS,
  )
}

const ANSWER_KEYS = [
  'usage',
  'input_tokens',
  'inputTokens',
  'prompt_tokens',
  'cache_read_input_tokens',
  'output_tokens',
  'total',
  'total_tokens',
  'usageMetadata',
  'promptTokenCount',
  'iterations',
  'type',
  'response',
  'message',
  'metadata',
  'error',
  'code',
  'status',
  'choices',
  'candidates',
  'finish_reason',
  'finishReason',
  'stop_reason',
  'delta',
  'cause',
  'responseBody',
  'incomplete_details',
  'input_tokens_details',
  'providerMetadata',
  'anthropic',
]

function arbitraryAnswer(): fc.Arbitrary<unknown> {
  const leaf = fc.oneof(
    fc.constantFrom(
      undefined,
      null,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      -1,
      0,
      1,
      250_000,
      '7',
      'message',
      'error',
      413,
      400,
      'model_context_window_exceeded',
      'prompt is too long: 210000 tokens > 200000 maximum',
    ),
    fc.anything({ maxDepth: 1 }),
  )
  const { answer } = fc.letrec<{ answer: unknown }>((tie) => ({
    answer: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.dictionary(fc.constantFrom(...ANSWER_KEYS), tie('answer'), { maxKeys: 5 }),
      fc.array(tie('answer'), { maxLength: 2 }),
    ),
  }))
  return fc.oneof(
    answer,
    fc.dictionary(fc.constantFrom(...ANSWER_KEYS), answer, { minKeys: 2, maxKeys: 8 }),
    fc.anything(),
  )
}

function takesAnyAnswer(dialect: Dialect<unknown, object>): void {
  const context = fc.record({ size: fc.nat({ max: 2_000_000 }), window: fc.constantFrom(8192, 200_000, 1_000_000) })
  fc.assert(
    fc.property(arbitraryAnswer(), context, (answer, sent) => {
      const usage = dialect.usage(answer)
      if (usage !== undefined) {
        expect(usage.input).toBeGreaterThan(0)
        expect(Object.values(usage).every((count) => Number.isFinite(count) && count >= 0)).toBe(true)
      }
      const outcome = dialect.outcome(answer, sent)
      for (const facts of [dialect.overflow(answer, sent), outcome === 'ok' ? undefined : outcome]) {
        if (facts !== undefined) expect([typeof facts.kind, typeof facts.detail]).toEqual(['string', 'string'])
      }
    }),
    RUNS,
  )
}

function countsNoBytes(dialect: Dialect<unknown, object>): void {
  const side = fc.integer({ min: 1, max: 20_000 })
  const media = fc.oneof(
    fc.record({ kind: fc.constant('image'), width: side, height: side }),
    fc.constant({ kind: 'image' }),
    fc.record({ kind: fc.constant('document'), pages: fc.integer({ min: 1, max: 500 }) }),
  )
  const bytes = fc.nat({ max: 50_000_000 })
  fc.assert(
    fc.property(media, bytes, bytes, (one, few, many) => {
      const tokens = dialect.mediaTokens({ ...one, bytes: few })
      expect(dialect.mediaTokens({ ...one, bytes: many })).toBe(tokens)
      expect(Number.isInteger(tokens) && tokens > 0).toBe(true)
    }),
    RUNS,
  )
  const other = fc.record({ kind: fc.constantFrom('document', 'audio', 'video', 'x'), bytes })
  fc.assert(
    fc.property(other, (one) => {
      expect(dialect.mediaTokens(one)).toBeGreaterThanOrEqual(0)
    }),
    RUNS,
  )
}
