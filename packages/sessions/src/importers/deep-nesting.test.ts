import { describe, expect, test } from 'vitest'
import { answerLine, call, resultLine, userLine } from './claude-code/claude-session.test-data.ts'
import { importSessionText } from './import-session.ts'
import { jsonLines, skippedCounts } from './session-text.test-data.ts'

/** More levels than `JSON.stringify` can write. */
const DEEP = '['.repeat(10_000) + ']'.repeat(10_000)
const TIME = '2026-01-02T03:04:05.678Z'

/** Sessions with a place for something deep, and how many items they have. */
const SESSIONS: Readonly<Record<string, readonly [unknown, number]>> = {
  'Claude Code': [
    [
      userLine('u1', null, 'Look.'),
      answerLine('a1', 'u1', 'm1', { ...call('t1'), input: 'DEEP' }),
      answerLine('a2', 'a1', 'm1', { type: 'other', held: 'DEEP' }),
      resultLine('r1', 'a2', 't1'),
    ],
    3,
  ],
  Codex: [
    ['DEEP', 'DEEP', { more: 'DEEP' }].map((input) => ({
      timestamp: TIME,
      type: 'response_item',
      payload: { type: 'local_shell_call', call_id: 'c1', action: input },
    })),
    2,
  ],
  'Gemini CLI': [
    [
      { sessionId: 's', projectHash: 'p' },
      {
        id: 'm1',
        timestamp: TIME,
        type: 'gemini',
        content: 'Look.',
        toolCalls: [
          { id: 'c1', name: 'look', args: 'DEEP', result: [{ functionResponse: { id: 'c1', response: 'DEEP' } }] },
        ],
      },
      { $set: { messages: [{ id: 'm2', timestamp: TIME, type: 'user', content: [{ text: 'x', held: 'DEEP' }] }] } },
    ],
    3,
  ],
  opencode: [
    {
      info: { id: 's', title: 't', directory: '/p', time: { created: 1 } },
      messages: [
        {
          info: { id: 'm1', role: 'assistant', time: { created: 1 } },
          parts: [{ type: 'tool', callID: 'c1', tool: 'look', state: { status: 'completed', output: 'DEEP' } }],
        },
      ],
    },
    2,
  ],
  'Copilot CLI': [
    [
      {
        type: 'assistant.message',
        id: 'e1',
        parentId: null,
        data: { toolRequests: [{ toolCallId: 'c1', name: 'look', arguments: 'DEEP' }] },
      },
      { type: 'tool.execution_complete', id: 'e2', parentId: 'e1', data: { toolCallId: 'c1', result: 'DEEP' } },
    ],
    2,
  ],
  'SWE-agent': [
    {
      environment: 'e',
      trajectory: [],
      history: [
        { role: 'assistant', agent: 'main', content: 'Look.', tool_calls: [{ id: 'c1' }] },
        { role: 'tool', agent: 'main', content: 'DEEP', tool_call_ids: ['c1'] },
        { role: 'tool', agent: 'main', content: 'DEEP', tool_call_ids: ['c1'] },
      ],
    },
    2,
  ],
  OpenHands: [
    [
      { id: 1, source: 'agent', action: 'run', args: { command: 'DEEP' }, timestamp: TIME },
      {
        id: 2,
        source: 'agent',
        action: 'message',
        args: { content: 'Seen.' },
        tool_call_metadata: { model_response: { held: 'DEEP' } },
      },
    ],
    2,
  ],
  LangSmith: [
    {
      id: 'r1',
      run_type: 'llm',
      inputs: { messages: [{ type: 'human', data: { content: ['DEEP'] } }] },
      outputs: { messages: [{ type: 'human', data: { content: ['DEEP'] } }] },
    },
    1,
  ],
}

describe('JSON of ten thousand levels is read like any other', () => {
  test.each(Object.entries(SESSIONS))('in a session of %s', (name, [records, items]) => {
    const isDocument = !Array.isArray(records)
    const file = isDocument ? JSON.stringify(records) : jsonLines(records)
    const session = importSessionText(file.replaceAll('"DEEP"', DEEP))
    expect(session.items.length).toBe(items)
    const again = name === 'Codex' ? { 'duplicate call': 1 } : name === 'SWE-agent' ? { 'duplicate result': 1 } : {}
    expect(skippedCounts(session)).toEqual(again)
  })
})
