import { describe, expect, test } from 'vitest'
import { effortOptions } from './effort.ts'

type Provider = Parameters<typeof effortOptions>[0]

describe('F1 the effort of a model', () => {
  const adaptive = { thinking: { type: 'adaptive' }, effort: 'medium' }
  const budget = { thinking: { type: 'enabled', budgetTokens: 8_192 } }
  test.each<[Provider, string, object]>([
    ['anthropic', 'claude-sonnet-5-5', adaptive],
    ['anthropic', 'claude-fable-5', adaptive],
    ['anthropic', 'claude-opus-4-6', adaptive],
    ['anthropic', 'claude-of-the-future', adaptive],
    ['anthropic', 'claude-sonnet-4-5-20250929', budget],
    ['anthropic', 'claude-haiku-4-5', budget],
    ['anthropic', 'claude-sonnet-4-20250514', budget],
    ['anthropic', 'claude-opus-4-1', budget],
    ['anthropic', 'claude-3-7-sonnet-latest', budget],
    ['anthropic', 'claude-3-5-haiku-20241022', {}],
    ['anthropic', 'claude-3-haiku-20240307', {}],
    ['openai', 'gpt-5', { reasoningEffort: 'medium' }],
    ['openai', 'gpt-6.1-sol', { reasoningEffort: 'medium' }],
    ['openai', 'o4-mini', { reasoningEffort: 'medium' }],
    ['openai', 'codex-mini-latest', { reasoningEffort: 'medium', forceReasoning: true }],
    ['openai', 'gpt-5-chat-latest', {}],
    ['openai', 'gpt-5-pro', {}],
    ['openai', 'gpt-4.1', {}],
    ['openai-chat', 'openai/gpt-oss-120b', { reasoningEffort: 'medium' }],
    ['openai-chat', 'o4-mini', { reasoningEffort: 'medium' }],
    ['openai-chat', 'qwen3-coder:30b', {}],
    ['openai-chat', 'gpt-4o', {}],
    ['google', 'gemini-2.5-pro', { thinkingConfig: { thinkingBudget: 8_192 } }],
    ['google', 'gemini-3.1-pro-preview', { thinkingConfig: { thinkingLevel: 'medium' } }],
    ['google', 'gemini-3-pro-preview', { thinkingConfig: { thinkingLevel: 'high' } }],
    ['google', 'gemini-2.0-flash', {}],
    ['bedrock', 'us.anthropic.claude-opus-5', { reasoningConfig: { type: 'adaptive', maxReasoningEffort: 'medium' } }],
    [
      'bedrock',
      'anthropic.claude-sonnet-4-5-20250929-v1:0',
      { reasoningConfig: { type: 'enabled', budgetTokens: 8_192 } },
    ],
    ['bedrock', 'anthropic.claude-3-5-sonnet-20240620-v1:0', {}],
    ['bedrock', 'openai.gpt-oss-120b-1:0', { reasoningConfig: { maxReasoningEffort: 'medium' } }],
    ['bedrock', 'meta.llama3-70b-instruct-v1:0', {}],
  ])('%s %s', (provider, id, options) => {
    expect(effortOptions(provider, id, { effort: 'medium' })).toEqual(options)
    expect(effortOptions(provider, id, { effort: undefined })).toEqual({})
  })

  test.each([
    [4_000, 4_000],
    [500, 1_024],
    [32_000, 16_384],
  ])('a budget is bounded by an output cap of %i', (cap, budgetTokens) => {
    const asked = { effort: 'high', cap } as const
    expect(effortOptions('anthropic', 'claude-sonnet-4-5', asked)).toMatchObject({ thinking: { budgetTokens } })
    expect(effortOptions('bedrock', 'anthropic.claude-sonnet-4-5-20250929-v1:0', asked)).toMatchObject({
      reasoningConfig: { budgetTokens },
    })
  })
})
