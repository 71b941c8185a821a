import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { PRIVATE, textCallLaws } from '../text-call-laws.test-data.ts'
import { anthropicMessages } from './index.ts'
import { anthropicTextCall } from './text-call.ts'

const LIKE = {
  model: 'claude-opus-4-8',
  max_tokens: 32_000,
  system: [{ type: 'text', text: PRIVATE, cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: PRIVATE },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: PRIVATE, input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: PRIVATE }] },
  ],
  tools: [{ name: PRIVATE, input_schema: { type: 'object' } }],
  tool_choice: { type: 'tool', name: PRIVATE },
  thinking: { type: 'enabled', budget_tokens: 10_000 },
  context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
  output_config: { effort: PRIVATE },
  stop_sequences: [PRIVATE],
  stream: true,
  metadata: { user_id: 'user-7' },
} as const

textCallLaws(anthropicMessages, anthropicTextCall, { like: LIKE })

const PROMPT = { system: 'Write.', user: 'This.', maxOutputTokens: 900 }

describe('anthropicTextCall', () => {
  it('asks the same model, or the one of the prompt, with what a hosted service needs', () => {
    expect(anthropicTextCall.request(PROMPT, LIKE)).toEqual({
      model: 'claude-opus-4-8',
      metadata: { user_id: 'user-7' },
      max_tokens: 900,
      system: 'Write.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'This.' }] }],
    })
    expect(anthropicTextCall.request({ ...PROMPT, model: 'claude-haiku-4-5' }, LIKE).model).toBe('claude-haiku-4-5')
    const { model: _, ...hosted } = { ...LIKE, anthropic_version: 'vertex-2023-10-16' }
    const request = anthropicTextCall.request(PROMPT, hosted)
    expect(request).toMatchObject({ anthropic_version: 'vertex-2023-10-16' })
    expect(request).not.toHaveProperty('model')
  })

  it('is what the official SDK sends', () => {
    const sent: Pick<MessageCreateParamsNonStreaming, 'max_tokens' | 'messages' | 'system'> = {
      max_tokens: 1,
      system: 'Write.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'This.' }] }],
    }
    expectTypeOf<MessageCreateParamsNonStreaming>().toExtend<typeof sent>()
    expect(anthropicTextCall.request({ ...PROMPT, maxOutputTokens: 1 }, { messages: [] })).toEqual(sent)
  })

  it('reads text without thinking, finish and the whole usage', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'One ' },
      { type: 'text', text: 'two.' },
    ]
    const usage = { input_tokens: 10, cache_read_input_tokens: 90, cache_creation_input_tokens: 0, output_tokens: 7 }
    expect(anthropicTextCall.read({ content, stop_reason: 'end_turn', usage })).toEqual({
      text: 'One two.',
      finish: 'stop',
      reasoned: true,
      usage: { input: 100, output: 7 },
    })
  })

  it.each([
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'refusal'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'other'],
  ])('%s is %s', (stop_reason, finish) => {
    expect(anthropicTextCall.read({ content: [], stop_reason })).toEqual({ text: '', finish })
  })

  it('a call beside text is a call', () => {
    const content = [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 't', name: 'Read', input: {} },
    ]
    expect(anthropicTextCall.read({ content, stop_reason: 'end_turn' }).finish).toBe('tool-call')
  })
})
