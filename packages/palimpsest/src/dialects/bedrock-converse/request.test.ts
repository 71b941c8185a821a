import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import { bedrockConverse } from './index.ts'

const { open, close, recognises } = bedrockConverse

describe('open and close', () => {
  it('tells what the engine must know of the request', () => {
    const request = {
      modelId: 'm',
      system: [{ text: 's' }],
      messages: [{ role: 'user', content: [{ text: 'x' }] }],
      inferenceConfig: { maxTokens: 9_000 },
      toolConfig: { tools: [{ toolSpec: { name: 'run' } }] },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    }
    expect(open(request)).toEqual({
      model: 'm',
      outputCap: 9_000,
      thinkingBudget: 2_000,
      system: request.system,
      items: request.messages,
      tools: request.toolConfig.tools,
    })
    expect(open({})).toEqual({ system: [], items: [], tools: [] })
  })

  it('lowers the output cap and never raises it', () => {
    const messages = [{ role: 'user', content: [{ text: 'x' }] }]
    const request = deepFreeze({ messages, inferenceConfig: { maxTokens: 8_000, temperature: 1 } })
    expect(close(request, { ...open(request), outputCap: 5_000 })).toEqual({
      messages,
      inferenceConfig: { maxTokens: 5_000, temperature: 1 },
    })
    expect(close(request, { ...open(request), outputCap: 9_000 })).toBe(request)
    const uncapped = { messages, inferenceConfig: {} }
    expect(close(uncapped, { ...open(uncapped), outputCap: 5_000 })).toBe(uncapped)
  })
})

describe('recognises', () => {
  it('knows those of other formats for what they are', () => {
    const others: unknown[] = [
      undefined,
      { messages: [] },
      { messages: [{ role: 'user', content: 'x' }] },
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
      { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
    ]
    expect(others.map(recognises)).toEqual(others.map(() => 0))
  })
})
