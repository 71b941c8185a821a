import { describe, expect, it } from 'vitest'
import { bedrockConverse } from './index.ts'

const { usage, outcome, overflow, mediaTokens } = bedrockConverse

describe('usage', () => {
  it('TC-20 counts what a cache served into the input, once', () => {
    const reported = {
      inputTokens: 3,
      cacheReadInputTokens: 305_000,
      cacheWriteInputTokens: 7,
      outputTokens: 9,
      totalTokens: 305_019,
    }
    const expected = { input: 305_010, cacheRead: 305_000, cacheWrite: 7, output: 9 }
    expect(usage({ output: {}, usage: reported })).toEqual(expected)
    expect(usage({ metadata: { usage: reported, metrics: {} } })).toEqual(expected)
  })

  it('TC-21 knows nothing from usage that is missing, zero, or no number', () => {
    const nothing = [
      undefined,
      'x',
      {},
      { usage: {} },
      { usage: { inputTokens: 0 } },
      { usage: { inputTokens: Number.NaN } },
    ]
    expect(nothing.map(usage)).toEqual(nothing.map(() => undefined))
  })
})

describe('outcome and overflow', () => {
  const context = { size: 1_000, window: 200_000 }

  it('tells an answer that met the end of the window', () => {
    const reason = 'model_context_window_exceeded'
    expect(outcome({ stopReason: reason }, context)).toMatchObject({ kind: 'silent' })
    expect(outcome({ messageStop: { stopReason: reason } }, context)).toMatchObject({ kind: 'silent' })
    expect(outcome({ usage: { inputTokens: 200_001 } }, context)).toMatchObject({ kind: 'silent', size: 200_001 })
    expect(outcome({ stopReason: 'end_turn', usage: { inputTokens: 200_000 } }, context)).toBe('ok')
  })

  it('tells an overflow by the provider’s words', () => {
    const failure = Object.assign(new Error('Input is too long for requested model.'), { name: 'ValidationException' })
    expect(overflow(failure, context)).toMatchObject({ kind: 'tokens' })
    const throttled = Object.assign(new Error('Too many tokens, please wait before trying again.'), {
      name: 'ThrottlingException',
    })
    expect(overflow(throttled, context)).toBeUndefined()
  })
})

describe('mediaTokens', () => {
  it('counts images by pixels, files by pages or bytes, recordings by bytes up to a bound', () => {
    expect(mediaTokens({ kind: 'image', width: 750, height: 1_000, bytes: 5_000_000 })).toBe(1_000)
    expect(mediaTokens({ kind: 'image', bytes: 5 })).toBe(1_600)
    expect(mediaTokens({ kind: 'document', pages: 3, bytes: 5 })).toBe(6_000)
    expect(mediaTokens({ kind: 'document', bytes: 120_000 })).toBe(6_000)
    expect(mediaTokens({ kind: 'video', bytes: 50_000_000 })).toBe(32_000)
  })
})
