import { describe, expect, test } from 'vitest'
import { importSessionText } from '../import-session.ts'
import { itemsOf, jsonLines, skippedCounts } from '../session-text.test-data.ts'

const user = { role: 'user', content: 'hi' }
const anthropic = {
  model: 'model-a',
  max_tokens: 9,
  messages: [user, { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input: {} }] }],
}
const chat = {
  model: 'model-b',
  messages: [
    { role: 'system', content: 's' },
    user,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 't', type: 'function', function: { name: 'n', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 't', content: 'x' },
  ],
}
const responses = {
  model: 'model-c',
  input: [
    { type: 'reasoning', summary: [] },
    { type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' },
  ],
}
const gemini = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], generationConfig: {} }
const bedrock = { modelId: 'model-d', messages: [{ role: 'user', content: [{ text: 'hi' }] }], inferenceConfig: {} }
const aiSdk = {
  prompt: [user, { role: 'tool', content: [{ type: 'tool-result', toolCallId: 't', toolName: 'n', output: {} }] }],
}

describe('the dialect of a body', () => {
  test.each([
    ['anthropic-messages', anthropic, anthropic.messages],
    ['openai-chat', chat, chat.messages],
    ['openai-responses', responses, responses.input],
    ['gemini', gemini, gemini.contents],
    ['bedrock-converse', bedrock, bedrock.messages],
    ['ai-sdk', aiSdk, aiSdk.prompt],
  ])('is %s by its structure, on one line or written over many', (dialect, body, items) => {
    for (const text of [JSON.stringify(body), `${JSON.stringify(body, null, 1)}\n`]) {
      const session = importSessionText(text)
      expect(session).toMatchObject({
        format: 'request',
        dialect,
        request: body,
        skipped: {},
        calls: [],
        compactions: [],
      })
      expect(itemsOf(session)).toEqual(items)
    }
  })

  test.each([
    ['anthropic-messages', { system: 's', messages: [user] }],
    ['anthropic-messages', { model: 'claude-x', messages: [user] }],
    ['anthropic-messages', { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control: {} }] }] }],
    ['anthropic-messages', { messages: [user], tools: [{ name: 'n', input_schema: {} }] }],
    ['openai-chat', { messages: [user] }],
    ['openai-chat', { messages: [user], tools: [{ type: 'function', function: { name: 'n' } }] }],
    ['bedrock-converse', { messages: [{ role: 'user', content: [{ text: 'hi' }] }] }],
    [
      'ai-sdk',
      {
        messages: [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't', toolName: 'n', input: {} }] }],
      },
    ],
  ])('%s is told from little', (dialect, body) => {
    expect(importSessionText(JSON.stringify(body)).dialect).toBe(dialect)
  })

  test('is what the caller recognises, before any guess', () => {
    const session = importSessionText(JSON.stringify(anthropic), { recognise: () => 'own-dialect' })
    expect(session.dialect).toBe('own-dialect')
    expect(itemsOf(session)).toEqual(anthropic.messages)
    expect(importSessionText(JSON.stringify(anthropic), { recognise: () => undefined }).dialect).toBe(
      'anthropic-messages',
    )
  })

  test('a body that only the caller recognises is a request too', () => {
    const recognise = (body: unknown) =>
      typeof body === 'object' && body !== null && 'odd' in body ? 'odd-dialect' : undefined
    expect(importSessionText('{"odd":1}', { recognise })).toMatchObject({
      dialect: 'odd-dialect',
      request: { odd: 1 },
      items: [],
    })
    expect(importSessionText('{\n"odd":1}', { recognise }).dialect).toBe('odd-dialect')
  })

  test('is the one the caller names', () => {
    expect(importSessionText(JSON.stringify({ messages: [user] }), { format: 'bedrock-converse' }).dialect).toBe(
      'bedrock-converse',
    )
  })
})

describe('what else is a request', () => {
  test.each([
    ['openai-chat', [user], { messages: [user] }],
    ['openai-responses', responses.input, { input: responses.input }],
    ['gemini', gemini.contents, { contents: gemini.contents }],
  ])('a list of messages without the rest (%s)', (dialect, list, request) => {
    expect(importSessionText(JSON.stringify(list))).toMatchObject({ dialect, request })
    expect(importSessionText(JSON.stringify(list, null, 2))).toMatchObject({ dialect, request })
  })

  test('messages on lines of their own', () => {
    const session = importSessionText(jsonLines([user, { role: 'assistant', content: 'yes' }]))
    expect(session).toMatchObject({
      dialect: 'openai-chat',
      request: { messages: [user, { role: 'assistant', content: 'yes' }] },
    })
    expect(session.items.map(({ line }) => line)).toEqual([1, 2])
  })

  test('lines of requests: the longest counts, of equals the last', () => {
    const short = { messages: [user] }
    const long = { model: 'first', messages: [user, user] }
    const session = importSessionText(jsonLines([short, long, { ...long, model: 'second' }, short, { strange: 1 }]))
    expect(session).toMatchObject({ model: 'second', items: [{ line: 3 }, { line: 3 }] })
    expect(skippedCounts(session)).toEqual({ 'other request': 3, 'unknown record': 1 })
  })

  test('the text of the request is the one that came, numbers as they were spelled', () => {
    const textOf = (file: string) => importSessionText(file).requestText
    const [short, long] = [1, 2].map(
      (count) =>
        `{ "seed":18446744073709551615, "top_p":1.0,"messages":[${Array(count).fill('{"role":"user","content":"é"}')}]}`,
    )
    expect(textOf(`${short}\n${long}\r\n${short}\n`)).toBe(long)
    expect(textOf(`${short}${long}`)).toBe(long)
    expect(textOf('[{"role":"user","content":"a","n":1e2}]\n')).toBe('[{"role":"user","content":"a","n":1e2}]')
    expect(textOf('{"role":"user","content":"a","n":1.0}\n\n{"role":"user","content":"b","n":2E1}\n')).toBe(
      '{"messages":[{"role":"user","content":"a","n":1.0},{"role":"user","content":"b","n":2E1}]}',
    )
    const spread = '{\n "messages": [],\n "seed": 1.0\n}'
    expect(textOf(`${spread}\n`)).toBe(spread)
  })

  test('the short form of a Responses input', () => {
    expect(itemsOf(importSessionText('{"model":"m","input":"hi"}'))).toEqual([user])
  })
})

test('a compaction of the provider stays an item, and is noted at its place', () => {
  const input = [user, { type: 'compaction', encrypted_content: 'ZW5j' }, user]
  const session = importSessionText(JSON.stringify({ input }))
  expect(session.items).toHaveLength(3)
  expect(session.compactions).toEqual([{ position: 1, trigger: 'unknown', kind: 'opaque' }])
})
