import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryCounts, arbitraryTexts, type StreamedAnswer, streamLaws } from '../stream-laws.test-data.ts'
import { anthropicMessages } from './index.ts'

const CONTEXT = { size: 1_000, window: 200_000 }

const answers: fc.Arbitrary<StreamedAnswer> = fc
  .record({
    texts: arbitraryTexts,
    counts: arbitraryCounts,
    stop: fc.constantFrom('end_turn', 'tool_use', 'max_tokens', 'model_context_window_exceeded'),
    /** Where the prompt is counted: gateways know it only at the end. */
    counted: fc.constantFrom('first', 'first, then zeros', 'last', 'both'),
  })
  .map(({ texts, counts, stop, counted }) => {
    const prompt = {
      input_tokens: counts.input,
      cache_read_input_tokens: counts.cacheRead,
      cache_creation_input_tokens: counts.cacheWrite,
    }
    const nothing = { input_tokens: 0, cache_read_input_tokens: null, cache_creation_input_tokens: 0 }
    const usage = { ...prompt, output_tokens: counts.output }
    const first = { ...(counted === 'last' ? nothing : prompt), output_tokens: 0 }
    const later = { first: {}, 'first, then zeros': nothing, last: prompt, both: prompt }
    const last = { ...later[counted], output_tokens: counts.output }
    return {
      before: [
        { type: 'message_start', message: { role: 'assistant', content: [], stop_reason: null, usage: first } },
        { type: 'ping' },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ],
      content: texts.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
      after: [
        { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: last },
        { type: 'message_stop' },
      ],
      response: { type: 'message', content: texts.map((text) => ({ type: 'text', text })), stop_reason: stop, usage },
    }
  })

streamLaws(anthropicMessages, answers)

describe('what has started', () => {
  it.each([
    ['thinking, though its text is not shown', { type: 'thinking', thinking: '', signature: '' }],
    ['redacted thinking', { type: 'redacted_thinking', data: 'x' }],
    ['a call', { type: 'tool_use', id: 'a', name: 'read', input: {} }],
    ['a call of a server tool', { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} }],
  ])('%s has', (_, block) => {
    const reader = anthropicMessages.reader()
    reader.push({ type: 'content_block_start', index: 0, content_block: block })
    expect(reader.started).toBe(true)
  })
})

describe('an error inside a stream', () => {
  it('is an overflow by its words, before anything was said', () => {
    const reader = anthropicMessages.reader()
    const message = 'prompt is too long: 210000 tokens > 200000 maximum'
    const event = { type: 'error', error: { type: 'invalid_request_error', message } }
    reader.push(event)
    expect([reader.started, reader.finished]).toEqual([false, false])
    expect(reader.failure).toBe(event)
    expect(reader.overflow(CONTEXT)).toMatchObject({ kind: 'tokens', limit: 200_000, size: 210_000 })
  })

  it('of another kind is a failure and no overflow', () => {
    const reader = anthropicMessages.reader()
    const event = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    reader.push(event)
    reader.push({ type: 'error', error: { type: 'api_error', message: 'later' } })
    expect(reader.failure).toBe(event)
    expect(reader.overflow(CONTEXT)).toBeUndefined()
  })

  it('TC-20 the last sampling of a stream with server tools is the context', () => {
    const reader = anthropicMessages.reader()
    reader.push({ type: 'message_start', message: { usage: { input_tokens: 100, output_tokens: 1 } } })
    const iterations = [
      { type: 'message', input_tokens: 100, output_tokens: 1 },
      { type: 'message', input_tokens: 900, output_tokens: 2 },
    ]
    const usage = { input_tokens: 1_000, output_tokens: 3, iterations }
    reader.push({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })
    expect(reader.usage()).toEqual({ input: 900, cacheRead: 0, cacheWrite: 0, output: 3 })
  })
})
