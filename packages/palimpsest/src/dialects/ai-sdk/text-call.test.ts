import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { PRIVATE, textCallLaws } from '../text-call-laws.test-data.ts'
import { aiSdk } from './index.ts'
import type { AiSdkCallOptions } from './items.ts'
import { aiSdkTextCall } from './text-call.ts'

const LIKE: AiSdkCallOptions & { readonly [field: string]: unknown } = {
  prompt: [
    { role: 'system', content: PRIVATE },
    { role: 'user', content: [{ type: 'text', text: PRIVATE } as { type: 'text' }] },
  ],
  maxOutputTokens: 9_000,
  tools: [{ type: 'function', name: PRIVATE, inputSchema: {} }],
  toolChoice: { type: 'tool', toolName: PRIVATE },
  headers: { 'x-tenant': 'seven' },
  providerOptions: {
    openai: { store: false, previousResponseId: PRIVATE, reasoningEffort: 'high' },
    anthropic: {
      thinking: { type: 'enabled', budgetTokens: 5_000 },
      contextManagement: { edits: [{ note: PRIVATE }] },
    },
  },
}

textCallLaws(aiSdk, aiSdkTextCall, { like: LIKE })

const PROMPT = { system: 'Write.', user: 'This.', maxOutputTokens: 900 }

describe('aiSdkTextCall', () => {
  it('asks for one text with the headers of the caller, stored no more than its own calls', () => {
    const expected: LanguageModelV3CallOptions = {
      prompt: [
        { role: 'system', content: 'Write.' },
        { role: 'user', content: [{ type: 'text', text: 'This.' }] },
      ],
      maxOutputTokens: 900,
      headers: { 'x-tenant': 'seven' },
      providerOptions: { openai: { store: false } },
    }
    expect(aiSdkTextCall.request(PROMPT, LIKE)).toEqual(expected)
    const { headers: _, providerOptions: __, ...bare } = expected
    expect(aiSdkTextCall.request(PROMPT, LIKE.prompt)).toEqual(bare)
  })

  it('reads what a model gives, of version 2 and later, and what generateText gives', () => {
    const content = [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Done.' },
    ]
    const nested = { inputTokens: { total: 100 }, outputTokens: { total: 7 } }
    const read = { text: 'Done.', finish: 'stop', reasoned: true, usage: { input: 100, output: 7 } }
    expect(aiSdkTextCall.read({ content, finishReason: { unified: 'stop', raw: 'end_turn' }, usage: nested })).toEqual(
      read,
    )
    const flat = { inputTokens: 100, outputTokens: 7 }
    expect(aiSdkTextCall.read({ content, finishReason: 'stop', usage: flat })).toEqual(read)
    expect(aiSdkTextCall.read({ text: 'Done.', finishReason: 'stop' })).toEqual({ text: 'Done.', finish: 'stop' })
  })

  it.each([
    ['length', 'length'],
    ['content-filter', 'refusal'],
    ['tool-calls', 'tool-call'],
    ['error', 'other'],
  ])('%s is %s', (finishReason, finish) => {
    expect(aiSdkTextCall.read({ content: [], finishReason })).toEqual({ text: '', finish })
  })
})
