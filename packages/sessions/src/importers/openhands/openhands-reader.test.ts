import { openaiChat } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { importSessionText } from '../import-session.ts'
import { itemsOf, jsonLines, skippedCounts } from '../session-text.test-data.ts'
import {
  action,
  evaluation,
  metadata,
  observation,
  response,
  step,
  stepItems,
  timeOfEvent,
  userMessage,
} from './openhands-session.test-data.ts'

const system = action(0, 'system', { content: 'Work.', tools: [] })
const events = [system, userMessage(1, 'Mend it.'), ...step(2, 'c1'), ...step(4, 'c1', 'edit')]
const items = [
  { role: 'system', content: 'Work.' },
  { role: 'user', content: 'Mend it.' },
  ...stepItems(2, 'c1'),
  ...stepItems(4, 'c1', 'edit'),
]

describe('a run', () => {
  test.each([
    ['a result of an evaluation', JSON.stringify(evaluation(events))],
    ['one written over many lines', JSON.stringify(evaluation(events), null, 2)],
    ['a list of events', JSON.stringify(events, null, 1)],
    ['a list on one line', JSON.stringify(events)],
    ['a trajectory that was downloaded', JSON.stringify({ trajectory: events })],
    ['lines of events', jsonLines(events)],
    [
      'pairs, as in the oldest files',
      JSON.stringify(evaluation([[events[0], events[1]], events.slice(2, 4), events.slice(4)])),
    ],
  ])('is its messages, in %s', (_name, text) => {
    const session = importSessionText(text)
    expect(session).toMatchObject({ format: 'openhands', dialect: 'openai-chat', skipped: {}, compactions: [] })
    expect(itemsOf(session)).toEqual(items)
    expect(session.items.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6])
    const usage = { input: 100, cacheRead: 60, cacheWrite: 0, output: 7 }
    expect(session.calls).toEqual(
      [2, 4].map((id) => ({ position: id, usage, model: 'model-a', timestamp: Date.parse(timeOfEvent(id)) })),
    )
  })

  test('has the id and the model that are recorded, and nothing of the settings', () => {
    const session = importSessionText(JSON.stringify(evaluation(events)))
    expect(session).toMatchObject({ id: 'task-1', model: 'model-a' })
    expect(JSON.stringify(session)).not.toContain('k3y')
    expect(importSessionText(JSON.stringify(evaluation(events.slice(0, 2)))).model).toBe('model-of-settings')
  })

  test('has the tools that the agent had, and its system prompt apart', () => {
    const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }]
    const withTools = [action(0, 'system', { content: 'Work.', tools }), ...events.slice(1)]
    const { request } = importSessionText(JSON.stringify(withTools))
    expect(request).toEqual({ model: 'model-a', messages: items, tools })
    expect(openaiChat.open(request as never)).toMatchObject({ system: items.slice(0, 1), items: items.slice(1), tools })
  })

  test('is the longest of several, or the one that was asked for', () => {
    const text = jsonLines([evaluation(events.slice(0, 4), 'a'), evaluation(events, 'b'), evaluation([], 'c')])
    const session = importSessionText(text)
    expect(session).toMatchObject({ id: 'b', skipped: { 'other conversation': { count: 2, lines: [1, 3] } } })
    expect(session.items.map(({ line }) => line)).toEqual([2, 2, 2, 2, 2, 2])
    expect(importSessionText(text, { session: 'a' }).items).toHaveLength(4)
  })
})

describe('answers', () => {
  test('a response with several calls is one message, its results behind it', () => {
    const both = response('r', { a: 'read', b: 'run' })
    const [read, run] = [metadata(both, 'a', 'read'), metadata(both, 'b', 'run')]
    const session = importSessionText(
      JSON.stringify([
        action(0, 'read', { path: 'x' }, read),
        action(1, 'run', { command: 'ls' }, run),
        observation(2, 'run', 1, 'B', run),
        observation(3, 'read', 0, 'A', read),
      ]),
    )
    expect(itemsOf(session).map((item) => (item as { tool_call_id?: string }).tool_call_id)).toEqual([
      undefined,
      'b',
      'a',
    ])
    expect(session.calls).toHaveLength(1)
  })

  test('without calls they are the agent’s messages', () => {
    const plain = { id: 'r', model: 'm', choices: [{ message: { role: 'assistant', content: 'Done.' } }] }
    const session = importSessionText(
      JSON.stringify([
        userMessage(0, 'Go.'),
        action(1, 'message', { content: 'Done.' }, { tool_call_metadata: null }),
        action(2, 'message', { content: 'Done!' }, metadata(plain, '', '')),
      ]),
    )
    expect(itemsOf(session).slice(1)).toEqual([
      { role: 'assistant', content: 'Done.' },
      { role: 'assistant', content: 'Done!' },
    ])
    expect(session.calls.map(({ position, model }) => [position, model])).toEqual([
      [1, undefined],
      [2, 'm'],
    ])
  })

  test('that the file lacks are made of what was done', () => {
    const thought = { text: 'Look.' }
    const session = importSessionText(
      JSON.stringify([
        action(0, 'run', { command: 'ls', thought: 'First.', blocking: true, timeout: null }),
        observation(1, 'run', 0, 'a.py', { extras: { exit_code: 0 } }),
        action(2, 'read', { path: 'a.py', thought }, metadata(null, 'c9', 'view')),
        observation(3, 'read', 2, 'x = 1'),
      ]),
    )
    expect(itemsOf(session)).toEqual([
      {
        role: 'assistant',
        content: 'First.',
        tool_calls: [{ id: 'event-0', type: 'function', function: { name: 'run', arguments: '{"command":"ls"}' } }],
      },
      { role: 'tool', tool_call_id: 'event-0', content: 'a.py\n[Command finished with exit code 0]' },
      {
        role: 'assistant',
        content: 'Look.',
        tool_calls: [{ id: 'c9', type: 'function', function: { name: 'view', arguments: '{"path":"a.py"}' } }],
      },
      { role: 'tool', tool_call_id: 'c9', content: 'x = 1' },
    ])
  })
})

describe('what is seen', () => {
  const about = metadata(response('r', { c: 'tool' }), 'c', 'tool')
  const result = (name: string, content: string, extras: object) => {
    const session = importSessionText(
      JSON.stringify([action(0, 'run', {}, about), observation(1, name, 0, content, { ...about, extras })]),
    )
    return (itemsOf(session)[1] as { content: unknown }).content
  }

  test('a command with how it ended and where', () => {
    const state = { exit_code: 2, working_dir: '/w', py_interpreter_path: '/py', prefix: '<', suffix: '>' }
    expect(result('run', 'out', { metadata: state })).toBe(
      '<out>\n[Current working directory: /w]\n[Python interpreter: /py]\n[Command finished with exit code 2]',
    )
    expect(result('run', 'out', { metadata: { exit_code: -1, working_dir: null } })).toBe('out')
  })

  test('errors, rejections, what a delegate brought, pictures', () => {
    expect(result('error', 'No.', {})).toBe('No.\n[Error occurred in processing last action]')
    expect(result('user_rejected', 'No.', {})).toBe('No.\n[Last action has been rejected by the user]')
    expect(result('delegate', 'x', { outputs: { content: 'Found.' } })).toBe('Found.')
    expect(result('run_ipython', 'plot', { image_urls: ['data:image/png;base64,AA'] })).toEqual([
      { type: 'text', text: 'plot' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
    ])
    expect(result('edit', '', {})).toBe('')
  })

  test('without a call it is a message that the client wrote', () => {
    const session = importSessionText(JSON.stringify([...events, observation(9, 'error', -1, 'Too many steps.')]))
    expect(session.items.at(-1)).toMatchObject({
      injected: true,
      item: { role: 'user', content: 'Too many steps.\n[Error occurred in processing last action]' },
    })
  })
})

test('who says what in the user’s name', () => {
  const session = importSessionText(
    JSON.stringify([
      userMessage(0, 'See.', { image_urls: ['https://example.com/a.png'] }),
      action(1, 'recall', { query: 'See.' }, {}, 'user'),
      observation(2, 'recall', 1, 'Added.', {
        extras: { repo_instructions: 'Be brief.', microagent_knowledge: [{ name: 'n', content: 'Use git.' }] },
      }),
      action(3, 'run', { command: 'ls' }, {}, 'user'),
      action(4, 'message', { content: 'Time is up.' }, {}, 'environment'),
    ]),
  )
  expect(
    session.items.map(({ item, injected }) => [(item as { content: unknown }).content, injected ?? false]),
  ).toEqual([
    [
      [
        { type: 'text', text: 'See.' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      ],
      false,
    ],
    ['Be brief.\n\nUse git.', true],
    ['User executed the command:\nls', true],
    ['Time is up.', true],
  ])
  expect(session.skipped).toEqual({ 'client record': { count: 1, lines: [2] } })
})

test('what the client does for itself is counted', () => {
  const own = [
    observation(6, 'agent_state_changed', -1, '', { extras: { agent_state: 'running' } }),
    action(7, 'change_agent_state', { agent_state: 'finished' }, {}, 'environment'),
    observation(8, 'null', 2, ''),
    observation(9, 'recall', 1, 'Added.', { extras: { date: '2026-01-01' } }),
  ]
  const session = importSessionText(JSON.stringify([...events, ...own]))
  expect(session.items).toHaveLength(6)
  expect(session.skipped).toEqual({ 'client record': { count: 4, lines: [7, 8, 9, 10] } })
})

test('an event that stands there twice is read once, and a second result is none', () => {
  const [, result] = step(2, 'c1')
  const session = importSessionText(JSON.stringify([...events.slice(0, 4), result, events[1], { ...result, id: 8 }]))
  expect(itemsOf(session)).toEqual(items.slice(0, 4))
  expect(skippedCounts(session)).toEqual({ 'duplicate record': 2, 'duplicate result': 1 })
})

test('what a delegate did is no part of the conversation', () => {
  const about = metadata(response('d', { d: 'delegate' }), 'd', 'delegate')
  const delegate = action(6, 'delegate', { agent: 'Browser', inputs: {} }, about)
  const outcome = observation(20, 'delegate', 6, 'Found.', about)
  const inner = [userMessage(7, 'Find.'), ...step(8, 'x'), ...step(10, 'y')]
  const session = importSessionText(JSON.stringify([...events, delegate, ...inner, outcome]))
  expect(session.items).toHaveLength(8)
  expect(session.items.at(-1)?.item).toMatchObject({ role: 'tool', tool_call_id: 'd', content: 'Found.' })
  expect(skippedCounts(session)).toEqual({ sidechain: 5 })
  // One that never came back took nothing with it.
  expect(skippedCounts(importSessionText(JSON.stringify([...events, delegate, ...inner])))).toEqual({})
})

describe('a condensation', () => {
  const condensed = (args: object) =>
    importSessionText(JSON.stringify([...events, action(6, 'condensation', { ...args }), ...step(7, 'c2')]))

  test('is a compaction, the originals stay', () => {
    const session = condensed({ forgotten_events_start_id: 1, forgotten_events_end_id: 3, summary: 'SUMMARY' })
    expect(session.compactions).toEqual([
      { position: 6, trigger: 'auto', kind: 'summary', summary: 'SUMMARY', tokensBefore: 107, keptFrom: 4 },
    ])
    expect(itemsOf(session)).toEqual([...items, ...stepItems(7, 'c2')])
    expect(session.skipped).toEqual({})
  })

  test('may name what it left out one by one, and say nothing of it', () => {
    expect(condensed({ forgotten_event_ids: [2, 3, 1] }).compactions).toEqual([
      { position: 6, trigger: 'auto', kind: 'summary', tokensBefore: 107, keptFrom: 4 },
    ])
    expect(condensed({}).compactions[0]).not.toHaveProperty('keptFrom')
  })
})

test('events that cannot be read are counted, with their numbers', () => {
  const odd = [null, 'x', { id: 5, source: 'agent' }, { source: 'nobody', action: 'run', args: {} }, [7]]
  const session = importSessionText(JSON.stringify(evaluation([...events.slice(0, 2), ...odd, ...events.slice(2)])))
  expect(itemsOf(session)).toEqual(items)
  expect(session.skipped).toEqual({ 'unknown record': { count: 5, lines: [3, 4, 5, 6, 7] } })
})
