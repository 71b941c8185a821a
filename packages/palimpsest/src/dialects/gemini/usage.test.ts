import { describe, expect, test } from 'vitest'
import { gemini } from './index.ts'

const CONTEXT = { size: 900_000, window: 1_000_000 }

describe('usage of a Gemini answer', () => {
  test('the prompt count holds the cached tokens already; thoughts are output', () => {
    const usageMetadata = {
      promptTokenCount: 305_000,
      cachedContentTokenCount: 304_000,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 90,
      totalTokenCount: 305_100,
    }
    const expected = { input: 305_000, cacheRead: 304_000, cacheWrite: 0, output: 100 }
    expect(gemini.usage({ usageMetadata })).toEqual(expected)
    expect(gemini.usage({ response: { usageMetadata } })).toEqual(expected)
    expect(gemini.usage([{ usageMetadata: { promptTokenCount: 5 } }, { usageMetadata }, {}])).toEqual(expected)
  })

  test('TC-21 usage that is missing, zero or no number is none', () => {
    for (const promptTokenCount of [undefined, 0, Number.NaN, '7', -3]) {
      expect(gemini.usage({ usageMetadata: { promptTokenCount } })).toBeUndefined()
    }
    for (const response of [undefined, null, 'x', {}, [], { usageMetadata: null }]) {
      expect(gemini.usage(response)).toBeUndefined()
    }
  })
})

describe('the outcome of a Gemini answer', () => {
  test('usage above the window is a silent overflow', () => {
    expect(gemini.outcome({ usageMetadata: { promptTokenCount: 1_000_001 } }, CONTEXT)).toMatchObject({
      kind: 'silent',
      size: 1_000_001,
    })
    expect(gemini.outcome({ usageMetadata: { promptTokenCount: 900_000 } }, CONTEXT)).toBe('ok')
  })

  test('finish reasons of the model’s own are no overflow, a gateway’s may be', () => {
    const ended = (finishReason: string) => ({ candidates: [{ finishReason }] })
    for (const reason of ['STOP', 'MAX_TOKENS', 'SAFETY']) expect(gemini.outcome(ended(reason), CONTEXT)).toBe('ok')
    expect(gemini.outcome(ended('MODEL_CONTEXT_WINDOW_EXCEEDED'), CONTEXT)).toMatchObject({ kind: 'silent' })
  })

  test('an error inside a stream is judged like an error', () => {
    const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
    const chunk = { error: { code: 400, message, status: 'INVALID_ARGUMENT' } }
    const facts = { kind: 'tokens', limit: 1_048_576, size: 1_200_000 }
    expect(gemini.outcome(chunk, CONTEXT)).toMatchObject(facts)
    expect(gemini.outcome([{ candidates: [] }, chunk], CONTEXT)).toMatchObject(facts)
    expect(gemini.overflow(chunk, CONTEXT)).toMatchObject(facts)
    expect(gemini.outcome({ error: { code: 503, status: 'UNAVAILABLE', message: 'overloaded' } }, CONTEXT)).toBe('ok')
  })
})

describe('media tokens', () => {
  test.each([
    [{ kind: 'image', width: 384, height: 384, bytes: 1 }, 258],
    [{ kind: 'image', width: 385, height: 100, bytes: 1 }, 258],
    [{ kind: 'image', width: 960, height: 540, bytes: 1 }, 516],
    [{ kind: 'image', width: 1536, height: 1536, bytes: 1 }, 1032],
    [{ kind: 'image', width: 60_000, height: 60_000, bytes: 1 }, 4128],
    [{ kind: 'image', bytes: 9_000_000 }, 1032],
    [{ kind: 'document', pages: 10, bytes: 1 }, 2580],
    [{ kind: 'document', bytes: 0 }, 2580],
    [{ kind: 'document', bytes: 250_000 }, 774],
    [{ kind: 'audio', bytes: 213_000 }, 320],
    [{ kind: 'video', bytes: 0 }, 17_400],
  ])('%j counts %i', (media, tokens) => {
    expect(gemini.mediaTokens(media)).toBe(tokens)
  })
})
