import { describe, expect, test } from 'vitest'
import { deepFreeze as frozen } from '../../deep-freeze.test-data.ts'
import { originOf } from '../../engine/json/derive.ts'
import { aiSdk } from './index.ts'
import type { AiSdkCallOptions, AiSdkMessage, AiSdkRequest } from './items.ts'

const SYSTEM: AiSdkMessage = { role: 'system', content: 'be brief' }
const USER = { role: 'user', content: [{ type: 'text', text: 'hi' }] } as unknown as AiSdkMessage
const PROMPT = [SYSTEM, USER, SYSTEM]

const close = (request: object, view: Partial<ReturnType<typeof aiSdk.open>>) =>
  aiSdk.close(frozen(request) as AiSdkRequest, { ...aiSdk.open(request as AiSdkRequest), ...view })

describe('opening and closing a request', () => {
  test('leading system messages stand apart, a later one does not', () => {
    expect(aiSdk.open({ prompt: PROMPT })).toEqual({ system: [SYSTEM], items: [USER, SYSTEM], tools: [] })
    expect(aiSdk.open({ prompt: [SYSTEM] })).toEqual({ system: [SYSTEM], items: [], tools: [] })
  })

  test('a prompt alone is opened and closed as one; its tools are unknown', () => {
    expect(aiSdk.open(PROMPT)).toEqual({ system: [SYSTEM], items: [USER, SYSTEM] })
    const closed = close(PROMPT, { items: [USER] })
    expect(closed).toEqual([SYSTEM, USER])
    expect(originOf(closed)).toBe(PROMPT)
  })

  test('fields that nobody here knows survive, and the copy knows its origin', () => {
    const request = { prompt: PROMPT, temperature: 0, abortSignal: new AbortController().signal }
    const closed = close(request, { items: [USER] }) as AiSdkCallOptions
    expect(closed).toEqual({ ...request, prompt: [SYSTEM, USER] })
    expect(originOf(closed)).toBe(request)
    expect(originOf(closed.prompt)).toBe(PROMPT)
  })

  test('Anthropic’s and Bedrock’s thinking comes on top of the cap, Google’s is inside', () => {
    const cases: readonly (readonly [object, number])[] = [
      [{ anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } }, 3000],
      [{ bedrock: { reasoningConfig: { type: 'enabled', budgetTokens: 2000 } } }, 3000],
      [{ google: { thinkingConfig: { thinkingBudget: 2000 } } }, 1000],
    ]
    for (const [providerOptions, outputCap] of cases) {
      const request = { prompt: [USER], maxOutputTokens: 1000, providerOptions } as AiSdkCallOptions
      expect(aiSdk.open(request)).toMatchObject({ outputCap, thinkingBudget: 2000 })
      expect(close(request, {})).toBe(request)
      expect(close(request, { outputCap: outputCap - 100 })).toEqual({ ...request, maxOutputTokens: 900 })
    }
  })

  test('D14 a history at the provider is told, and its reference goes with a view that stands for all of it', () => {
    const request = {
      prompt: [USER],
      providerOptions: { openai: { previousResponseId: 'resp_1', store: true }, other: { conversation: 1 } },
    }
    expect(aiSdk.open(request).historyOnServer).toBe(true)
    expect(close(request, {})).toBe(request)
    expect(close(request, { historyOnServer: false })).toEqual({
      prompt: [USER],
      providerOptions: { openai: { store: true }, other: { conversation: 1 } },
    })
    expect(aiSdk.open({ prompt: [USER] })).not.toHaveProperty('historyOnServer')
  })

  test.each([
    [{ anthropic: { contextManagement: { edits: [{ type: 'clear_tool_uses_20250919' }] } } }, true],
    [{ openai: { contextManagement: [{ type: 'compaction', compactThreshold: 1000 }] } }, true],
    [{ openai: { truncation: 'auto' } }, true],
    [{ openai: { truncation: 'disabled' }, anthropic: { contextManagement: { edits: [] } } }, undefined],
  ])('%j: does the provider edit the history by itself? %s', (providerOptions, expected) => {
    expect(aiSdk.open({ prompt: [USER], providerOptions }).serverEdits).toBe(expected)
  })

  test('options that hold no pointer stay as they are', () => {
    const request = { prompt: [USER] }
    expect(close(request, { historyOnServer: false })).toBe(request)
  })

  test('prompts are recognised, other formats are not', () => {
    const call = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 'f', input: {} }] }
    expect(aiSdk.recognises({ prompt: [USER, call] })).toBe(1)
    expect(aiSdk.recognises([USER, call])).toBe(1)
    expect(aiSdk.recognises({ prompt: [USER] })).toBe(0.8)
    expect(aiSdk.recognises([USER])).toBe(0.2)
    for (const body of [null, [], {}, 'x', { prompt: 'complete this' }, { messages: [USER] }, [{ role: 'x' }], [1]]) {
      expect(aiSdk.recognises(body)).toBe(0)
    }
  })
})
