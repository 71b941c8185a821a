import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryCounts, arbitraryTexts, type StreamedAnswer, streamLaws } from '../stream-laws.test-data.ts'
import { openaiChat } from './index.ts'

const CONTEXT = { size: 1_000, window: 200_000 }

const answers: fc.Arbitrary<StreamedAnswer> = fc
  .record({
    texts: arbitraryTexts,
    counts: arbitraryCounts,
    reason: fc.constantFrom('stop', 'tool_calls', 'length', 'model_context_window_exceeded'),
    native: fc.constantFrom(undefined, 'completed', 'model_context_window_exceeded'),
    /** Where usage stands: in a chunk of its own, beside the end, in every chunk, in Groq's field, or nowhere. */
    counted: fc.constantFrom('own chunk', 'end', 'always', 'groq', 'never'),
  })
  .map(({ texts, counts, reason, native, counted }) => {
    const usage = {
      prompt_tokens: counts.input,
      completion_tokens: counts.output,
      total_tokens: counts.input + counts.output,
      prompt_tokens_details: { cached_tokens: counts.cacheRead },
    }
    const choice = (delta: object, rest: object = {}): object => ({
      choices: [{ index: 0, delta, finish_reason: null, ...rest }],
      usage: counted === 'always' ? usage : null,
    })
    const ended = { finish_reason: reason, ...(native !== undefined && { native_finish_reason: native }) }
    const end = {
      ...choice({}, ended),
      ...(counted === 'end' && { usage }),
      ...(counted === 'groq' && { x_groq: { usage } }),
    }
    return {
      before: [
        choice({ role: 'assistant', content: '' }),
        choice({ role: 'assistant', content: null, tool_calls: [] }),
      ],
      content: texts.map((content) => choice({ content })),
      after: [end, ...(counted === 'own chunk' ? [{ choices: [], usage }] : []), '[DONE]'],
      response: {
        choices: [{ index: 0, message: { role: 'assistant', content: texts.join('') }, ...ended }],
        ...(counted !== 'never' && { usage }),
      },
    }
  })

streamLaws(openaiChat, answers)

describe('chunks', () => {
  it.each([
    ['reasoning', { reasoning_content: 'Hm' }],
    ['reasoning of a router', { reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }],
    ['a call', { tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '' } }] }],
    ['a call of the old form', { function_call: { name: 'read', arguments: '' } }],
    ['a refusal', { refusal: 'No' }],
  ])('%s has started', (_, delta) => {
    const reader = openaiChat.reader()
    reader.push({ choices: [{ index: 0, delta }] })
    expect(reader.started).toBe(true)
  })

  it('several choices are at their end when each of them is', () => {
    const reader = openaiChat.reader()
    reader.push({ choices: [{ index: 1, delta: {}, finish_reason: 'model_context_window_exceeded' }] })
    expect(reader.finished).toBe(false)
    reader.push({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    expect(reader.finished).toBe(true)
    expect(reader.overflow(CONTEXT)).toMatchObject({ kind: 'silent' })
  })
})

describe('an error inside a stream', () => {
  const message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."

  it.each([
    [{ error: { message, code: 'context_length_exceeded' } }],
    [{ object: 'error', message, type: 'BadRequestError', code: 400 }],
    [{ error: { message, code: 400 }, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] }],
  ])('is an overflow by its words: %j', (event) => {
    const reader = openaiChat.reader()
    reader.push(event)
    expect([reader.started, reader.finished, reader.failure]).toEqual([false, false, event])
    expect(reader.overflow(CONTEXT)).toMatchObject({ kind: 'tokens', limit: 8192, size: 9000 })
  })

  it('of another kind is a failure and no overflow, whatever the usage', () => {
    const reader = openaiChat.reader()
    reader.push({ error: { code: 429, message: 'Rate limit reached' } })
    reader.push({ choices: [], usage: { prompt_tokens: 900_000, completion_tokens: 1 } })
    expect(reader.failure).toBeDefined()
    expect(reader.overflow(CONTEXT)).toBeUndefined()
  })
})
