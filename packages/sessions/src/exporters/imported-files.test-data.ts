import {
  answerLine,
  boundaryLine,
  call,
  resultLine,
  summaryLine,
  text,
  userLine,
} from '../importers/claude-code/claude-session.test-data.ts'
import type { SessionFormat } from '../importers/imported-session.ts'
import * as opencode from '../importers/opencode/opencode-session.test-data.ts'
import { step as openHandsStep, userMessage } from '../importers/openhands/openhands-session.test-data.ts'
import { jsonLines } from '../importers/session-text.test-data.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

const claudeCode = jsonLines([
  userLine('u1', null, 'go'),
  answerLine('a1', 'u1', 'msg_1', { type: 'thinking', thinking: 'hm', signature: 'c2ln' }),
  answerLine('a2', 'a1', 'msg_1', { ...call('t1'), x_future: [1.5] }),
  resultLine('r1', 'a2', 't1'),
  userLine('m1', 'r1', 'a skill', { isMeta: true }),
  boundaryLine('b1', 'm1', {
    trigger: 'auto',
    preTokens: 155_000,
    postTokens: 21_000,
    preservedSegment: { headUuid: 'r1', anchorUuid: 's1', tailUuid: 'm1' },
  }),
  summaryLine('s1', 'b1', 'SUMMARY'),
  answerLine('a3', 's1', 'msg_2', text('done')),
  {
    ...userLine('c1', 'a3', ''),
    type: 'system',
    subtype: 'microcompact_boundary',
    microcompactMetadata: { trigger: 'auto', preTokens: 120_000, tokensSaved: 30_000, compactedToolIds: ['t1'] },
  },
  userLine('u2', 'c1', [
    text('and?'),
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
  ]),
  { type: 'summary', summary: 'A title', leafUuid: 'u2' },
])

const codexLine = (second: number, type: string, payload: object) => ({ timestamp: at(second), type, payload })
const codexUsage = { input_tokens: 9, cached_input_tokens: 4, output_tokens: 1, total_tokens: 10 }
const codex = jsonLines([
  codexLine(0, 'session_meta', { id: 'T', timestamp: at(0), cwd: '/project', originator: 'codex_cli_rs' }),
  codexLine(1, 'turn_context', { cwd: '/project', model: 'model-b' }),
  codexLine(2, 'response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] }),
  codexLine(3, 'response_item', { type: 'reasoning', summary: [], encrypted_content: 'ZW5j' }),
  codexLine(4, 'response_item', { type: 'function_call', name: 'shell', arguments: '{"n":1.0}', call_id: 'c1' }),
  codexLine(5, 'response_item', { type: 'function_call_output', call_id: 'c1', output: 'a.txt' }),
  codexLine(6, 'event_msg', { type: 'token_count', info: { last_token_usage: codexUsage } }),
  codexLine(7, 'response_item', { type: 'compaction', encrypted_content: 'c2VhbGVk' }),
  codexLine(8, 'response_item', { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', call_id: 'c2' }),
  codexLine(9, 'response_item', { type: 'custom_tool_call_output', call_id: 'c2', output: 'ok' }),
  codexLine(10, 'compacted', { message: 'SUMMARY', replacement_history: [] }),
  codexLine(11, 'response_item', {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'done' }],
  }),
])

const piEntry = (type: string, id: string, parentId: string | null, more: object) => ({
  type,
  id,
  parentId,
  timestamp: at(Number.parseInt(id, 16)),
  ...more,
})
const piAnswer = { role: 'assistant', provider: 'anthropic', model: 'model-a', stopReason: 'stop' }
const piUsage = { input: 3, output: 5, cacheRead: 90, cacheWrite: 7, totalTokens: 105 }
const pi = jsonLines([
  { type: 'session', version: 3, id: 'S', timestamp: at(0), cwd: '/project' },
  piEntry('message', '1', null, { message: { role: 'user', content: 'go' } }),
  piEntry('message', '2', '1', {
    message: {
      ...piAnswer,
      usage: piUsage,
      content: [
        { type: 'thinking', thinking: 'hm', thinkingSignature: 'c2ln' },
        { type: 'toolCall', id: 't1', name: 'read', arguments: { path: 'x' } },
      ],
    },
  }),
  piEntry('message', '3', '2', {
    message: {
      role: 'toolResult',
      toolCallId: 't1',
      toolName: 'read',
      content: [
        { type: 'text', text: 'no such file' },
        { type: 'image', data: 'aW1n', mimeType: 'image/png' },
      ],
      isError: true,
    },
  }),
  piEntry('compaction', '4', '3', { summary: 'SUMMARY', firstKeptEntryId: '2', tokensBefore: 150_000 }),
  piEntry('message', '5', '4', { message: { ...piAnswer, usage: piUsage, content: [{ type: 'text', text: 'done' }] } }),
])

const geminiCli = jsonLines([
  { sessionId: 'S', projectHash: 'H', startTime: at(0), lastUpdated: at(9), kind: 'main' },
  { id: 'm1', timestamp: at(1), type: 'user', content: [{ text: 'go' }] },
  {
    id: 'm2',
    timestamp: at(2),
    type: 'gemini',
    content: 'look',
    model: 'm',
    tokens: { input: 9, output: 1, cached: 4, thoughts: 0, tool: 0, total: 10 },
    toolCalls: [
      {
        id: 'c1',
        name: 'read_file',
        args: { path: 'x' },
        result: [{ functionResponse: { id: 'c1', name: 'read_file', response: { output: 'red' } } }],
        status: 'success',
      },
    ],
  },
  { id: 'm3', timestamp: at(3), type: 'user', content: [{ text: '<state_snapshot>what was done</state_snapshot>' }] },
  { id: 'm4', timestamp: at(4), type: 'user', content: [{ text: 'on' }] },
])

const { asked, answered, tool } = opencode
const opencodeFile = JSON.stringify({
  info: opencode.sessionInfo,
  messages: [
    asked(1, [opencode.text('go')]),
    answered(2, [{ type: 'reasoning', text: 'hm' }, opencode.text('look'), tool('c1', 'red')]),
    answered(3, [opencode.text('done')]),
  ],
})

const copilotEvent = (number: number, type: string, data: object) => ({
  type,
  data,
  id: `e${number}`,
  timestamp: at(number),
  parentId: `e${number - 1}`,
})
const copilotAnswer = { messageId: 'x', model: 'm', content: '', toolRequests: [] }
const copilotCli = jsonLines([
  copilotEvent(1, 'session.start', { sessionId: 'S', context: { cwd: '/project' } }),
  copilotEvent(2, 'user.message', { content: 'go' }),
  copilotEvent(3, 'assistant.message', {
    ...copilotAnswer,
    apiCallId: 'one',
    toolRequests: [{ toolCallId: 'c1', name: 'view', arguments: { path: 'x' }, type: 'function' }],
  }),
  copilotEvent(4, 'tool.execution_complete', { toolCallId: 'c1', success: true, result: { content: 'red' } }),
  copilotEvent(5, 'assistant.message', { ...copilotAnswer, apiCallId: 'two', content: 'done' }),
])

const sweAgent = JSON.stringify({
  environment: 'e',
  trajectory: [],
  history: [
    { role: 'system', content: 'Work.', agent: 'main', message_type: 'system_prompt' },
    { role: 'user', content: 'It breaks.', agent: 'main', message_type: 'observation' },
    {
      role: 'assistant',
      content: 'I look.',
      thought: 'I look.',
      action: 'ls',
      agent: 'main',
      message_type: 'action',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'ls', arguments: '{}' } }],
    },
    {
      role: 'tool',
      content: [{ type: 'text', text: 'a.py' }],
      agent: 'main',
      message_type: 'observation',
      tool_call_ids: ['c1'],
    },
  ],
})

const tauBench = JSON.stringify({
  task_id: 33,
  trial: 0,
  reward: 1,
  info: { task: { user_id: 'u', actions: [] }, user_cost: 0.01 },
  traj: [
    { role: 'system', content: 'Policy.' },
    { role: 'user', content: 'A room, please.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"city": "Bern"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', name: 'find', content: 'full' },
    { role: 'assistant', content: 'In Thun.' },
  ],
})

const chain = ['langchain', 'schema', 'messages']
const stored = (name: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: [...chain, name], kwargs })
const langSmith = JSON.stringify({
  id: '11111111-2222-4333-8444-555555555555',
  trace_id: '11111111-2222-4333-8444-555555555555',
  name: 'ChatModel',
  run_type: 'llm',
  start_time: at(1),
  end_time: at(2),
  inputs: { messages: [[stored('SystemMessage', { content: 'Work.' }), stored('HumanMessage', { content: 'go' })]] },
  outputs: { generations: [[{ message: stored('AIMessage', { content: 'done', tool_calls: [] }) }]] },
})

/** A made-up file for every format of sessions that can be imported, requests aside. */
export const IMPORTED_FILES: Readonly<Record<Exclude<SessionFormat, 'request'>, string>> = {
  'claude-code': claudeCode,
  codex,
  pi,
  'gemini-cli': geminiCli,
  opencode: opencodeFile,
  'copilot-cli': copilotCli,
  openhands: JSON.stringify([userMessage(1, 'Mend it.'), ...openHandsStep(2, 'c1')]),
  'swe-agent': sweAgent,
  'tau-bench': tauBench,
  langsmith: langSmith,
}
