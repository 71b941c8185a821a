import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import { anthropicMessages } from './index.ts'

const { open, close, recognises } = anthropicMessages

describe('open and close', () => {
  it('tells what the engine must know of the request', () => {
    const request = {
      model: 'm',
      max_tokens: 9_000,
      system: 'prompt',
      messages: [{ role: 'user', content: 'x' }],
      tools: [{ name: 'run' }],
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      thread: { type: 'continue', previous_message_id: 'msg_1' },
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      cache_control: { type: 'ephemeral' },
    }
    expect(open(request)).toEqual({
      model: 'm',
      outputCap: 9_000,
      system: ['prompt'],
      items: request.messages,
      tools: [{ name: 'run' }],
      thinkingBudget: 2_000,
      historyOnServer: true,
      serverEdits: true,
      automaticCache: true,
    })
    expect(open({ messages: [] })).toEqual({ system: [], items: [], tools: [] })
  })

  it('D14 starts a thread anew once the view is the whole history: the client goes on from the answer', () => {
    const thread = { type: 'continue', previous_message_id: 'msg_1' }
    const request = deepFreeze({ messages: [{ role: 'user', content: 'x' }], thread })
    const whole = { ...open(request), historyOnServer: false }
    expect(close(request, whole)).toEqual({ messages: request.messages, thread: { type: 'create' } })
    expect(close(request, open(request))).toBe(request)
  })

  it('lowers the output cap and never raises it', () => {
    const request = deepFreeze({ max_tokens: 8_000, messages: [{ role: 'user', content: 'x' }] })
    expect(close(request, { ...open(request), outputCap: 5_000 })).toEqual({ ...request, max_tokens: 5_000 })
    expect(close(request, { ...open(request), outputCap: 9_000 })).toBe(request)
    const uncapped = { messages: request.messages }
    expect(close(uncapped, { ...open(uncapped), outputCap: 5_000 })).toBe(uncapped)
  })
})

describe('recognises', () => {
  it('knows those of other formats for what they are', () => {
    const message = { role: 'user', content: 'x' }
    const others: unknown[] = [
      undefined,
      'text',
      { input: [] },
      { contents: [] },
      { messages: [message, { role: 'tool', tool_call_id: 't', content: 'x' }] },
      { messages: [message, { role: 'assistant', content: null, tool_calls: [] }] },
      { messages: [message], tools: [{ type: 'function', function: { name: 'run' } }] },
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
      { messages: [{ role: 'user', content: [{ text: 'x' }] }] },
    ]
    expect(others.map(recognises)).toEqual(others.map(() => 0))
    expect(recognises({ model: 'some-model', messages: [message] })).toBeLessThan(0.5)
    const chat = { model: 'claude-opus-4-8', messages: [{ role: 'system', content: 's' }, message] }
    expect(recognises(chat)).toBeLessThan(0.5)
    expect(recognises({ ...chat, messages: [message] })).toBeGreaterThan(0.6)
  })
})
