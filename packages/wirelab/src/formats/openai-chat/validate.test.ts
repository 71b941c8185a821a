import { describe, expect, test } from 'vitest'
import type { LabRules } from '../../format.ts'
import { openaiChatFormat } from './index.ts'

const RULES: LabRules = { thinkingBinding: 'none', strictAlternation: false, systemInMessages: true }

const user = (content: unknown = 'Hello') => ({ role: 'user', content })
const assistant = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more })
const call = (id: string, json: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: json },
})
const calls = (...tool_calls: object[]) => assistant(null, { tool_calls })
const tool = (tool_call_id: string | undefined) => ({ role: 'tool', tool_call_id, content: 'ok' })
const system = { role: 'system', content: 'Be brief.' }

function body(messages: readonly object[], more: object = {}): object {
  return { model: 'gpt-5', messages, ...more }
}

function ruleBrokenBy(request: unknown, rules: Partial<LabRules> = {}): string | undefined {
  const call = { kind: 'generate', stream: false, model: 'm' } as const
  return openaiChatFormat.validate(request, { ...RULES, ...rules }, call)?.rule
}

const TOOLS = [{ type: 'function', function: { name: 'read' } }]

/** What is refused, by which rule, and the same request with the mistake mended. */
const MENDED: readonly (readonly [rule: string, what: string, broken: unknown, mended: object])[] = [
  ['body', 'a body that is a list', [], body([user()])],
  ['model', 'no model', body([user()], { model: undefined }), body([user()])],
  ['messages', 'no messages', body([]), body([user()])],
  ['tools', 'an empty list of tools', body([user()], { tools: [] }), body([user()], { tools: TOOLS })],
  [
    'tools',
    'a choice of tools without any',
    body([user()], { tool_choice: 'auto' }),
    body([user()], { tools: TOOLS, tool_choice: 'auto' }),
  ],
  [
    'stream-options',
    'options of a stream without one',
    body([user()], { stream_options: { include_usage: true } }),
    body([user()], { stream: true, stream_options: { include_usage: true } }),
  ],
  [
    'max-tokens',
    'an output cap of 0',
    body([user()], { max_completion_tokens: 0 }),
    body([user()], { max_completion_tokens: 1 }),
  ],
  ['role', 'a role that does not exist', body([{ role: 'model', content: 'x' }]), body([user()])],
  ['content', 'no content', body([user(null)]), body([user('')])],
  [
    'content',
    'an answer that says nothing',
    body([user(), assistant(null), user()]),
    body([user(), assistant(''), user()]),
  ],
  ['content', 'an empty list of parts', body([user([])]), body([user([{ type: 'text', text: '' }])])],
  [
    'content-part',
    'a text part without text',
    body([user([{ type: 'text' }])]),
    body([user([{ type: 'text', text: 'a' }])]),
  ],
  ['tool-orphan', 'a result without a call', body([user(), tool('a')]), body([user(), calls(call('a')), tool('a')])],
  [
    'tool-orphan',
    'a second result of one call',
    body([user(), calls(call('a')), tool('a'), tool('a')]),
    body([user(), calls(call('a')), tool('a'), user()]),
  ],
  [
    'tool-call-id',
    'a result without an id',
    body([user(), calls(call('a')), tool(undefined)]),
    body([user(), calls(call('a')), tool('a')]),
  ],
  [
    'tool-unanswered',
    'a call without a result',
    body([user(), calls(call('a'), call('b')), tool('b'), user()]),
    body([user(), calls(call('a'), call('b')), tool('b'), tool('a'), user()]),
  ],
  [
    'tool-unanswered',
    'a call at the end',
    body([user(), calls(call('a'))]),
    body([user(), calls(call('a')), tool('a')]),
  ],
  [
    'tool-unanswered',
    'a result behind another message',
    body([user(), calls(call('a')), user(), tool('a')]),
    body([user(), calls(call('a')), tool('a'), user()]),
  ],
  [
    'calls-empty',
    'an empty list of calls',
    body([user(), assistant('a', { tool_calls: [] })]),
    body([user(), assistant('a')]),
  ],
  ['calls-role', 'calls of the user', body([{ ...user(), tool_calls: [call('a')] }, tool('a')]), body([user()])],
  [
    'call-arguments',
    'arguments that no longer parse',
    body([user(), calls(call('a', '{"path": "src')), tool('a')]),
    body([user(), calls(call('a', '{"path": "src"}')), tool('a')]),
  ],
  [
    'call-arguments',
    'arguments as an object',
    body([user(), calls(call('a', {})), tool('a')]),
    body([user(), calls(call('a', '')), tool('a')]),
  ],
  [
    'call-id',
    'a call without an id',
    body([user(), calls({ ...call('a'), id: undefined }), tool('a')]),
    body([user(), calls(call('a')), tool('a')]),
  ],
  [
    'call-name',
    'a call without a name',
    body([user(), calls({ id: 'a', type: 'function', function: { arguments: '{}' } }), tool('a')]),
    body([user(), calls(call('a')), tool('a')]),
  ],
  [
    'function-orphan',
    'a result of the older kind without its call',
    body([user(), { role: 'function', name: 'read', content: 'ok' }]),
    body([
      user(),
      assistant(null, { function_call: { name: 'read', arguments: '{}' } }),
      { role: 'function', name: 'read', content: 'ok' },
    ]),
  ],
  [
    'call-id-repeated',
    'two calls with one id',
    body([user(), calls(call('a'), call('a')), tool('a')]),
    body([user(), calls(call('a')), tool('a'), calls(call('a')), tool('a')]),
  ],
]

describe('rules of Chat Completions', () => {
  test.each(MENDED)('%s: %s is refused, mended it passes', (rule, _what, broken, mended) => {
    expect(ruleBrokenBy(broken)).toBe(rule)
    expect(ruleBrokenBy(mended)).toBeUndefined()
  })

  test('unknown fields of a call are no mistake', () => {
    const signed = { ...call('a'), extra_content: { google: { thought_signature: 'x' } } }
    expect(ruleBrokenBy(body([user(), calls(signed), tool('a')]))).toBeUndefined()
  })
})

describe('strict templates', () => {
  const strict = (...messages: object[]) => ruleBrokenBy(body(messages), { strictAlternation: true })

  test('user and assistant take turns, tools apart', () => {
    expect(strict(system, user(), assistant('Hi'), user())).toBeUndefined()
    expect(strict(user(), calls(call('a')), tool('a'), assistant('Hi'), user())).toBeUndefined()
    expect(strict(user(), user())).toBe('alternation')
    expect(strict(assistant('Hi'), user())).toBe('alternation')
    expect(ruleBrokenBy(body([user(), user()]))).toBeUndefined()
  })

  test('the system message stands first', () => {
    expect(strict(user(), system, assistant('Hi'))).toBe('system-place')
    expect(ruleBrokenBy(body([user(), system]))).toBeUndefined()
  })
})
