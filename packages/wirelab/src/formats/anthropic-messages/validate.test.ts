import { describe, expect, test } from 'vitest'
import type { LabRules } from '../../format.ts'
import { anthropicMessagesFormat } from './index.ts'

const RULES: LabRules = { thinkingBinding: 'turn', strictAlternation: false, systemInMessages: true }

const user = (...content: object[]) => ({ role: 'user', content })
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const system = (text: string) => ({ role: 'system', content: text })
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more })
const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'read', input })
const result = (id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id: id, content })
const thinking = (signature: unknown = 'of-another-provider') => ({ type: 'thinking', thinking: 'Hm.', signature })
const mark = (ttl?: string) => ({ cache_control: { type: 'ephemeral', ...(ttl !== undefined && { ttl }) } })
const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }

const TOOLS = [{ name: 'read', input_schema: { type: 'object' } }]
const HELLO = user(text('Hello'))

function body(messages: readonly object[], more: object = {}): object {
  return { model: 'claude-opus-5', max_tokens: 100, tools: TOOLS, messages, ...more }
}

function ruleBrokenBy(request: unknown, rules: Partial<LabRules> = {}): string | undefined {
  const call = { kind: 'generate', stream: false, model: 'm' } as const
  return anthropicMessagesFormat.validate(request, { ...RULES, ...rules }, call)?.rule
}

/** What is refused, by which rule, and the same request with the mistake mended. */
const MENDED: readonly (readonly [rule: string, what: string, broken: object, mended: object])[] = [
  ['model', 'no model', body([HELLO], { model: undefined }), body([HELLO])],
  ['max-tokens', 'no output cap', body([HELLO], { max_tokens: undefined }), body([HELLO])],
  ['max-tokens', 'an output cap of 0', body([HELLO], { max_tokens: 0 }), body([HELLO], { max_tokens: 1 })],
  [
    'thinking-budget',
    'an output cap below the thinking budget',
    body([HELLO], { thinking: { type: 'enabled', budget_tokens: 100 } }),
    body([HELLO], { thinking: { type: 'enabled', budget_tokens: 99 } }),
  ],
  ['messages', 'no messages', body([]), body([HELLO])],
  ['role', 'a role that does not exist', body([HELLO, { role: 'tool', content: 'x' }]), body([HELLO, user(text('x'))])],
  ['content', 'a message without content', body([{ role: 'user' }]), body([HELLO])],
  [
    'first-user',
    'the assistant first',
    body([assistant(text('Hi')), HELLO]),
    body([HELLO, assistant(text('Hi')), HELLO]),
  ],
  ['first-user', 'a system message first', body([system('Be brief.'), HELLO]), body([HELLO, system('Be brief.')])],
  [
    'system-place',
    'a system message behind the assistant',
    body([HELLO, assistant(text('Hi')), system('Be brief.'), HELLO]),
    body([HELLO, assistant(text('Hi')), HELLO, system('Be brief.')]),
  ],
  [
    'system-place',
    'a system message in the middle of a user turn',
    body([HELLO, system('Be brief.'), user(text('And?'))]),
    body([HELLO, user(text('And?')), system('Be brief.')]),
  ],
  [
    'empty-content',
    'a system message that says nothing',
    body([HELLO, { role: 'system', content: [] }]),
    body([HELLO, { role: 'system', content: [], output_config: { effort: 'low' } }, user(text('And?'))]),
  ],
  [
    'server-tool-unanswered',
    'a server tool beside a tool, whose result is not in the turn',
    body([HELLO, assistant(search, use('a')), user(result('a')), assistant(text('So.')), HELLO]),
    body([HELLO, assistant(search, use('a')), user(result('a')), assistant(found, text('So.')), HELLO]),
  ],
  ['empty-content', 'an empty message', body([HELLO, assistant(), HELLO]), body([HELLO, assistant()])],
  ['empty-content', 'an empty string', body([{ role: 'user', content: '' }]), body([{ role: 'user', content: '.' }])],
  ['empty-text', 'an empty text', body([user(text(''))]), body([user(text('.'))])],
  ['empty-text', 'a text of white space', body([user(text(' \n'))]), body([user(text(' .'))])],
  [
    'empty-text',
    'an empty text in a result',
    body([HELLO, assistant(use('a')), user(result('a', [text('')]))]),
    body([HELLO, assistant(use('a')), user(result('a', []))]),
  ],
  [
    'trailing-space',
    'an answer begun with white space at its end',
    body([HELLO, assistant(text('So: '))]),
    body([HELLO, assistant(text('So:'))]),
  ],
  [
    'tool-unanswered',
    'a call without a result',
    body([HELLO, assistant(use('a'), use('b')), user(result('a'))]),
    body([HELLO, assistant(use('a'), use('b')), user(result('b'), result('a'))]),
  ],
  [
    'tool-unanswered',
    'a call at the end',
    body([HELLO, assistant(use('a'))]),
    body([HELLO, assistant(use('a')), user(result('a'))]),
  ],
  [
    'tool-unanswered',
    'a result behind text',
    body([HELLO, assistant(use('a')), user(text('Here:'), result('a'))]),
    body([HELLO, assistant(use('a')), user(result('a'), text('There.'))]),
  ],
  [
    'tool-unanswered',
    'a result that comes one message late',
    body([HELLO, assistant(use('a')), HELLO, assistant(text('Wait.')), user(result('a'))]),
    body([HELLO, assistant(use('a')), user(result('a')), assistant(text('Wait.')), HELLO]),
  ],
  [
    'tool-orphan',
    'a result without a call',
    body([user(result('a'))]),
    body([HELLO, assistant(use('a')), user(result('a'))]),
  ],
  [
    'tool-result-repeated',
    'two results for one call',
    body([HELLO, assistant(use('a')), user(result('a'), result('a'))]),
    body([HELLO, assistant(use('a')), user(result('a')), user(text('And?'))]),
  ],
  [
    'tool-id-repeated',
    'two calls with one id',
    body([HELLO, assistant(use('a'), use('a')), user(result('a'))]),
    body([HELLO, assistant(use('a'), use('b')), user(result('a'), result('b'))]),
  ],
  [
    'tool-input',
    'arguments that are no object',
    body([HELLO, assistant(use('a', '{}')), user(result('a'))]),
    body([HELLO, assistant(use('a', {})), user(result('a'))]),
  ],
  [
    'tool-role',
    'a call of the user',
    body([user(text('Hello'), use('a')), user(result('a'))]),
    body([HELLO, assistant(use('a')), user(result('a'))]),
  ],
  [
    'tool-role',
    'a result of the assistant',
    body([HELLO, assistant(use('a')), assistant(result('a'))]),
    body([HELLO, assistant(use('a')), user(result('a'))]),
  ],
  [
    'tools-missing',
    'calls in the history and no tools',
    body([HELLO, assistant(use('a')), user(result('a'))], { tools: [] }),
    body([HELLO, assistant(text('a')), user(text('b'))], { tools: [] }),
  ],
  [
    'server-tool-unanswered',
    'a server tool without its result',
    body([HELLO, assistant(search), HELLO]),
    body([HELLO, assistant(search, found), HELLO]),
  ],
  [
    'server-tool-orphan',
    'a result of a server tool without its call',
    body([HELLO, assistant(found), HELLO]),
    body([HELLO, assistant(search, found), HELLO]),
  ],
  [
    'thinking-unsigned',
    'thinking without a signature',
    body([HELLO, assistant({ type: 'thinking', thinking: 'Hm.' }, text('Hi')), HELLO]),
    body([HELLO, assistant(thinking(), text('Hi')), HELLO]),
  ],
  [
    'thinking-unsigned',
    'redacted thinking without its data',
    body([HELLO, assistant({ type: 'redacted_thinking' }, text('Hi')), HELLO]),
    body([HELLO, assistant({ type: 'redacted_thinking', data: 'x' }, text('Hi')), HELLO]),
  ],
  [
    'thinking-role',
    'thinking of the user',
    body([user(thinking(), text('Hello'))]),
    body([HELLO, assistant(thinking(), text('Hi'))]),
  ],
  [
    'thinking-last',
    'a message that ends in thinking',
    body([HELLO, assistant(text('Hi'), thinking()), HELLO]),
    body([HELLO, assistant(thinking(), text('Hi')), HELLO]),
  ],
  [
    'cache-marks',
    'five cache marks',
    body([user(...'abcde'.split('').map((one) => text(one, mark())))]),
    body([user(...'abcd'.split('').map((one) => text(one, mark())))]),
  ],
  [
    'cache-marks',
    'four cache marks and one on the request',
    body([user(...'abcd'.split('').map((one) => text(one, mark())))], mark()),
    body([user(...'abc'.split('').map((one) => text(one, mark())))], mark()),
  ],
  [
    'cache-mark-place',
    'a cache mark on thinking',
    body([HELLO, assistant({ ...thinking(), ...mark() }, text('Hi')), HELLO]),
    body([HELLO, assistant(thinking(), text('Hi', mark())), HELLO]),
  ],
  [
    'cache-mark-order',
    'an hour behind five minutes',
    body([user(text('a', mark()), text('b', mark('1h')))]),
    body([user(text('a', mark('1h')), text('b', mark()))]),
  ],
]

describe('rules of the Messages API', () => {
  test.each(MENDED)('%s: %s is refused, mended it passes', (rule, _what, broken, mended) => {
    expect(ruleBrokenBy(broken)).toBe(rule)
    expect(ruleBrokenBy(mended)).toBeUndefined()
  })

  test('a mark on empty text is refused as empty text', () => {
    expect(ruleBrokenBy(body([user(text('', mark()))]))).toBe('empty-text')
    expect(ruleBrokenBy(body([HELLO], { system: [text('', mark())] }))).toBe('cache-mark-place')
  })

  test('neighbours of one role pass, unless the server is strict', () => {
    const twice = body([HELLO, user(text('And?'))])
    expect(ruleBrokenBy(twice)).toBeUndefined()
    expect(ruleBrokenBy(twice, { strictAlternation: true })).toBe('alternation')
    expect(ruleBrokenBy(body([HELLO, assistant(text('Hi')), HELLO]), { strictAlternation: true })).toBeUndefined()
  })

  test('older models take no system message among the messages', () => {
    const request = body([HELLO, system('Be brief.')])
    expect(ruleBrokenBy(request, { systemInMessages: false })).toBe('system-role')
    expect(ruleBrokenBy(request)).toBeUndefined()
  })

  test('what is no object at all is refused', () => {
    expect(ruleBrokenBy([])).toBe('body')
    expect(ruleBrokenBy('{}')).toBe('body')
  })

  test('counting needs no output cap', () => {
    const count = { kind: 'count', stream: false, model: 'm' } as const
    const request = body([HELLO], { max_tokens: undefined })
    expect(anthropicMessagesFormat.validate(request, RULES, count)).toBeUndefined()
  })
})
