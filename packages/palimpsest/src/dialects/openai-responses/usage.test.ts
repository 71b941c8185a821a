import { describe, expect, test } from 'vitest'
import { openaiResponses } from './index.ts'

const CONTEXT = { size: 100_000, window: 200_000 }

describe('usage', () => {
  test('TC-20 (b) input tokens already hold the cached ones: nothing is counted twice', () => {
    const usage = {
      input_tokens: 305_000,
      input_tokens_details: { cached_tokens: 304_000 },
      output_tokens: 10,
      total_tokens: 305_010,
    }
    const expected = { input: 305_000, cacheRead: 304_000, cacheWrite: 0, output: 10 }
    expect(openaiResponses.usage({ usage })).toEqual(expected)
    expect(openaiResponses.usage({ type: 'response.completed', response: { usage } })).toEqual(expected)
  })

  test.each([
    ['none', {}],
    ['null, as in a created event', { response: { usage: null } }],
    ['all zero', { usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } }],
    ['a total below its parts', { usage: { input_tokens: 5000, total_tokens: 0 } }],
    ['no number', { usage: { input_tokens: Number.NaN } }],
    ['no object', 'data: [DONE]'],
  ])('that is %s is no usage', (_, response) => {
    expect(openaiResponses.usage(response)).toBeUndefined()
  })
})

describe('outcome', () => {
  test.each([
    ['a plain answer', { status: 'completed', usage: { input_tokens: 199_999 } }, 'ok'],
    [
      'an answer that its cap ended',
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      'ok',
    ],
    [
      'a failure of another kind',
      { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'Sorry.' } } },
      'ok',
    ],
    ['a rate limit', { type: 'error', code: 'rate_limit_exceeded', message: 'Rate limit reached' }, 'ok'],
  ])('%s is ok', (_, response, expected) => {
    expect(openaiResponses.outcome(response, CONTEXT)).toBe(expected)
  })

  test.each([
    [
      'usage above the window',
      { status: 'completed', usage: { input_tokens: 210_000 } },
      { kind: 'silent', limit: 200_000, size: 210_000 },
    ],
    [
      'an answer that the window ended',
      { status: 'incomplete', incomplete_details: { reason: 'model_context_window_exceeded' } },
      { kind: 'silent' },
    ],
    [
      'a failed response in a stream',
      {
        type: 'response.failed',
        response: {
          status: 'failed',
          error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' },
        },
      },
      { kind: 'tokens' },
    ],
    [
      'an error event in a stream',
      { type: 'error', code: 'context_length_exceeded', message: 'Too long.' },
      { kind: 'tokens' },
    ],
  ])('%s is an overflow', (_, response, expected) => {
    expect(openaiResponses.outcome(response, CONTEXT)).toMatchObject(expected)
  })
})

describe('media', () => {
  test.each([
    [{ kind: 'image', width: 1024, height: 1024, bytes: 1 }, 85 + 4 * 170],
    [{ kind: 'image', width: 2048, height: 4096, bytes: 1 }, 85 + 6 * 170],
    [{ kind: 'image', width: 512, height: 512, bytes: 9e6 }, 85 + 170],
    [{ kind: 'image', width: 4096, height: 8192, bytes: 1, detail: 'low' }, 85],
    [{ kind: 'image', bytes: 1 }, 85 + 6 * 170],
    [{ kind: 'document', pages: 3, bytes: 1 }, 6000],
    [{ kind: 'document', bytes: 1 }, 20_000],
    [{ kind: 'audio', bytes: 21_000 }, 10],
  ])('%o costs %i tokens', (media, tokens) => {
    expect(openaiResponses.mediaTokens(media)).toBe(tokens)
  })
})
