import { describe, expect, it } from 'vitest'
import { anthropicMessages } from './index.ts'

const { usage, outcome, overflow, mediaTokens } = anthropicMessages

describe('usage', () => {
  it('TC-20 counts what a cache served into the input, once', () => {
    const reported = {
      input_tokens: 3,
      cache_read_input_tokens: 305_000,
      cache_creation_input_tokens: 7,
      output_tokens: 9,
    }
    const expected = { input: 305_010, cacheRead: 305_000, cacheWrite: 7, output: 9 }
    expect(usage({ type: 'message', usage: reported })).toEqual(expected)
    expect(usage({ type: 'message_start', message: { usage: reported } })).toEqual(expected)
    expect(usage({ type: 'message_delta', delta: {}, usage: reported })).toEqual(expected)
  })

  it('TC-20 takes the last sampling of a response that ran server tools', () => {
    const iterations = [
      { type: 'message', input_tokens: 100, output_tokens: 1 },
      { type: 'message', input_tokens: 164_000, cache_read_input_tokens: 5, output_tokens: 2 },
      { type: 'compaction', input_tokens: 9, output_tokens: 3 },
    ]
    expect(usage({ usage: { input_tokens: 1_800_000, output_tokens: 3, iterations } })?.input).toBe(164_005)
  })

  it('TC-21 knows nothing from usage that is missing, zero, or no number', () => {
    const nothing = [undefined, 'x', {}, { usage: {} }, { usage: { input_tokens: 0, output_tokens: 0 } }]
    const broken = { usage: { input_tokens: Number.NaN, output_tokens: 5 } }
    const outputAlone = { type: 'message_delta', usage: { output_tokens: 5 } }
    expect([...nothing, broken, outputAlone].map(usage)).toEqual(Array(7).fill(undefined))
  })
})

describe('outcome and overflow', () => {
  const context = { size: 1_000, window: 200_000 }

  it('tells an answer that met the end of the window', () => {
    const stopped = { stop_reason: 'model_context_window_exceeded', usage: { input_tokens: 9, output_tokens: 1 } }
    expect(outcome(stopped, context)).toMatchObject({ kind: 'silent' })
    expect(outcome({ type: 'message_delta', delta: { stop_reason: stopped.stop_reason } }, context)).toMatchObject({
      kind: 'silent',
    })
    expect(outcome({ usage: { input_tokens: 200_001 } }, context)).toMatchObject({ kind: 'silent', size: 200_001 })
    expect(outcome({ stop_reason: 'end_turn', usage: { input_tokens: 200_000 } }, context)).toBe('ok')
  })

  it('tells an overflow by the provider’s words', () => {
    const body = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    }
    expect(overflow({ status: 400, error: body }, context)).toMatchObject({
      kind: 'tokens',
      limit: 200_000,
      size: 210_000,
    })
    expect(
      overflow({ status: 429, error: { type: 'rate_limit_error', message: 'slow down' } }, context),
    ).toBeUndefined()
  })
})

describe('mediaTokens', () => {
  it('counts images by pixels, not by bytes', () => {
    expect(mediaTokens({ kind: 'image', width: 750, height: 1_000, bytes: 5 })).toBe(1_000)
    expect(mediaTokens({ kind: 'image', width: 750, height: 1_000, bytes: 5_000_000 })).toBe(1_000)
    expect(mediaTokens({ kind: 'image', width: 1, height: 1, bytes: 5 })).toBe(1)
    // Scaled to 1568 × 392 first.
    expect(mediaTokens({ kind: 'image', width: 15_680, height: 3_920, bytes: 5 })).toBe(820)
    expect(mediaTokens({ kind: 'image', width: 9_000, height: 9_000, bytes: 5 })).toBe(1_600)
    expect(mediaTokens({ kind: 'image', bytes: 5 })).toBe(1_600)
  })

  it('counts files by pages, or by bytes where pages are not known', () => {
    expect(mediaTokens({ kind: 'document', pages: 3, bytes: 5 })).toBe(6_000)
    expect(mediaTokens({ kind: 'document', bytes: 0 })).toBe(2_000)
    expect(mediaTokens({ kind: 'document', bytes: 120_000 })).toBe(6_000)
  })
})
