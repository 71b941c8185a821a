import {
  AIMessage,
  AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { langchain } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { importSessionText } from '../import-session.ts'
import type { ImportedSession } from '../imported-session.ts'
import { jsonLines, skippedCounts } from '../session-text.test-data.ts'
import { flatRuns, tracedAgent } from './traced-agent.test-data.ts'

/** The declared fields leave the usage no value. */
const asks = (id: string) =>
  new AIMessage({
    content: 'I look.',
    tool_calls: [{ id, name: 'look', args: { input: 'a.py' }, type: 'tool_call' }],
    response_metadata: { model_name: 'model-a' },
    usage_metadata: { input_tokens: 90, output_tokens: 5, total_tokens: 95, input_token_details: { cache_read: 40 } },
  } as unknown as AIMessageFields)

describe('an agent that LangChain traced', async () => {
  const run = await tracedAgent('Why?', [asks('c1'), asks('c2'), new AIMessage('So.')])
  const said = ['system', 'human', 'ai', 'tool', 'ai', 'tool', 'ai']

  test.each([
    ['nested', JSON.stringify(run)],
    ['nested, over many lines', JSON.stringify(run, null, 2)],
    ['a list', JSON.stringify(flatRuns(run), null, 1)],
    ['lines', jsonLines(flatRuns(run))],
    ['lines, in any order', jsonLines(flatRuns(run).reverse())],
    [
      'lines with texts of JSON',
      jsonLines(
        flatRuns(run).map((one) => ({
          ...one,
          inputs: JSON.stringify(one.inputs),
          outputs: JSON.stringify(one.outputs),
        })),
      ),
    ],
  ])('is its longest conversation: %s', (_name, text) => {
    const session = importSessionText(text)
    expect(session).toMatchObject({
      format: 'langsmith',
      dialect: 'langchain',
      title: 'agent',
      model: 'model-a',
      id: run.trace_id,
    })
    expect(types(session)).toEqual(said)
    expect(session.calls.map(({ position, usage, model }) => [position, usage, model])).toEqual([
      [2, { input: 90, cacheRead: 40, cacheWrite: 0, output: 5 }, 'model-a'],
      [4, { input: 90, cacheRead: 40, cacheWrite: 0, output: 5 }, 'model-a'],
      [6, { input: 50, cacheRead: 0, cacheWrite: 0, output: 4 }, undefined],
    ])
    expect(session.calls.every(({ timestamp }) => timestamp !== undefined)).toBe(true)
    expect(skippedCounts(session)).toEqual({ 'other conversation': 3, 'run without messages': 2 })
  })

  test('is legal in its dialect, and says what it said', () => {
    const items = importSessionText(JSON.stringify(run)).items.map(({ item }) => item as never)
    expect(langchain.check({ system: items.slice(0, 1), items: items.slice(1) })).toEqual([])
    const parts = items.flatMap((item) =>
      langchain.view(item).parts.map((part) => `${part.kind} ${part.callId ?? part.text()}`),
    )
    expect(parts).toEqual([
      'text Work.',
      'text Why?',
      'text I look.',
      'tool-call c1',
      'tool-result c1',
      'text I look.',
      'tool-call c2',
      'tool-result c2',
      'text So.',
    ])
  })

  test('has its system prompt apart', () => {
    const { request, items } = importSessionText(JSON.stringify(run))
    const conversation = langchain.open(request as never)
    expect(conversation).toMatchObject({ system: [items[0]?.item], model: 'model-a' })
    expect(conversation.items).toHaveLength(6)
  })

  test('can be asked for by the id of its trace, or of one of its runs', async () => {
    const other = await tracedAgent('Where?', [new AIMessage('Here.')])
    const text = jsonLines([...flatRuns(run), ...flatRuns(other)])
    expect(importSessionText(text, { session: String(other.trace_id) }).items).toHaveLength(3)
    const [, first] = flatRuns(run)
    const session = importSessionText(text, { session: String(first?.id) })
    expect(types(session)).toEqual(said.slice(0, 3))
    expect(session.items.map(({ line }) => line)).toEqual([2, 2, 2])
    expect(() => importSessionText(text, { session: 'none' })).toThrow('There is no session "none" in it.')
  })
})

describe('messages', () => {
  const messages: BaseMessage[] = [
    new SystemMessage('Work.'),
    new HumanMessage({ content: [{ type: 'text', text: 'Why?' }], name: 'ada' }),
    asks('c1'),
    new ToolMessage({ content: 'seen', tool_call_id: 'c1', name: 'look' }),
    new AIMessageChunk('So.'),
    new ChatMessage('Now.', 'user'),
  ]
  const fields = messages.map(({ lc_kwargs: _, ...message }) => JSON.parse(JSON.stringify({ ...message })))
  const expected = ['system', 'human', 'ai', 'tool', 'ai', 'generic']

  test.each([
    ['serialised', messages],
    ['stored', mapChatMessagesToStoredMessages(messages)],
    ['as a batch', [messages]],
    ['fields alone', fields.map((message, at) => ({ ...message, type: expected[at] }))],
    [
      'fields with names of classes',
      fields.map((message, at) => ({ ...message, type: at === 4 ? 'AIMessageChunk' : expected[at] })),
    ],
  ])('%s', (_name, list) => {
    const session = importSessionText(JSON.stringify({ run_type: 'chain', inputs: { messages: list }, outputs: null }))
    expect(types(session)).toEqual(expected)
    const [, human, ai, tool] = session.items.map(({ item }) => item as Record<string, unknown>)
    expect(human).toMatchObject({ content: [{ type: 'text', text: 'Why?' }], name: 'ada' })
    expect(ai).toMatchObject({ content: 'I look.', tool_calls: [{ id: 'c1', name: 'look', args: { input: 'a.py' } }] })
    expect(tool).toMatchObject({ content: 'seen', tool_call_id: 'c1' })
    expect(session.skipped).toEqual({})
  })

  test('in the form of OpenAI, and as pairs', () => {
    const inputs = {
      messages: [
        ['system', 'Work.'],
        { role: 'user', content: 'Why?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"input":"a"}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'seen' },
      ],
    }
    const outputs = { choices: [{ message: { role: 'assistant', content: 'So.' } }], usage: { prompt_tokens: 9 } }
    const extra = { metadata: { ls_model_name: 'model-b' } }
    const session = importSessionText(JSON.stringify({ run_type: 'llm', name: 'ChatOpenAI', inputs, outputs, extra }))
    expect(session.calls).toEqual([
      { position: 2 },
      { position: 4, usage: { input: 9, cacheRead: 0, cacheWrite: 0, output: 0 }, model: 'model-b' },
    ])
    expect(types(session)).toEqual(['system', 'human', 'ai', 'tool', 'ai'])
    const items = session.items.map(({ item }) => item as never)
    expect(langchain.check({ system: [], items })).toEqual([])
    expect(items.flatMap((item) => langchain.view(item).parts.flatMap(({ callId }) => callId ?? []))).toEqual([
      'c',
      'c',
    ])
  })

  test('that cannot be read are counted, with their numbers', () => {
    const odd = [
      null,
      7,
      'x',
      { type: 'ai' },
      { lc: 1, type: 'not_implemented', id: ['x', 'OddMessage'] },
      { type: 'remove', content: '' },
    ]
    const inputs = { messages: [messages[0], ...odd, messages[1]] }
    const session = importSessionText(JSON.stringify({ run_type: 'chain', inputs, outputs: {} }))
    expect(types(session)).toEqual(['system', 'human'])
    expect(session.skipped).toEqual({ 'unknown message': { count: 6, lines: [2, 3, 4, 5, 6] } })
  })
})

test('of a torn file the whole runs are read', async () => {
  const json = JSON.stringify(await tracedAgent('Why?', [asks('c1'), new AIMessage('So.')]), null, 1)
  const session = importSessionText(json.slice(0, json.lastIndexOf('"outputs"')))
  expect(types(session)).toEqual(['system', 'human', 'ai', 'tool', 'ai'])
  expect(skippedCounts(session)).toEqual({ 'not JSON': 1, 'other conversation': 1, 'run without messages': 1 })
})

describe('what comes out of a run', () => {
  const human = { type: 'human', content: 'Why?' }
  const ai = { type: 'ai', content: 'So.' }

  test.each<[string, unknown, unknown, string[]]>([
    ['the whole state', { messages: [human] }, { messages: [human, ai] }, ['human', 'ai']],
    ['what is new of it', { messages: [human] }, { messages: [ai] }, ['human', 'ai']],
    ['a message', { input: [human] }, { output: ai }, ['human', 'ai']],
    ['a message of its own', { messages: [human] }, ai, ['human', 'ai']],
    [
      'a prompt',
      { input: 'x' },
      { output: { lc: 1, type: 'constructor', id: ['p', 'ChatPromptValue'], kwargs: { messages: [human] } } },
      ['human'],
    ],
    ['generations in one list', { messages: [human] }, { generations: [{ message: ai }] }, ['human', 'ai']],
    ['nothing, as it failed', { messages: [human] }, undefined, ['human']],
    ['the update of a state', { messages: [human] }, { update: { messages: [ai] } }, ['human', 'ai']],
  ])('%s', (_name, inputs, outputs, expected) => {
    expect(types(importSessionText(JSON.stringify({ run_type: 'chain', inputs, outputs })))).toEqual(expected)
  })

  test('examples have no type, and are runs where they have messages', () => {
    expect(
      types(importSessionText(JSON.stringify({ inputs: { messages: [human] }, outputs: { output: ai } }))),
    ).toEqual(['human', 'ai'])
    expect(() => importSessionText('{"inputs":{"question":"x"},"outputs":{}}')).toThrow('known format')
  })
})

describe('usage and model', () => {
  const llm = (message: object, more: object = {}, outputs: object = {}) =>
    importSessionText(
      JSON.stringify({
        id: 'r',
        run_type: 'llm',
        inputs: { messages: [[{ type: 'human', content: 'Why?' }]] },
        outputs: {
          generations: [[{ message: { type: 'ai', data: { content: 'So.', id: 'm', ...message } } }]],
          ...outputs,
        },
        ...more,
      }),
    ).calls[0]
  const usage = { input: 9, cacheRead: 0, cacheWrite: 0, output: 2 }

  test.each<[string, object, object, object]>([
    ['the message', { usage_metadata: { input_tokens: 9, output_tokens: 2 } }, {}, { prompt_tokens: 1 }],
    [
      'what the provider said',
      { response_metadata: { token_usage: { prompt_tokens: 9, completion_tokens: 2 } } },
      {},
      {},
    ],
    ['the output', {}, { llm_output: { token_usage: { prompt_tokens: 9, completion_tokens: 2 } } }, {}],
    ['the run', {}, {}, { prompt_tokens: 9, completion_tokens: 2 }],
  ])('are those of %s', (_name, message, outputs, more) => {
    expect(llm(message, more, outputs)?.usage).toEqual(usage)
  })

  test('Anthropic’s counts leave out the cached prefix', () => {
    const counts = { input_tokens: 3, cache_read_input_tokens: 5, cache_creation_input_tokens: 1, output_tokens: 2 }
    expect(llm({ response_metadata: { usage: counts } })?.usage).toEqual({
      input: 9,
      cacheRead: 5,
      cacheWrite: 1,
      output: 2,
    })
  })

  test('a model is named by the message, else by its run', () => {
    const extra = { metadata: { ls_model_name: 'model-b' }, invocation_params: { model: 'model-c' } }
    expect(llm({ response_metadata: { model_name: 'model-a' } }, { extra })?.model).toBe('model-a')
    expect(llm({}, { extra })?.model).toBe('model-b')
    expect(llm({}, { extra: { invocation_params: { model: 'model-c' } } })?.model).toBe('model-c')
  })
})

function types(session: ImportedSession): unknown[] {
  return session.items.map(({ item }) => (item as { type: unknown }).type)
}
