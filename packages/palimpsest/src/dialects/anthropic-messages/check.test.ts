import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import type { Conversation, RenderContext } from '../../engine/messages/message.ts'
import { ANTHROPIC_RULES, anthropicMessages } from './index.ts'
import type { AnthropicMessage } from './items.ts'

const mark = { type: 'ephemeral' }
const hour = { type: 'ephemeral', ttl: '1h' }
const text = (value: string, extra: object = {}) => ({ type: 'text', text: value, ...extra })
const call = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'run', input })
const result = (id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id: id, content })
const thinking = { type: 'thinking', thinking: 'x', signature: 's' }
const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [] }
const user = (...content: unknown[]) => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const hello = user(text('hello'))

function rulesOf(
  items: unknown[],
  rest: Partial<Conversation<AnthropicMessage>> = {},
  context?: Partial<RenderContext>,
): string[] {
  const view = deepFreeze({ system: [], items: items as AnthropicMessage[], ...rest })
  return anthropicMessages.check(view, context).map(({ rule }) => rule)
}

/** For every rule a conversation that breaks it, and it alone. */
const VIOLATIONS: { readonly [rule in (typeof ANTHROPIC_RULES)[keyof typeof ANTHROPIC_RULES]]: () => string[] } = {
  'anthropic/malformed-message': () => rulesOf([hello, { role: 'developer', content: 'x' }]),
  'anthropic/no-messages': () => rulesOf([]),
  'anthropic/first-not-user': () => rulesOf([assistant(text('a')), hello]),
  'anthropic/alternation': () => rulesOf([hello, hello], {}, { strictAlternation: true }),
  'anthropic/system-place': () => rulesOf([hello, { role: 'system', content: 's' }, hello]),
  'anthropic/system-content': () => rulesOf([hello, { role: 'system', content: [{ type: 'image', source: {} }] }]),
  'anthropic/empty-content': () => rulesOf([user(), hello]),
  'anthropic/empty-text': () => rulesOf([user(text('hello'), text(' \n'))]),
  'anthropic/trailing-white-space': () => rulesOf([hello, assistant(text('a '))]),
  'anthropic/block-in-wrong-role': () => rulesOf([user(text('hello'), thinking)]),
  'anthropic/thinking-unsigned': () => rulesOf([hello, assistant({ type: 'thinking', thinking: 'x' }, text('a'))]),
  'anthropic/thinking-behind-call': () => rulesOf([hello, assistant(call('t'), thinking), user(result('t'))]),
  'anthropic/thinking-last': () => rulesOf([hello, assistant(text('a'), thinking)]),
  'anthropic/tool-call-id-repeated': () => rulesOf([hello, assistant(call('t'), call('t')), user(result('t'))]),
  'anthropic/tool-call-input': () => rulesOf([hello, assistant(call('t', 'text')), user(result('t'))]),
  'anthropic/tool-call-without-result': () => rulesOf([hello, assistant(call('t'), call('u')), user(result('t'))]),
  'anthropic/tool-result-without-call': () => rulesOf([hello, assistant(text('a')), user(result('t'))]),
  'anthropic/tool-result-repeated': () => rulesOf([hello, assistant(call('t')), user(result('t'), result('t'))]),
  'anthropic/tool-result-not-first': () => rulesOf([hello, assistant(call('t')), user(text('x'), result('t'))]),
  'anthropic/server-call-without-result': () => rulesOf([hello, assistant(search), hello]),
  'anthropic/server-result-without-call': () => rulesOf([hello, assistant(found, text('a')), hello]),
  'anthropic/tools-missing': () => rulesOf([hello, assistant(call('t')), user(result('t'))], { tools: [] }),
  'anthropic/too-many-cache-marks': () =>
    rulesOf([user(...'abcd'.split('').map((one) => text(one, { cache_control: mark })))], {
      system: [text('s', { cache_control: mark })],
    }),
  'anthropic/cache-mark-misplaced': () => rulesOf([hello, assistant({ ...thinking, cache_control: mark }, text('a'))]),
  'anthropic/cache-mark-order': () =>
    rulesOf([user(text('a', { cache_control: hour }))], { tools: [{ name: 'run', cache_control: mark }] }),
  'anthropic/request-too-large': () => rulesOf([user(text('x'.repeat(33 * 1024 * 1024)))]),
}

describe('check', () => {
  it.each(Object.entries(VIOLATIONS))('%s is found where it alone is broken', (rule, found) => {
    expect(found()).toEqual([rule])
  })

  it('every rule is shown broken', () => {
    expect(Object.keys(VIOLATIONS).sort()).toEqual(Object.values(ANTHROPIC_RULES).sort())
  })

  it('says where, what is wrong, and what to do', () => {
    const [violation] = anthropicMessages.check({
      system: [],
      items: [hello, assistant(text('a'), call('t'))] as AnthropicMessage[],
    })
    expect(violation).toEqual({
      rule: 'anthropic/tool-call-without-result',
      position: 1,
      part: 1,
      message: 'Call t is not answered in the next user message.',
      fix: 'Send its result, or leave the call out.',
    })
  })

  it('joins neighbours of one role before it judges calls and results', () => {
    expect(rulesOf([hello, assistant(thinking), assistant(call('t')), user(result('t')), hello])).toEqual([])
    expect(rulesOf([hello, assistant(call('t'), call('u')), user(result('t')), user(result('u'))])).toEqual([])
    expect(rulesOf([hello, assistant(call('t')), hello, user(result('t'))])).toEqual([
      'anthropic/tool-result-not-first',
    ])
  })

  it('lets a server tool answer after a client’s tool, in the same turn', () => {
    const step = [hello, assistant(search, call('t')), user(result('t'))]
    expect(rulesOf(step)).toEqual([])
    expect(rulesOf([...step, assistant(found, text('a')), hello])).toEqual([])
    expect(
      rulesOf([hello, assistant(search, call('t')), user(result('t'), text('and')), assistant(text('a'))]),
    ).toEqual(['anthropic/server-call-without-result'])
  })

  it('lets system messages stand in groups at the end of a user turn, and settings anywhere', () => {
    const system = { role: 'system', content: 's' }
    const settings = { role: 'system', content: [], output_config: { effort: 'low' } }
    expect(rulesOf([settings, hello, system, system, assistant(text('a')), settings, hello, system])).toEqual([])
    expect(rulesOf([hello, assistant(text('a'), search, found), system, assistant(text('b'))])).toEqual([])
    expect(rulesOf([hello, assistant(call('t')), settings, user(result('t'))])).toEqual([])
    expect(rulesOf([system, hello])).toEqual(['anthropic/system-place'])
    expect(rulesOf([hello, assistant(text('a')), system, assistant(text('b'))])).toEqual(['anthropic/system-place'])
  })

  it('lets a provider’s compaction open the list, and a last answer be empty', () => {
    expect(rulesOf([assistant({ type: 'compaction', content: 'c' }), hello])).toEqual([])
    expect(rulesOf([hello, assistant()])).toEqual([])
    expect(rulesOf([hello, { role: 'assistant', content: '' }])).toEqual([])
  })

  it('judges no rule about tools where tools are not known, and counts automatic caching', () => {
    expect(rulesOf([hello, assistant(call('t')), user(result('t'))])).toEqual([])
    const marks = 'abcd'.split('').map((one) => text(one, { cache_control: mark }))
    const request = { messages: [user(...marks)] as AnthropicMessage[], cache_control: mark }
    expect(anthropicMessages.check(anthropicMessages.open(request)).map(({ rule }) => rule)).toEqual([
      'anthropic/too-many-cache-marks',
    ])
  })

  it('checks arguments however deep they nest', () => {
    const input = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) as unknown
    const view = {
      system: [],
      items: [hello, assistant(call('1', { input })), user(result('1'))] as AnthropicMessage[],
    }
    expect(anthropicMessages.check(view)).toEqual([])
  })

  it('counts bytes as they stand on the wire', () => {
    const bytes = 32 * 1024 * 1024
    const overhead = JSON.stringify([[], [user(text(''))]]).length
    expect(rulesOf([user(text('x'.repeat(bytes - overhead - 100)))])).toEqual([])
    // Three bytes a character, so a third of the characters is too much.
    expect(rulesOf([user(text('界'.repeat(bytes / 3)))])).toEqual(['anthropic/request-too-large'])
  })
})
