import { describe, expect, test } from 'vitest'
import { deepFreeze as frozen } from '../../deep-freeze.test-data.ts'
import { originOf } from '../../engine/json/derive.ts'
import { gemini } from './index.ts'
import type { GeminiRequest } from './items.ts'

const CONTENTS = [{ role: 'user', parts: [{ text: 'a' }] }]

describe('opening and closing a request', () => {
  test('system, tools, cap and thinking budget are read in both spellings', () => {
    const camel = {
      systemInstruction: { parts: [{ text: 's' }] },
      contents: CONTENTS,
      tools: [{ functionDeclarations: [] }],
      generationConfig: { maxOutputTokens: 1000, thinkingConfig: { thinkingBudget: 500 } },
    }
    const snake = {
      system_instruction: { parts: [{ text: 's' }] },
      contents: CONTENTS,
      tools: [{ function_declarations: [] }],
      generation_config: { max_output_tokens: 1000, thinking_config: { thinking_budget: 500 } },
      model: 'models/gemini-3-pro',
    }
    const expected = { system: [{ parts: [{ text: 's' }] }], items: CONTENTS, outputCap: 1000, thinkingBudget: 500 }
    expect(gemini.open(camel)).toEqual({ ...expected, tools: camel.tools })
    expect(gemini.open(snake)).toEqual({ ...expected, tools: snake.tools, model: 'models/gemini-3-pro' })
  })

  test('budgets that switch thinking off or leave it to the model are no budget', () => {
    for (const thinkingBudget of [0, -1]) {
      const opened = gemini.open({ contents: CONTENTS, generationConfig: { thinkingConfig: { thinkingBudget } } })
      expect(opened).not.toHaveProperty('thinkingBudget')
    }
  })

  test('with cached content the tools are unknown, and the name stays', () => {
    const request = { contents: CONTENTS, cachedContent: 'cachedContents/1' }
    expect(gemini.open(request)).toEqual({ system: [], items: CONTENTS })
    const closed = gemini.close(request, { system: [], items: [...CONTENTS, ...CONTENTS] })
    expect(closed).toEqual({ ...request, contents: [...CONTENTS, ...CONTENTS] })
  })

  test('a lower cap is written where the cap stands, in its spelling', () => {
    const close = (request: unknown) =>
      gemini.close(frozen(request) as GeminiRequest, { system: [], items: CONTENTS, outputCap: 10 })
    expect(close({ contents: CONTENTS, generation_config: { max_output_tokens: 99, top_k: 1 } })).toEqual({
      contents: CONTENTS,
      generation_config: { max_output_tokens: 10, top_k: 1 },
    })
    expect(close({ contents: CONTENTS })).toEqual({ contents: CONTENTS })
  })

  test('what changed knows what it was made from', () => {
    const request: GeminiRequest = { contents: CONTENTS }
    const closed = gemini.close(request, { system: [], items: [] })
    expect(originOf(closed)).toBe(request)
    expect(originOf(closed.contents)).toBe(CONTENTS)
  })

  test('other formats are not recognised, marks are not made', () => {
    for (const body of [null, 1, [], {}, { messages: [] }, { contents: 'text' }, { input: 'x' }]) {
      expect(gemini.recognises(body)).toBe(0)
    }
    const view = gemini.open({ contents: CONTENTS })
    expect(gemini.markCache(view, { system: true, item: 0 })).toBe(view)
  })
})
