import { describe, expect, test } from 'vitest'
import {
  answerLine,
  boundaryLine,
  call,
  resultLine,
  summaryLine,
  text,
  userLine,
} from './claude-code/claude-session.test-data.ts'
import { importSessionText } from './import-session.ts'
import { jsonLines } from './session-text.test-data.ts'

type Fields = Record<string, unknown>

const RECORDS = 40_000
/** Milliseconds. What costs the square of so many records takes minutes, what is linear a second or two. */
const PATIENCE = 30_000

/** Sessions that are odd in one way, very often; and how many items they have. */
const LONG: Readonly<Record<string, () => readonly [string, number]>> = {
  'Claude Code, one id for all calls': () => {
    const steps = counted(RECORDS / 2).flatMap((at) => [
      answerLine(`a${at}`, at === 0 ? null : `r${at - 1}`, `m${at}`, call('t')),
      resultLine(`r${at}`, `a${at}`, 't', { toolUseResult: undefined }),
    ])
    return [jsonLines(steps), RECORDS]
  },
  'Claude Code, a compaction behind each message': () => {
    const steps = counted(RECORDS / 4).flatMap((at) => [
      userLine(`u${at}`, at === 0 ? null : `s${at - 1}`, 'Go on.'),
      boundaryLine(`b${at}`, `u${at}`, { trigger: 'auto' }),
      summaryLine(`s${at}`, `b${at}`, 'What was done.'),
    ])
    return [jsonLines(steps), RECORDS / 4]
  },
  'Claude Code, parents that are lost': () => {
    return [jsonLines(counted(RECORDS).map((at) => userLine(`u${at}`, `lost${at}`, 'Go on.'))), RECORDS]
  },
  'Claude Code, lines that hang on a side branch and stand before it': () => {
    const notes = counted(RECORDS).map((at) => ({
      ...userLine(`n${at}`, at === RECORDS - 1 ? 'r1' : `n${at + 1}`, 'x'),
      type: 'progress',
    }))
    const lines = [
      userLine('u1', null, 'Look.'),
      answerLine('a1', 'u1', 'm1', call('t1')),
      ...notes,
      resultLine('r1', 'a1', 't1'),
      answerLine('a2', 'a1', 'm2', text('Seen.')),
    ]
    return [jsonLines(lines), 4]
  },
  'Codex, one id for all calls': () => {
    const items = counted(RECORDS / 2).flatMap((at) => [codexCall(at), codexResult(at)])
    return [jsonLines(items), RECORDS]
  },
  'Codex, results before their calls': () => {
    const items = [...counted(RECORDS / 2).map(codexResult), ...counted(RECORDS / 2).map(codexCall)]
    return [jsonLines(items), RECORDS]
  },
  'pi, a compaction behind each message': () => {
    const entries = counted(RECORDS / 2).flatMap((at) => [
      {
        type: 'message',
        id: `e${at}`,
        parentId: at === 0 ? null : `k${at - 1}`,
        timestamp: TIME,
        message: { role: 'user', content: 'Go on.' },
      },
      {
        type: 'compaction',
        id: `k${at}`,
        parentId: `e${at}`,
        timestamp: TIME,
        summary: 'So far.',
        firstKeptEntryId: `e${at}`,
      },
    ])
    return [jsonLines([{ type: 'session', version: 3, id: 's', timestamp: TIME }, ...entries]), RECORDS / 2]
  },
  'SWE-agent, one id for all calls, results first': () => {
    const results = counted(RECORDS).map(() => ({ role: 'tool', agent: 'main', content: 'seen', tool_call_ids: ['c'] }))
    const answers = counted(RECORDS).map(() => ({
      role: 'assistant',
      agent: 'main',
      content: 'Look.',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
    }))
    return [JSON.stringify({ environment: 'e', trajectory: [], history: [...results, ...answers] }), 2 * RECORDS]
  },
  'SWE-agent, many results of one answer': () => {
    const ids = counted(RECORDS).map((at) => `c${at}`)
    const calls = ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } }))
    const results = ids.map((id) => ({ role: 'tool', agent: 'main', content: 'seen', tool_call_id: id }))
    const answer = { role: 'assistant', agent: 'main', content: 'Look.', tool_calls: calls }
    return [JSON.stringify({ environment: 'e', trajectory: [], history: [answer, ...results] }), RECORDS + 1]
  },
  'Gemini CLI, results of many calls in a list that replaces the view': () => {
    const response = (at: number) => ({
      functionResponse: { id: `c${at}`, name: 'look', response: { output: 'seen' } },
    })
    const answers = counted(RECORDS / 2).map((at) => ({
      ...geminiMessage(`m${at}`, 'gemini', 'Look.'),
      toolCalls: [{ id: `c${at}`, name: 'look', args: {}, result: [response(at)] }],
    }))
    const results = counted(RECORDS / 2).map((at) => geminiMessage(`r${at}`, 'user', [response(at)]))
    const lines = [{ sessionId: 's', projectHash: 'p' }, ...answers, { $set: { messages: results } }]
    return [jsonLines(lines), RECORDS]
  },
  'LangSmith, many runs below one': () => {
    const runs = counted(RECORDS).map((at) => ({
      id: `r${at}`,
      run_type: 'llm',
      inputs: { messages: [{ type: 'human', data: { content: 'Why?' } }] },
      outputs: {},
    }))
    return [JSON.stringify({ id: 'r', run_type: 'chain', inputs: {}, outputs: {}, child_runs: runs }), 1]
  },
}

const TIME = '2026-01-02T03:04:05.678Z'

describe('a long session costs time in proportion to its length', () => {
  test.each(Object.entries(LONG))('%s', { timeout: PATIENCE }, (_, made) => {
    const [file, items] = made()
    expect(importSessionText(file).items.length).toBe(items)
  })
})

function counted(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at)
}

function codexCall(at: number): Fields {
  const payload = { type: 'function_call', name: 'look', arguments: `{"at":${at}}`, call_id: 'c' }
  return { timestamp: TIME, type: 'response_item', payload }
}

function codexResult(at: number): Fields {
  const payload = { type: 'function_call_output', call_id: 'c', output: `seen ${at}` }
  return { timestamp: TIME, type: 'response_item', payload }
}

function geminiMessage(id: string, type: string, content: unknown): Fields {
  return { id, timestamp: TIME, type, content }
}
