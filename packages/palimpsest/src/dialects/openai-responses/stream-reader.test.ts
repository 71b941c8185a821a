import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryCounts, arbitraryTexts, type StreamedAnswer, streamLaws } from '../stream-laws.test-data.ts'
import { openaiCodex, openaiResponses } from './index.ts'

const CONTEXT = { size: 1_000, window: 200_000 }

const answers: fc.Arbitrary<StreamedAnswer> = fc
  .record({
    texts: arbitraryTexts,
    counts: arbitraryCounts,
    cut: fc.constantFrom(undefined, 'max_output_tokens', 'model_context_window_exceeded'),
  })
  .map(({ texts, counts, cut }) => {
    const usage = {
      input_tokens: counts.input,
      input_tokens_details: { cached_tokens: counts.cacheRead, cache_write_tokens: counts.cacheWrite },
      output_tokens: counts.output,
      total_tokens: counts.input + counts.output,
    }
    const opening = { status: 'in_progress', output: [], usage: null, error: null, incomplete_details: null }
    const response = {
      ...opening,
      status: cut === undefined ? 'completed' : 'incomplete',
      incomplete_details: cut === undefined ? null : { reason: cut },
      output: texts.map((text) => ({ type: 'message', content: [{ type: 'output_text', text }] })),
      usage,
    }
    return {
      before: [
        { type: 'response.created', response: opening },
        { type: 'response.in_progress', response: opening },
        { type: 'codex.rate_limits', rate_limits: {} },
        { type: 'response.output_item.added', item: { type: 'message', role: 'assistant', content: [] } },
        { type: 'response.content_part.added', part: { type: 'output_text', text: '', annotations: [] } },
      ],
      content: texts.map((delta) => ({ type: 'response.output_text.delta', delta })),
      after: [{ type: `response.${response.status}`, response }],
      response,
    }
  })

streamLaws(openaiResponses, answers)
streamLaws(openaiCodex, answers)

describe('what has started', () => {
  it.each([
    ['reasoning, though its text is not shown', { type: 'reasoning', id: 'rs', summary: [] }],
    ['a call', { type: 'function_call', call_id: 'a', name: 'read', arguments: '' }],
    ['a search', { type: 'web_search_call', id: 'ws' }],
  ])('%s has', (_, item) => {
    const reader = openaiResponses.reader()
    reader.push({ type: 'response.output_item.added', item })
    expect(reader.started).toBe(true)
  })

  it('an answer that comes whole in its last event has', () => {
    const reader = openaiResponses.reader()
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }]
    reader.push({ type: 'response.completed', response: { status: 'completed', output } })
    expect([reader.started, reader.finished]).toEqual([true, true])
  })
})

describe('a failure inside a stream', () => {
  const error = { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' }

  it.each([
    [{ type: 'response.failed', response: { status: 'failed', error, output: [] } }],
    [{ type: 'error', ...error, sequence_number: 2 }],
    [{ type: 'error', error: { type: 'invalid_request_error', ...error } }],
    [{ error: { message: error.message, code: 400 } }],
  ])('is an overflow: %j', (event) => {
    const reader = openaiResponses.reader()
    reader.push({ type: 'response.created', response: { status: 'in_progress', error: null } })
    reader.push(event)
    expect([reader.started, reader.finished, reader.failure]).toEqual([false, false, event])
    expect(reader.overflow(CONTEXT)).toMatchObject({ kind: 'tokens' })
  })

  it.each([
    [{ type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'Sorry.' } } }],
    [{ type: 'error', code: 'rate_limit_exceeded', message: 'Rate limit reached' }],
  ])('of another kind is no overflow: %j', (event) => {
    const reader = openaiResponses.reader()
    reader.push(event)
    expect(reader.failure).toBe(event)
    expect(reader.overflow(CONTEXT)).toBeUndefined()
  })
})
