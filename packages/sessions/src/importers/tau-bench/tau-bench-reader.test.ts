import { describe, expect, test } from 'vitest'
import { importSessionText } from '../import-session.ts'
import { itemsOf, jsonLines, skippedCounts } from '../session-text.test-data.ts'

const call = (id: string, city: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'find_hotel', arguments: `{"city":"${city}"}` } }],
})
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, name: 'find_hotel', content })
const traj = [
  { role: 'system', content: 'Policy.' },
  { role: 'user', content: 'A room, please.' },
  call('call_1', 'Bern'),
  result('call_1', 'full'),
  call('call_1', 'Thun'),
  result('call_1', 'free'),
  { role: 'assistant', content: 'In Thun.' },
  { role: 'user', content: '###STOP###' },
]
const run = (task: number, trial: number, messages: readonly unknown[] = traj) => ({
  task_id: task,
  reward: 1,
  info: { task: { user_id: 'u', actions: [] }, user_cost: 0.01 },
  traj: messages,
  trial,
})

test('a run is its messages as they stand, ids that repeat and all', () => {
  for (const text of [JSON.stringify(run(33, 0)), JSON.stringify(run(33, 0), null, 1)]) {
    const session = importSessionText(text)
    expect(session).toMatchObject({
      format: 'tau-bench',
      dialect: 'openai-chat',
      id: '33/0',
      skipped: {},
      compactions: [],
    })
    expect(itemsOf(session)).toEqual(traj)
    expect(session.items.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(session.calls).toEqual([{ position: 2 }, { position: 4 }, { position: 6 }])
  }
})

describe('a file of several runs', () => {
  const runs = [run(1, 0, traj.slice(0, 3)), run(2, 0), run(2, 1, traj.slice(0, 7)), run(3, 0, [])]

  test.each([
    ['a list', JSON.stringify(runs, null, 2), 1],
    ['lines', jsonLines(runs), 2],
  ])('as %s: the longest', (_name, text, line) => {
    const session = importSessionText(text)
    expect(session).toMatchObject({ format: 'tau-bench', id: '2/0' })
    expect(session.items).toHaveLength(8)
    expect(new Set(session.items.map((item) => item.line))).toEqual(new Set([line]))
    expect(skippedCounts(session)).toEqual({ 'other conversation': 3 })
  })

  test('the one that was asked for, by its task or with its trial', () => {
    const ids = ['1', '2', '2/1', '3/0'].map((session) => importSessionText(JSON.stringify(runs), { session }).id)
    expect(ids).toEqual(['1/0', '2/0', '2/1', '3/0'])
  })
})

test('of a torn list the whole runs are read', () => {
  const json = JSON.stringify([run(1, 0, traj.slice(0, 3)), run(2, 0, traj.slice(0, 4)), run(3, 0)], null, 1)
  const session = importSessionText(json.slice(0, -60))
  expect(session).toMatchObject({ format: 'tau-bench', id: '2/0' })
  expect(skippedCounts(session)).toEqual({ 'not JSON': 1, 'other conversation': 1 })
})

test('what agents without function calling get from tools is not the user’s', () => {
  const messages = [
    { role: 'user', content: 'A room.' },
    { role: 'assistant', content: 'Action:\n{"name":"find_hotel","arguments":{}}' },
    { role: 'user', content: 'API output: full' },
  ]
  expect(importSessionText(JSON.stringify(run(1, 0, messages))).items.map(({ injected }) => injected)).toEqual([
    undefined,
    undefined,
    true,
  ])
})

test('messages that cannot be read are counted, with their numbers', () => {
  const odd = [null, 7, { role: 'narrator', content: 'x' }, { role: 'assistant', content: null }, { role: 'user' }]
  const session = importSessionText(JSON.stringify(run(1, 0, [traj[0], ...odd, traj[1]])))
  expect(itemsOf(session)).toEqual(traj.slice(0, 2))
  expect(session.skipped).toEqual({
    'empty message': { count: 2, lines: [5, 6] },
    'unknown message': { count: 3, lines: [2, 3, 4] },
  })
})
