import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryCounts, arbitraryTexts, type StreamedAnswer, streamLaws } from '../stream-laws.test-data.ts'
import { gemini } from './index.ts'

const CONTEXT = { size: 1_000, window: 200_000 }

const answers: fc.Arbitrary<StreamedAnswer> = fc
  .record({
    texts: arbitraryTexts,
    counts: arbitraryCounts,
    finishReason: fc.constantFrom('STOP', 'MAX_TOKENS', 'MODEL_CONTEXT_WINDOW_EXCEEDED'),
    isWrapped: fc.boolean(),
    isSnake: fc.boolean(),
  })
  .map(({ texts, counts, finishReason, isWrapped, isSnake }) => {
    const wrap = (chunk: object): object => (isWrapped ? { response: chunk } : chunk)
    const usage = isSnake
      ? { prompt_token_count: counts.input, cached_content_token_count: counts.cacheRead }
      : { promptTokenCount: counts.input, cachedContentTokenCount: counts.cacheRead, thoughtsTokenCount: 4 }
    const counted = { [isSnake ? 'usage_metadata' : 'usageMetadata']: usage }
    const said = (parts: readonly object[]): object => ({ content: { role: 'model', parts } })
    const ended = { ...said([{ text: '' }]), [isSnake ? 'finish_reason' : 'finishReason']: finishReason }
    return {
      before: [wrap({ candidates: [said([{ text: '', thoughtSignature: 'x' }])] })],
      content: texts.map((text) => wrap({ candidates: [said([{ text, thought: true }])], ...counted })),
      after: [wrap({ candidates: [ended], ...counted })],
      response: wrap({ candidates: [{ ...ended, ...said(texts.map((text) => ({ text }))) }], ...counted }),
    }
  })

streamLaws(gemini, answers)

describe('chunks', () => {
  it.each([
    ['a call', { functionCall: { name: 'read', args: {} } }],
    ['a call as REST spells it', { function_call: { name: 'read' } }],
    ['code', { executableCode: { code: 'x' } }],
    ['a thought', { text: 'Hm', thought: true }],
  ])('%s has started', (_, part) => {
    const reader = gemini.reader()
    reader.push({ candidates: [{ content: { parts: [part] } }] })
    expect(reader.started).toBe(true)
  })

  it('a list of chunks tells what its chunks tell', () => {
    const chunks = [
      { candidates: [{ content: { parts: [{ text: 'a' }] } }] },
      { candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1 } },
    ]
    const reader = gemini.reader()
    reader.push(chunks)
    expect([reader.started, reader.finished, reader.usage()]).toEqual([true, true, gemini.usage(chunks)])
  })

  it('a prompt that is blocked is at its end', () => {
    const reader = gemini.reader()
    reader.push({ promptFeedback: { blockReason: 'SAFETY' } })
    expect([reader.started, reader.finished]).toEqual([false, true])
  })
})

describe('an error inside a stream', () => {
  const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
  const error = { code: 400, status: 'INVALID_ARGUMENT', message }

  it.each([[{ error }], [[{ error }]], [{ response: { error } }]])('is an overflow by its words', (event) => {
    const reader = gemini.reader()
    reader.push(event)
    expect([reader.started, reader.finished, reader.failure]).toEqual([false, false, event])
    expect(reader.overflow(CONTEXT)).toMatchObject({ kind: 'tokens', limit: 1_048_576, size: 1_200_000 })
  })

  it('of another kind is a failure and no overflow', () => {
    const reader = gemini.reader()
    reader.push({ error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' } })
    expect(reader.failure).toBeDefined()
    expect(reader.overflow(CONTEXT)).toBeUndefined()
  })
})
