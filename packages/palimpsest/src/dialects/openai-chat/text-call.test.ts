import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions'
import { describe, expect, it } from 'vitest'
import { PRIVATE, textCallLaws } from '../text-call-laws.test-data.ts'
import { openaiChat } from './index.ts'
import { openaiChatTextCall } from './text-call.ts'

const LIKE = {
  model: 'gpt-4.1',
  max_tokens: 4_000,
  messages: [
    { role: 'system', content: PRIVATE },
    { role: 'user', content: PRIVATE },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: PRIVATE, arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: PRIVATE },
  ],
  tools: [{ type: 'function', function: { name: PRIVATE } }],
  tool_choice: { type: 'function', function: { name: PRIVATE } },
  reasoning_effort: 'high',
  stream: true,
  stream_options: { include_usage: true },
  response_format: { type: 'json_schema', json_schema: { name: PRIVATE } },
  user: 'user-7',
  store: false,
  provider: { data_collection: 'deny' },
}

textCallLaws(openaiChat, openaiChatTextCall, { like: LIKE })

const PROMPT = { system: 'Write.', user: 'This.', maxOutputTokens: 900 }

describe('openaiChatTextCall', () => {
  it('asks the same model, or the one of the prompt, and treats the data as the caller does', () => {
    const expected: ChatCompletionCreateParamsNonStreaming = {
      model: 'gpt-4.1',
      user: 'user-7',
      store: false,
      max_tokens: 900,
      messages: [
        { role: 'system', content: 'Write.' },
        { role: 'user', content: 'This.' },
      ],
    }
    expect(openaiChatTextCall.request(PROMPT, LIKE)).toEqual({ ...expected, provider: { data_collection: 'deny' } })
    expect(openaiChatTextCall.request({ ...PROMPT, model: 'small' }, LIKE).model).toBe('small')
  })

  it('names the session where the caller does', () => {
    const named = { ...LIKE, prompt_cache_key: 'theirs' }
    expect(openaiChatTextCall.request({ ...PROMPT, session: 's-1' }, named)).toMatchObject({ prompt_cache_key: 's-1' })
    expect(openaiChatTextCall.request(PROMPT, named)).toMatchObject({ prompt_cache_key: 'theirs' })
    expect(openaiChatTextCall.request({ ...PROMPT, session: 's-1' }, LIKE)).not.toHaveProperty('prompt_cache_key')
  })

  it.each([
    ['as the caller does', { model: 'some-model', max_completion_tokens: 9 }, undefined, 'max_completion_tokens'],
    ['as the caller does, of an old server', { model: 'gpt-5', max_tokens: 9 }, undefined, 'max_tokens'],
    ['by the name of the model', { model: 'gpt-5.4-mini' }, undefined, 'max_completion_tokens'],
    ['by the name of the model, behind a router', { model: 'openai/o4-mini' }, undefined, 'max_completion_tokens'],
    ['by the name of the model', { model: 'gpt-oss-120b' }, undefined, 'max_tokens'],
    ['by the name of another model', { model: 'gpt-4o', max_tokens: 9 }, 'gpt-5-mini', 'max_completion_tokens'],
    ['by the name of another model', { model: 'gpt-5', max_completion_tokens: 9 }, 'qwen3', 'max_tokens'],
    ['as most servers do', {}, undefined, 'max_tokens'],
  ])('caps the output %s: %o', (_, like, model, name) => {
    const request = openaiChatTextCall.request({ ...PROMPT, ...(model && { model }) }, { ...like, messages: [] })
    const caps = Object.entries(request).filter(([key]) => key.startsWith('max_'))
    expect(caps).toEqual([[name, 900]])
  })

  it('reads text without reasoning, finish and usage', () => {
    const message = { role: 'assistant', content: 'Done.', reasoning_content: 'Hm.' }
    const usage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 }
    expect(openaiChatTextCall.read({ choices: [{ message, finish_reason: 'stop' }], usage })).toEqual({
      text: 'Done.',
      finish: 'stop',
      reasoned: true,
      usage: { input: 100, output: 7 },
    })
  })

  it.each([
    ['length', { content: 'x' }, 'length', 'length'],
    ['a filter', { content: '' }, 'content_filter', 'refusal'],
    ['a refusal', { content: null, refusal: 'No.' }, 'stop', 'refusal'],
    ['a call', { content: 'x', tool_calls: [{ id: 'c' }] }, 'stop', 'tool-call'],
    ['an old call', { content: null, function_call: { name: 'f' } }, 'function_call', 'tool-call'],
    ['a list of parts', { content: [{ type: 'text', text: 'x' }] }, 'stop', 'stop'],
    ['an error in a router', { content: null }, 'error', 'other'],
  ])('%s', (_, message, finish_reason, finish) => {
    const read = openaiChatTextCall.read({ choices: [{ message, finish_reason }] })
    expect(read).toEqual({ text: 'content' in message && message.content ? 'x' : '', finish })
  })
})
