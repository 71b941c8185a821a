import { describe, expect, test } from 'vitest'
import { aiSdk } from './index.ts'

const CONTEXT = { size: 150_000, window: 200_000 }

describe('usage of an AI SDK call', () => {
  test('from version 3 on the total holds what a cache served', () => {
    const usage = {
      inputTokens: { total: 305_003, noCache: 3, cacheRead: 305_000, cacheWrite: undefined },
      outputTokens: { total: 7, text: 7, reasoning: undefined },
    }
    const expected = { input: 305_003, cacheRead: 305_000, cacheWrite: 0, output: 7 }
    expect(aiSdk.usage({ content: [], usage })).toEqual(expected)
    expect(aiSdk.usage({ type: 'finish', usage })).toEqual(expected)
    const parts = { ...usage, inputTokens: { ...usage.inputTokens, total: undefined } }
    expect(aiSdk.usage({ usage: parts })).toEqual(expected)
  })

  test('TC-20 version 2: Anthropic and Bedrock report the cache apart, the others within', () => {
    const anthropic = {
      usage: { inputTokens: 3, outputTokens: 5, cachedInputTokens: 300_000 },
      providerMetadata: { anthropic: { cacheCreationInputTokens: 5000 } },
    }
    expect(aiSdk.usage(anthropic)).toEqual({ input: 305_003, cacheRead: 300_000, cacheWrite: 5000, output: 5 })
    const bedrock = {
      usage: { inputTokens: 100, outputTokens: 5, cachedInputTokens: 50 },
      providerMetadata: { bedrock: { usage: { cacheWriteInputTokens: 10 } } },
    }
    expect(aiSdk.usage(bedrock)).toEqual({ input: 160, cacheRead: 50, cacheWrite: 10, output: 5 })
    const openai = { usage: { inputTokens: 305_000, outputTokens: 5, cachedInputTokens: 304_000 } }
    expect(aiSdk.usage(openai)).toEqual({ input: 305_000, cacheRead: 304_000, cacheWrite: 0, output: 5 })
  })

  test('what generateText reports has the details beside the total; sums over a loop are not read', () => {
    const step = {
      inputTokens: 164_000,
      inputTokenDetails: { noCacheTokens: 4000, cacheReadTokens: 150_000, cacheWriteTokens: 10_000 },
      outputTokens: 9,
    }
    const sum = { ...step, inputTokens: 1_800_000 }
    const expected = { input: 164_000, cacheRead: 150_000, cacheWrite: 10_000, output: 9 }
    expect(aiSdk.usage({ usage: step, totalUsage: sum })).toEqual(expected)
    expect(aiSdk.usage({ type: 'finish', totalUsage: sum })).toBeUndefined()
  })

  test('TC-21 usage that is missing, zero or no number is none', () => {
    for (const inputTokens of [undefined, null, 0, Number.NaN, '7', -3, {}, { total: 0 }, { total: Number.NaN }]) {
      expect(aiSdk.usage({ usage: { inputTokens, outputTokens: 1 } })).toBeUndefined()
    }
    for (const response of [undefined, null, 'x', {}, []]) expect(aiSdk.usage(response)).toBeUndefined()
    expect(aiSdk.usage({ usage: { inputTokens: { total: 0, noCache: 5000 } } })?.input).toBe(5000)
    expect(aiSdk.usage({ usage: { totalTokens: 0, inputTokens: 5000 } })?.input).toBe(5000)
  })
})

describe('the outcome of an AI SDK call', () => {
  test('the raw finish reason tells what the unified one hides', () => {
    const raw = 'model_context_window_exceeded'
    for (const response of [
      { finishReason: { unified: 'length', raw } },
      { type: 'finish', finishReason: { unified: 'other', raw } },
      { finishReason: 'length', rawFinishReason: raw },
    ]) {
      expect(aiSdk.outcome(response, CONTEXT)).toMatchObject({ kind: 'silent' })
    }
    expect(aiSdk.outcome({ finishReason: { unified: 'length', raw: 'max_tokens' } }, CONTEXT)).toBe('ok')
    expect(aiSdk.outcome({ finishReason: 'stop' }, CONTEXT)).toBe('ok')
  })

  test('usage above the window is a silent overflow', () => {
    const used = (total: number) => ({ usage: { inputTokens: { total } } })
    expect(aiSdk.outcome(used(200_001), CONTEXT)).toMatchObject({ kind: 'silent', size: 200_001 })
    expect(aiSdk.outcome(used(150_000), CONTEXT)).toBe('ok')
  })

  test('an error part of a stream is judged like an error', () => {
    const error = new Error('prompt is too long: 210000 tokens > 200000 maximum')
    const facts = { kind: 'tokens', size: 210_000, limit: 200_000 }
    expect(aiSdk.outcome({ type: 'error', error }, CONTEXT)).toMatchObject(facts)
    expect(aiSdk.overflow(error, CONTEXT)).toMatchObject(facts)
    expect(aiSdk.outcome({ type: 'error', error: new Error('overloaded') }, CONTEXT)).toBe('ok')
  })
})

describe('media tokens', () => {
  test.each([
    [{ kind: 'image', width: 750, height: 100, bytes: 1 }, 100],
    [{ kind: 'image', width: 1, height: 1, bytes: 1 }, 1],
    [{ kind: 'image', width: 3136, height: 1000, bytes: 1 }, 1046],
    [{ kind: 'image', width: 9000, height: 9000, bytes: 1 }, 1600],
    [{ kind: 'image', bytes: 9_000_000 }, 1600],
    [{ kind: 'document', pages: 2, bytes: 1 }, 4500],
    [{ kind: 'document', bytes: 0 }, 11_250],
    [{ kind: 'document', bytes: 250_000 }, 6750],
    [{ kind: 'audio', bytes: 0 }, 1920],
    [{ kind: 'video', bytes: 334_000 }, 580],
  ])('%j counts %i', (media, tokens) => {
    expect(aiSdk.mediaTokens(media)).toBe(tokens)
  })
})
