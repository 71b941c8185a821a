import type { ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime'
import { describe, expect, it } from 'vitest'
import { PRIVATE, textCallLaws } from '../text-call-laws.test-data.ts'
import { bedrockConverse } from './index.ts'
import { bedrockTextCall } from './text-call.ts'

const LIKE = {
  modelId: 'anthropic.claude-sonnet-5-v1:0',
  system: [{ text: PRIVATE }, { cachePoint: { type: 'default' } }],
  messages: [
    { role: 'user', content: [{ text: PRIVATE }] },
    { role: 'assistant', content: [{ toolUse: { toolUseId: 't1', name: PRIVATE, input: {} } }] },
    { role: 'user', content: [{ toolResult: { toolUseId: 't1', content: [{ text: PRIVATE }] } }] },
  ],
  toolConfig: { tools: [{ toolSpec: { name: PRIVATE } }] },
  inferenceConfig: { maxTokens: 9_000, stopSequences: [PRIVATE] },
  additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 5_000 }, note: PRIVATE },
  guardrailConfig: { guardrailIdentifier: 'g-1', guardrailVersion: '1' },
}

textCallLaws(bedrockConverse, bedrockTextCall, { like: LIKE })

const PROMPT = { system: 'Write.', user: 'This.', maxOutputTokens: 900 }

describe('bedrockTextCall', () => {
  it('asks for one text under the guardrail of the caller, and names a model where the caller does', () => {
    const expected: ConverseCommandInput = {
      modelId: 'anthropic.claude-sonnet-5-v1:0',
      guardrailConfig: { guardrailIdentifier: 'g-1', guardrailVersion: '1' },
      system: [{ text: 'Write.' }],
      messages: [{ role: 'user', content: [{ text: 'This.' }] }],
      inferenceConfig: { maxTokens: 900 },
    }
    expect(bedrockTextCall.request(PROMPT, LIKE)).toEqual(expected)
    expect(bedrockTextCall.request({ ...PROMPT, model: 'small' }, LIKE).modelId).toBe('small')
    const { modelId: _, ...body } = LIKE
    expect(bedrockTextCall.request({ ...PROMPT, model: 'small' }, body)).not.toHaveProperty('modelId')
  })

  it('reads text without reasoning, finish and the whole usage', () => {
    const content = [{ reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } }, { text: 'Done.' }]
    const usage = { inputTokens: 10, cacheReadInputTokens: 90, outputTokens: 7, totalTokens: 107 }
    expect(bedrockTextCall.read({ output: { message: { content } }, stopReason: 'end_turn', usage })).toEqual({
      text: 'Done.',
      finish: 'stop',
      reasoned: true,
      usage: { input: 100, output: 7 },
    })
  })

  it.each([
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'refusal'],
    ['tool_use', 'tool-call'],
    ['malformed_model_output', 'other'],
  ])('%s is %s', (stopReason, finish) => {
    expect(bedrockTextCall.read({ output: { message: { content: [] } }, stopReason })).toEqual({ text: '', finish })
  })
})
