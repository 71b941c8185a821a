import { describe, expect, test } from 'vitest'
import type { Call, LabRules, ReplyContext } from '../../format.ts'
import { bedrockConverseFormat } from './index.ts'

const CALL: Call = { kind: 'generate', stream: false, model: 'anthropic.claude-sonnet-4-5' }
const RULES: LabRules = { thinkingBinding: 'turn', strictAlternation: false, systemInMessages: true }
const TOOLS = { tools: [{ toolSpec: { name: 'read', inputSchema: { json: {} } } }] }

function breach(body: object, rules: Partial<LabRules> = {}, call: Call = CALL) {
  return bedrockConverseFormat.validate(body, { ...RULES, ...rules }, call)
}

const user = (...content: readonly object[]) => ({ role: 'user', content })
const assistant = (...content: readonly object[]) => ({ role: 'assistant', content })
const text = (words: string) => ({ text: words })
const use = (id: string) => ({ toolUse: { toolUseId: id, name: 'read', input: {} } })
const result = (id: string, content: readonly object[] = [text('x')], status?: string) => ({
  toolResult: { toolUseId: id, content, ...(status !== undefined && { status }) },
})
const ask = user(text('Hello'))
const point = (ttl?: string) => ({ cachePoint: { type: 'default', ...(ttl !== undefined && { ttl }) } })

describe('messages', () => {
  test('user and assistant in turn pass', () => {
    expect(breach({ messages: [ask] })).toBeUndefined()
    expect(breach({ system: [text('Be brief.')], messages: [ask, assistant(text('Hi')), ask] })).toBeUndefined()
  })

  test.each([
    ['body', { messages: [] }],
    ['role', { messages: [{ role: 'system', content: [text('x')] }] }],
    ['first-user', { messages: [assistant(text('Hi')), ask] }],
    ['last-user', { messages: [ask, assistant(text('Hi'))] }],
    ['alternation', { messages: [ask, ask] }],
    ['empty-content', { messages: [user()] }],
    ['empty-content', { messages: [user(point())] }],
    ['blank-text', { messages: [user(text(' '))] }],
    ['blank-text', { system: [text('')], messages: [ask] }],
    ['block-key', { messages: [user({ type: 'text' })] }],
    ['block-key', { messages: [user({ ...text('x'), ...point() })] }],
    ['document-text', { messages: [user({ document: { name: 'a', source: {} } })] }],
  ])('%s is refused: %o', (rule, body) => {
    expect(breach(body)).toMatchObject({ rule })
  })
})

describe('calls and results', () => {
  const body = (...messages: readonly object[]) => ({ toolConfig: TOOLS, messages })

  test('all results stand first in the next message', () => {
    expect(
      breach(body(ask, assistant(use('1'), use('2')), user(result('2'), result('1'), text('So?')))),
    ).toBeUndefined()
    expect(breach(body(ask, assistant(use('1')), user(result('1', []), point())))).toBeUndefined()
  })

  test.each([
    ['call-without-result', [ask, assistant(use('1'), use('2')), user(result('1'))]],
    ['call-without-result', [ask, assistant(use('1')), ask]],
    ['result-without-call', [user(result('1'))]],
    ['result-without-call', [ask, assistant(text('Hi')), user(result('1'))]],
    ['result-without-call', [ask, assistant(use('1')), user(result('1'), result('2'))]],
    ['result-place', [ask, assistant(use('1')), user(text('So?'), result('1'))]],
    ['duplicate-call', [ask, assistant(use('1'), use('1')), user(result('1'))]],
    ['blank-text', [ask, assistant(use('1')), user(result('1', [text('')]))]],
    ['block-key', [ask, assistant(use('1')), user(result('1', [point()]))]],
    ['empty-result', [ask, assistant(use('1')), user(result('1', [], 'error'))]],
  ])('%s is refused: %o', (rule, messages) => {
    expect(breach(body(...messages))).toMatchObject({ rule })
  })

  test('a tool of the server and its result stand in one assistant message', () => {
    const search = { toolUse: { toolUseId: 's', name: 'search', input: {}, type: 'server_tool_use' } }
    const found = { toolResult: { toolUseId: 's', content: [text('x')], type: 'search_result' } }
    expect(breach(body(ask, assistant(search, found, use('1')), user(result('1'))))).toBeUndefined()
    expect(breach(body(ask, assistant(search, text('Hi')), ask))).toMatchObject({ rule: 'server-tool' })
    expect(breach(body(ask, assistant(found, text('Hi')), ask))).toMatchObject({ rule: 'server-tool' })
  })

  test('the refusal names every call that has no result', () => {
    expect(breach(body(ask, assistant(use('a'), use('b')), ask))?.message).toBe(
      'Expected toolResult blocks at messages.2.content for the following Ids: a, b',
    )
  })

  test('a history with calls needs tools', () => {
    const messages = [ask, assistant(use('1')), user(result('1')), assistant(text('Hi')), ask]
    expect(breach({ messages })).toMatchObject({ rule: 'tool-config' })
    expect(breach({ messages, toolConfig: { tools: [point()] } })).toMatchObject({ rule: 'tool-config' })
    expect(breach({ messages, toolConfig: TOOLS })).toBeUndefined()
  })
})

describe('cache points', () => {
  test('four at most, over tools, system and messages', () => {
    const messages = [user(text('a'), point(), text('b'), point())]
    const toolConfig = { tools: [...TOOLS.tools, point()] }
    expect(breach({ toolConfig, system: [text('s'), point()], messages })).toBeUndefined()
    const system = [text('s'), point(), text('t'), point()]
    expect(breach({ toolConfig, system, messages })).toMatchObject({ rule: 'cache-points' })
  })

  test('longer lifetimes come first', () => {
    const body = (first: string, second?: string) => ({
      system: [text('s'), point(first)],
      messages: [user(text('a'), point(second))],
    })
    expect(breach(body('1h'))).toBeUndefined()
    expect(breach(body('5m', '1h'))).toMatchObject({ rule: 'cache-order' })
  })

  test('a point gives its lifetime to the block before it', () => {
    const prompt = bedrockConverseFormat.prompt({
      toolConfig: TOOLS,
      system: [text('s'), point('1h')],
      messages: [user(text('a'), point(), text('b'))],
    })
    expect(prompt.map(({ cacheSeconds }) => cacheSeconds)).toEqual([undefined, 3600, 300, undefined])
  })
})

describe('reasoning', () => {
  interface Answer {
    readonly output: { readonly message: { readonly role: string; readonly content: readonly [object, object] } }
  }

  function answerTo(body: object, id: string, call: string): Answer['output']['message'] {
    const context: ReplyContext = {
      id,
      model: CALL.model,
      usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 },
      body,
    }
    const reply = bedrockConverseFormat.reply(
      {
        parts: [
          { kind: 'reasoning', text: `Thinking of ${call}.` },
          { kind: 'tool-call', id: call, name: 'read', input: {} },
        ],
      },
      context,
    )
    return (reply as Answer).output.message
  }

  const first = { toolConfig: TOOLS, messages: [ask] }
  const step1 = answerTo(first, 'lab1', '1')
  const second = { toolConfig: TOOLS, messages: [ask, step1, user(result('1'))] }
  const step2 = answerTo(second, 'lab2', '2')
  const third = { toolConfig: TOOLS, messages: [...second.messages, step2, user(result('2'))] }
  const [thought1, use1] = step1.content
  const [thought2, use2] = step2.content

  test('what the simulator answered comes back', () => {
    expect(breach(third)).toBeUndefined()
    expect(breach(third, { thinkingBinding: 'prefix' })).toBeUndefined()
  })

  test('a changed, moved or half removed block is refused', () => {
    const { reasoningContent } = thought1 as { reasoningContent: { reasoningText: { signature: string } } }
    const { signature } = reasoningContent.reasoningText
    const shortened = { reasoningContent: { reasoningText: { text: 'Thinking', signature } } }
    const cases = [
      [ask, assistant(shortened, use1), user(result('1'))],
      [ask, assistant(use1, thought1), user(result('1'))],
      [ask, assistant(thought2, use1), user(result('1')), assistant(thought1, use2), user(result('2'))],
      [ask, assistant(use1), user(result('1')), assistant(thought2, use2), user(result('2'))],
    ]
    for (const messages of cases) {
      expect(breach({ toolConfig: TOOLS, messages })).toMatchObject({ rule: 'reasoning-modified' })
      expect(breach({ toolConfig: TOOLS, messages }, { thinkingBinding: 'none' })).toBeUndefined()
    }
  })

  test('blocks of older turns may leave, and so may all of the open one', () => {
    const older = [...third.messages.slice(0, 1), assistant(use1), ...third.messages.slice(2)]
    expect(breach({ toolConfig: TOOLS, messages: [...older, assistant(text('Done.')), ask] })).toBeUndefined()
    expect(breach({ toolConfig: TOOLS, messages: [ask, assistant(use1), user(result('1'))] })).toBeUndefined()
  })

  test('bound to what stands before it, where the model binds it so', () => {
    const edited = { ...third, messages: [user(text('Hello again')), ...third.messages.slice(1)] }
    expect(breach(edited)).toBeUndefined()
    expect(breach(edited, { thinkingBinding: 'prefix' })).toMatchObject({ rule: 'reasoning-bound' })
    const marked = { ...third, messages: [user(text('Hello'), point()), ...third.messages.slice(1)] }
    expect(breach(marked, { thinkingBinding: 'prefix' })).toBeUndefined()
  })

  test('Claude takes none without a signature; other models do, and foreign signatures pass', () => {
    const unsigned = { reasoningContent: { reasoningText: { text: 'Hm.' } } }
    const body = { messages: [ask, assistant(unsigned, text('Hi')), ask] }
    expect(breach(body)).toMatchObject({ rule: 'reasoning-signature' })
    expect(breach(body, {}, { ...CALL, model: 'amazon.nova-2' })).toBeUndefined()
    const foreign = { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'abc' } } }
    expect(breach({ messages: [ask, assistant(foreign, text('Hi')), ask] })).toBeUndefined()
  })
})
