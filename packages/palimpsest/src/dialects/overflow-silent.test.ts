import { describe, expect, test } from 'vitest'
import { CONTEXT, NEAR } from './overflow.test-data.ts'
import { silentOverflow } from './overflow.ts'

describe('silent overflow', () => {
  test('z.ai, Anthropic, Bedrock: a finish reason says so', () => {
    expect(silentOverflow({ finishReason: 'model_context_window_exceeded', usageInput: 190_000 }, CONTEXT)).toEqual({
      kind: 'silent',
      size: 190_000,
      detail: 'finish reason model_context_window_exceeded',
    })
  })

  test('BB-10 200 with usage above the window', () => {
    expect(silentOverflow({ usageInput: 200_001, status: 200 }, CONTEXT)).toMatchObject({
      kind: 'silent',
      size: 200_001,
    })
    expect(silentOverflow({ usageInput: 200_000, status: 200 }, CONTEXT)).toBeUndefined()
  })

  test('Ollama: the prompt sits at the limit and clearly more was sent', () => {
    const context = { size: 60_000, window: 32_768 }
    expect(silentOverflow({ usageInput: 32_768 }, context)).toMatchObject({ kind: 'silent', limit: 32_768 })
    expect(silentOverflow({ usageInput: 31_000 }, context)).toMatchObject({ kind: 'silent', limit: 32_768 })
    expect(silentOverflow({ usageInput: 16_387 }, context)).toMatchObject({ kind: 'silent', limit: 32_768 })
    expect(silentOverflow({ usageInput: 20_000 }, context)).toBeUndefined()
    expect(silentOverflow({ usageInput: 32_768 }, { size: 34_000, window: 32_768 })).toBeUndefined()
  })

  test('Ollama: a context smaller than the window we believe in', () => {
    const context = { size: 16_101, window: 131_072 }
    expect(silentOverflow({ usageInput: 2_048 }, context)).toMatchObject({ kind: 'silent', limit: 2_048 })
    expect(silentOverflow({ usageInput: 4_099 }, context)).toMatchObject({ kind: 'silent', limit: 8_192 })
    expect(silentOverflow({ usageInput: 4_500 }, context)).toBeUndefined()
  })

  test('TC-21 usage that is missing, zero or no number says nothing', () => {
    for (const usageInput of [undefined, 0, Number.NaN, -1]) {
      expect(silentOverflow({ usageInput, finishReason: 'stop' }, NEAR)).toBeUndefined()
    }
  })

  test('an error answer is not judged here', () => {
    expect(silentOverflow({ usageInput: 900_000, status: 400 }, CONTEXT)).toBeUndefined()
  })
})
