import { DIALECTS, dialectByName } from 'palimpsest'
import { groupMessages } from 'palimpsest/engine'
import { describe, expect, it } from 'vitest'
import { INTERRUPTED, interruptedResults } from './interrupted-results.ts'

/** How each format says hello, calls two tools, and answers one of them where answers may come one by one. */
const TALKS: Readonly<Record<string, { readonly calls: readonly object[]; readonly first: readonly object[] }>> = {
  'anthropic-messages': {
    calls: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: [use('a'), use('b')] },
    ],
    first: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'done' }] }],
  },
  'openai-chat': {
    calls: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: null, tool_calls: [chatCall('a'), chatCall('b')] },
    ],
    first: [{ role: 'tool', tool_call_id: 'a', content: 'done' }],
  },
  'openai-responses': responsesTalk(),
  'openai-codex': responsesTalk(),
  gemini: {
    calls: [
      { role: 'user', parts: [{ text: 'hello' }] },
      { role: 'model', parts: [{ functionCall: { name: 'a', args: {} } }, { functionCall: { name: 'b', args: {} } }] },
    ],
    first: [],
  },
  'bedrock-converse': {
    calls: [
      { role: 'user', content: [{ text: 'hello' }] },
      { role: 'assistant', content: [bedrockUse('a'), bedrockUse('b')] },
    ],
    first: [],
  },
  'ai-sdk': {
    calls: [
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'assistant', content: [sdkCall('a'), sdkCall('b')] },
    ],
    first: [
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'run', output: { type: 'text', value: 'done' } }],
      },
    ],
  },
  langchain: {
    calls: [
      { type: 'human', content: 'hello' },
      {
        type: 'ai',
        content: '',
        tool_calls: ['a', 'b'].map((id) => ({ type: 'tool_call', id, name: 'run', args: {} })),
      },
    ],
    first: [{ type: 'tool', content: 'done', tool_call_id: 'a' }],
  },
}

function use(id: string): object {
  return { type: 'tool_use', id, name: 'run', input: {} }
}

function chatCall(id: string): object {
  return { id, type: 'function', function: { name: 'run', arguments: '{}' } }
}

function responsesTalk() {
  return {
    calls: [
      { type: 'message', role: 'user', content: 'hello' },
      { type: 'function_call', call_id: 'a', name: 'run', arguments: '{}' },
      { type: 'function_call', call_id: 'b', name: 'run', arguments: '{}' },
    ],
    first: [{ type: 'function_call_output', call_id: 'a', output: 'done' }],
  }
}

function bedrockUse(id: string): object {
  return { toolUse: { toolUseId: id, name: 'run', input: {} } }
}

function sdkCall(id: string): object {
  return { type: 'tool-call', toolCallId: id, toolName: 'run', input: {} }
}

describe.each(DIALECTS.map(({ name }) => name))('what answers interrupted calls in %s', (name) => {
  const dialect = dialectByName(name)
  const { calls, first } = TALKS[name] ?? { calls: [], first: [] }
  const faults = (items: readonly object[]) => dialect.check({ system: [], items })

  it('makes the transcript one that can go on', () => {
    // open calls at the very end are no fault everywhere, but no user message may follow them
    const [hello] = calls
    expect(faults([...calls, hello ?? {}])).not.toEqual([])
    const results = interruptedResults(dialect, calls)
    expect(faults([...calls, ...results])).toEqual([])
    // where roles alternate it is for who speaks next to do so
    const behind = faults([...calls, ...results, hello ?? {}]).filter(({ rule }) => rule !== 'bedrock/alternation')
    expect(behind).toEqual([])
    const views = [...calls, ...results].map((item) => dialect.view(item))
    expect(groupMessages(views).flatMap(({ unanswered }) => unanswered)).toEqual([])
    const told = results.flatMap((item) => dialect.view(item).parts)
    expect(told.map(({ kind }) => kind)).toEqual(['tool-result', 'tool-result'])
    for (const part of told) expect(part.text()).toContain(INTERRUPTED)
    expect(interruptedResults(dialect, [...calls, ...results])).toEqual([])
  })

  it('answers only what is open', () => {
    if (first.length === 0) return
    const results = interruptedResults(dialect, [...calls, ...first])
    expect(faults([...calls, ...first, ...results])).toEqual([])
    expect(results.flatMap((item) => dialect.view(item).parts)).toHaveLength(1)
  })

  it('is nothing for a transcript without calls', () => {
    expect(interruptedResults(dialect, [])).toEqual([])
    expect(interruptedResults(dialect, calls.slice(0, 1))).toEqual([])
  })
})

it.each([
  [{ type: 'custom_tool_call', call_id: 'a', name: 'run', input: 'x' }],
  [{ type: 'local_shell_call', id: 'l', call_id: 'a', action: { type: 'exec', command: ['ls'] }, status: 'completed' }],
  [{ type: 'shell_call', call_id: 'a', action: { commands: ['ls'] } }],
  [{ type: 'apply_patch_call', call_id: 'a', operation: { type: 'delete_file', path: 'x' } }],
  [{ type: 'computer_call', id: 'cu_1', call_id: 'a', action: { type: 'screenshot' }, pending_safety_checks: [] }],
])('each kind of Responses call is answered in its own: $type', (call) => {
  const dialect = dialectByName('openai-responses')
  const items = [{ role: 'user', content: 'hello' }, call]
  const results = interruptedResults(dialect, items)
  expect(results).toHaveLength(1)
  expect(dialect.check({ system: [], items: [...items, ...results] })).toEqual([])
})

it('leaves to the provider what the provider answers', () => {
  const search = { type: 'tool_search_call', call_id: 'a', arguments: {}, execution: 'server' }
  expect(interruptedResults(dialectByName('openai-responses'), [{ role: 'user', content: 'hello' }, search])).toEqual(
    [],
  )
})

it('leaves alone a call that waits for an approval', () => {
  const items = [
    { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    {
      role: 'assistant',
      content: [sdkCall('a'), { type: 'tool-approval-request', approvalId: 'ok', toolCallId: 'a' }, sdkCall('b')],
    },
  ]
  const results = interruptedResults(dialectByName('ai-sdk'), items)
  expect(results).toMatchObject([{ content: [{ toolCallId: 'b' }] }])
})

it('of an older chat call is a function message, and of nobody knows what an error', () => {
  const items = [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: null, function_call: { name: 'run', arguments: '{}' } },
  ]
  const chat = dialectByName('openai-chat')
  const results = interruptedResults(chat, items)
  expect(results).toEqual([{ role: 'function', name: 'run', content: INTERRUPTED }])
  expect(chat.check({ system: [], items: [...items, ...results] })).toEqual([])
  expect(() => interruptedResults({ ...chat, name: 'telepathy' }, items)).toThrow(/telepathy/)
})
