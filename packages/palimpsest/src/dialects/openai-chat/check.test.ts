import { describe, expect, test } from 'vitest'
import type { CHAT_RULES } from './check.ts'
import { type ChatMessage, type ChatRequest, openaiChat } from './index.ts'

const USER = { role: 'user', content: 'go' }
const ANSWER = { role: 'assistant', content: 'done' }
const call = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'read', arguments: args } })
const calls = (...list: readonly object[]) => ({ role: 'assistant', content: null, tool_calls: list })
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })

/** For each rule a request that breaks it, and nothing else; the position where. */
const BROKEN: Record<keyof typeof CHAT_RULES, readonly [ChatRequest, number | undefined]> = {
  'chat/empty-messages': [chat(), undefined],
  'chat/call-without-result': [chat(USER, calls(call('a'), call('b')), result('a'), ANSWER), 1],
  'chat/result-without-call': [chat(USER, ANSWER, result('a')), 2],
  'chat/duplicate-result': [chat(USER, calls(call('a')), result('a'), result('a')), 3],
  'chat/duplicate-call': [chat(USER, calls(call('a'), call('a')), result('a')), 1],
  'chat/missing-call-id': [
    chat(USER, calls({ type: 'function', function: { name: 'read', arguments: '{}' } }), ANSWER),
    1,
  ],
  'chat/function-result-without-call': [chat(USER, ANSWER, { role: 'function', name: 'read', content: 'ok' }), 2],
  'chat/arguments-not-json': [chat(USER, calls(call('a', '{"x":')), result('a')), 1],
  'chat/empty-tool-calls': [chat(USER, calls(), USER), 1],
  'chat/empty-content': [chat(USER, { role: 'assistant', content: null }, USER), 1],
  'chat/roles-must-alternate': [chat(USER, USER), 1],
  'chat/first-not-user': [chat(ANSWER, USER), 0],
  'chat/system-not-first': [chat(USER, ANSWER, { role: 'system', content: 'brief' }, USER), 2],
}

const TEMPLATE_RULES = ['chat/roles-must-alternate', 'chat/first-not-user', 'chat/system-not-first']

describe('the rules of Chat Completions', () => {
  test.each(Object.entries(BROKEN))('%s', (rule, [request, position]) => {
    const opened = openaiChat.open(request)
    const isOfTemplate = TEMPLATE_RULES.includes(rule)
    const found = openaiChat.check(opened, { strictAlternation: isOfTemplate })
    expect(found.map((one) => [one.rule, one.position])).toEqual([[rule, position]])
    expect(found[0]?.message).not.toBe('')
    expect(found[0]?.fix).not.toBe('')
    if (isOfTemplate) expect(openaiChat.check(opened)).toEqual([])
  })

  test.each([
    [
      'a tool message after words',
      chat(USER, calls(call('a')), USER, result('a')),
      ['chat/call-without-result', 'chat/result-without-call'],
    ],
    ['a call at the end', chat(USER, calls(call('a'))), ['chat/call-without-result']],
    ['a tool message first', chat(result('a'), USER), ['chat/result-without-call']],
    [
      'a function result of another name',
      chat(USER, older('read'), { role: 'function', name: 'write', content: '' }),
      ['chat/function-result-without-call'],
    ],
    ['a user message without content', chat({ role: 'user', content: [] }), ['chat/empty-content']],
    ['broken arguments of the older form', chat(USER, older('read', '{'), USER), ['chat/arguments-not-json']],
  ])('refuse %s', (_, request, rules) => {
    expect(openaiChat.check(openaiChat.open(request)).map((one) => one.rule)).toEqual(rules)
  })

  test.each([
    ['results in any order', chat(USER, calls(call('a'), call('b')), result('b'), result('a'), USER)],
    [
      'call ids that come again in a later step',
      chat(USER, calls(call('a')), result('a'), calls(call('a')), result('a')),
    ],
    [
      'custom tools with free text',
      chat(USER, calls({ id: 'a', type: 'custom', custom: { name: 'sql', input: 'SELECT' } }), result('a')),
    ],
    [
      'empty arguments, and content left out beside calls',
      chat(USER, { role: 'assistant', tool_calls: [call('a', '')] }, result('a')),
    ],
    ['the older form', chat(USER, older('read'), { role: 'function', name: 'read', content: 'ok' }, ANSWER)],
    [
      'a refusal and a sound instead of content',
      chat(USER, { role: 'assistant', refusal: 'no' }, USER, { role: 'assistant', audio: { id: 'x' } }, USER),
    ],
    ['system messages in the middle', chat(USER, ANSWER, { role: 'system', content: 'brief' }, USER, USER)],
    ['nothing but system messages', chat({ role: 'system', content: 'begin' })],
  ])('allow %s', (_, request) => {
    expect(openaiChat.check(openaiChat.open(request))).toEqual([])
  })

  test('of strict templates let a step stand between two assistant messages', () => {
    const request = chat(
      { role: 'system', content: 's' },
      USER,
      calls(call('a')),
      result('a'),
      calls(call('b')),
      result('b'),
      ANSWER,
      USER,
    )
    expect(openaiChat.check(openaiChat.open(request), { strictAlternation: true })).toEqual([])
  })
})

function older(name: string, args = '{}'): object {
  return { role: 'assistant', content: null, function_call: { name, arguments: args } }
}

function chat(...messages: readonly object[]): ChatRequest {
  return { messages: messages as readonly ChatMessage[] }
}
