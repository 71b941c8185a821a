import { describe, expect, test } from 'vitest'
import { importSessionText } from '../import-session.ts'
import { itemsOf, jsonLines, skippedCounts } from '../session-text.test-data.ts'

const agent = 'main'
const system = { role: 'system', content: 'Work.', agent, message_type: 'system_prompt' }
const demonstration = { role: 'user', content: 'See how it is done.', agent, is_demo: true }
const issue = { role: 'user', content: 'It breaks.', agent, message_type: 'observation' }
const answer = (text: string, command: string) => ({
  role: 'assistant',
  content: `${text}\n\`\`\`\n${command}\n\`\`\``,
  thought: text,
  action: command,
  agent,
})
const seen = (content: string) => ({ role: 'user', content, agent })
const asks = (id: string, name: string) => ({
  role: 'assistant',
  content: 'I look.',
  thought: 'I look.',
  action: name,
  agent,
  message_type: 'action',
  tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
  thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }],
})
const gives = (id: string, content: string) => ({
  role: 'tool',
  content: [{ type: 'text', text: content, cache_control: { type: 'ephemeral' } }],
  agent,
  message_type: 'observation',
  tool_call_ids: [id],
  tags: ['keep'],
  cache_control: { type: 'ephemeral' },
})
const step = (response: string, observation: string) => ({
  action: 'ls\n',
  observation,
  response,
  state: '{}',
  thought: response,
})

const text = [system, demonstration, issue, answer('First', 'ls'), seen('a.py'), answer('Done', 'submit')]
const file = (history: readonly unknown[], more: object = {}) => ({
  environment: 'swe_main',
  trajectory: [step('First', 'a.py')],
  history,
  info: { exit_status: 'submitted', model_stats: { tokens_sent: 9, api_calls: 2 } },
  ...more,
})

test('a history of texts: messages as they were sent, and which of them are the user’s', () => {
  for (const json of [JSON.stringify(file(text)), JSON.stringify(file(text), null, 2)]) {
    const session = importSessionText(json)
    expect(session).toMatchObject({ format: 'swe-agent', dialect: 'openai-chat', skipped: {}, compactions: [] })
    expect(itemsOf(session)).toEqual(text.map(({ role, content }) => ({ role, content })))
    expect(session.items.map(({ injected }) => injected ?? false)).toEqual([false, true, false, false, true, false])
    expect(session.items.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6])
    expect(session.calls).toEqual([{ position: 3 }, { position: 5 }])
  }
})

test('a history of calls: the id of a result stands where a request has it, ids may repeat', () => {
  const history = [
    system,
    issue,
    asks('c1', 'open'),
    gives('c1', 'x'),
    asks('c1', 'edit'),
    gives('c1', 'y'),
    asks('c2', 'submit'),
  ]
  const session = importSessionText(JSON.stringify(file(history)))
  expect(itemsOf(session).slice(2, 4)).toEqual([
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'open', arguments: '{}' } }],
      thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }],
    },
    { role: 'tool', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }], tool_call_id: 'c1' },
  ])
  expect(session.items).toHaveLength(7)
  expect(session.skipped).toEqual({})
})

test('an empty list of calls is none', () => {
  const session = importSessionText(JSON.stringify(file([issue, { ...answer('a', 'b'), tool_calls: [] }])))
  expect(itemsOf(session)[1]).not.toHaveProperty('tool_calls')
})

test('what another agent said among itself is left out', () => {
  const other = [
    { ...system, agent: 'helper' },
    { ...answer('x', 'y'), agent: 'helper' },
  ]
  const session = importSessionText(JSON.stringify(file([...text.slice(0, 4), ...other, ...text.slice(4)])))
  expect(session.items).toHaveLength(6)
  expect(session.skipped).toEqual({ sidechain: { count: 2, lines: [5, 6] } })
})

test('model and task are those of the settings, as JSON or as its text', () => {
  const settings = { agent: { model: { name: 'model-a', api_key: 'k3y' } }, problem_statement: { id: 'task-1' } }
  for (const replay_config of [settings, JSON.stringify(settings)]) {
    const session = importSessionText(JSON.stringify(file(text, { replay_config })))
    expect(session).toMatchObject({ id: 'task-1', model: 'model-a' })
    expect(session.calls[0]).toEqual({ position: 3, model: 'model-a' })
    expect(session.request).toEqual({ model: 'model-a', messages: itemsOf(session) })
    expect(JSON.stringify(session)).not.toContain('k3y')
  }
  const human = { agent: { model: { name: 'human' } } }
  expect(importSessionText(JSON.stringify(file(text, { replay_config: human })))).not.toHaveProperty('model')
})

describe('several attempts', () => {
  const attempts = [file(text.slice(0, 4)), file(text), file(text.slice(0, 5))]

  test('are one file, of which the longest counts', () => {
    const session = importSessionText(JSON.stringify({ attempts, info: {} }))
    expect(session.items).toHaveLength(6)
    expect(skippedCounts(session)).toEqual({ 'other conversation': 2 })
  })

  test('of which one was chosen: it stands outside', () => {
    const session = importSessionText(JSON.stringify({ attempts, ...file(text.slice(0, 4)) }))
    expect(session.items).toHaveLength(4)
    expect(session.skipped).toEqual({})
  })

  test('may be lines', () => {
    const session = importSessionText(jsonLines(attempts))
    expect(session.items).toHaveLength(6)
    expect(new Set(session.items.map(({ line }) => line))).toEqual(new Set([2]))
    expect(session.skipped).toEqual({ 'other conversation': { count: 2, lines: [1, 3] } })
  })
})

test('a file without a history is its steps', () => {
  const { history: _, ...rest } = file([], {
    trajectory: [step('First', 'a.py'), { ...step('', 'b.py'), thought: 'Then' }],
  })
  const session = importSessionText(JSON.stringify(rest))
  expect(itemsOf(session)).toEqual([
    { role: 'assistant', content: 'First' },
    { role: 'user', content: 'a.py' },
    { role: 'assistant', content: 'Then\nls\n' },
    { role: 'user', content: 'b.py' },
  ])
  expect(session.items.map(({ injected }) => injected ?? false)).toEqual([false, true, false, true])
  expect(session.items.map(({ line }) => line)).toEqual([1, 1, 2, 2])
})

describe('mini-SWE-agent', () => {
  const usage = { prompt_tokens: 90, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 40 } }
  const mini = {
    info: { config: { model: { model_name: 'model-b' } }, mini_version: '1.9' },
    messages: [
      { role: 'system', content: 'Work.' },
      { role: 'user', content: 'It breaks.' },
      { role: 'assistant', content: '```bash\nls\n```', extra: { response: { usage } }, timestamp: 12.5 },
      { role: 'user', content: '<output>a.py</output>', timestamp: 13 },
      { role: 'exit', content: '', extra: {} },
    ],
    trajectory_format: 'mini-swe-agent-1.1',
  }

  test('has its messages, and the usage of each call', () => {
    const session = importSessionText(JSON.stringify(mini, null, 2))
    expect(session).toMatchObject({ format: 'swe-agent', model: 'model-b' })
    expect(itemsOf(session)).toEqual(mini.messages.slice(0, 4).map(({ role, content }) => ({ role, content })))
    expect(session.calls).toEqual([
      {
        position: 2,
        model: 'model-b',
        timestamp: 12_500,
        usage: { input: 90, cacheRead: 40, cacheWrite: 0, output: 5 },
      },
    ])
    expect(session.items[3]).toMatchObject({ injected: true, timestamp: 13_000 })
    expect(session.skipped).toEqual({ 'client record': { count: 1, lines: [5] } })
  })
})

describe('a damaged file', () => {
  const [first = '', last = ''] = [text[3], text[5]].map((answer) => answer?.content)
  /** As newer versions write it: each step holds what was sent for it. */
  const trajectory = [
    { ...step(first, 'a.py'), query: text.slice(0, 3) },
    { ...step(last, 'bye'), query: text.slice(0, 5) },
  ]
  const json = JSON.stringify(file(text, { trajectory }), null, 1)

  test('is read from what is whole of its history', () => {
    const session = importSessionText(json.replace('"info"', '"info'))
    expect(itemsOf(session)).toEqual(text.map(({ role, content }) => ({ role, content })))
    expect(skippedCounts(session)).toEqual({ 'not JSON': 1 })
  })

  test('that ends before its history is its steps', () => {
    const session = importSessionText(json.slice(0, json.indexOf('"history"')))
    expect(itemsOf(session)).toHaveLength(4)
    expect(skippedCounts(session)).toEqual({ 'not JSON': 1 })
  })

  test.each([
    ['in a demonstration', '"is_demo"', [0]],
    ['in what was seen', '"content": "a.py"', [0, 1, 2, 3]],
    ['in an answer', '"thought": "Done"', [0, 1, 2, 3, 4]],
  ])('that ends in its history, %s, goes on with its steps', (_name, words, left) => {
    const session = importSessionText(json.slice(0, json.lastIndexOf(words)))
    const expected = [
      ...left.map((at) => text[at]),
      ...text.slice(Math.max(3, left.length)),
      { role: 'user', content: 'bye' },
    ]
    expect(itemsOf(session)).toEqual(expected.map((message) => ({ role: message?.role, content: message?.content })))
    expect(skippedCounts(session)).toEqual({ 'not JSON': 1 })
  })

  test('that ends behind a call has the result from its step', () => {
    const history = [system, issue, asks('c1', 'open'), gives('c1', 'seen')]
    const torn = JSON.stringify(file(history, { trajectory: [step('I look.', 'raw')] }))
    const session = importSessionText(torn.slice(0, torn.lastIndexOf('seen')))
    expect(itemsOf(session).at(-1)).toEqual({ role: 'tool', tool_call_id: 'c1', content: 'raw' })
  })

  test('of several attempts is its whole ones, or what is left of a longer one', () => {
    const attempts = JSON.stringify({ attempts: [file(text.slice(0, 4)), file(text)], info: {} }, null, 1)
    const cut = (words: string) => importSessionText(attempts.slice(0, attempts.lastIndexOf(words)))
    expect(cut('Work.').items).toHaveLength(4)
    expect(cut('"info"').items).toHaveLength(6)
    expect(skippedCounts(cut('Work.'))).toEqual({ 'not JSON': 1, 'other conversation': 1 })
  })

  test('says nothing twice where a step is damaged that holds messages', () => {
    for (const [words, sent] of [
      ['a.py', 3],
      ['bye', 5],
    ]) {
      const session = importSessionText(json.replace(`"observation": "${words}"`, '"observation": "'))
      expect(itemsOf(session)).toEqual(text.map(({ role, content }) => ({ role, content })))
      expect(skippedCounts(session)).toEqual({ 'not JSON': 1, 'said again': sent })
    }
  })
})

test('messages that cannot be read are counted, with their numbers', () => {
  const odd = [null, 'x', { role: 'narrator', content: 'x', agent }, { role: 'user', agent, content: null }]
  const session = importSessionText(JSON.stringify(file([...text.slice(0, 3), ...odd, ...text.slice(3)])))
  expect(session.items).toHaveLength(6)
  expect(session.skipped).toEqual({
    'empty message': { count: 1, lines: [7] },
    'unknown message': { count: 3, lines: [4, 5, 6] },
  })
})
