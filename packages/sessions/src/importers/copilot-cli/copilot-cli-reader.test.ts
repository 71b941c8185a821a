import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { damagedLog, lineDamage } from '../damaged-text.test-data.ts'
import { importSessionText } from '../import-session.ts'
import type { ImportedSession } from '../imported-session.ts'
import { itemsOf, jsonLines, skippedCounts } from '../session-text.test-data.ts'

let events = 0
const start = event('session.start', { sessionId: 'S', context: { cwd: '/p' } })

describe('the items', () => {
  test('are what was sent: the user’s words with what the client put around them, answers, calls, results', () => {
    const session = read([
      start,
      event('user.message', { content: 'go', transformedContent: '<current_datetime>now</current_datetime>\n\ngo' }),
      answer({
        content: 'look',
        phase: 'commentary',
        toolRequests: [request('a'), { ...request('b'), type: 'custom', arguments: 'raw' }],
      }),
      result('b', 'blue'),
      result('a', 'red'),
      answer({ apiCallId: 'two', content: 'done' }),
    ])
    expect(itemsOf(session)).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: '<current_datetime>now</current_datetime>\n\ngo' }],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'look' }], phase: 'commentary' },
      { type: 'function_call', call_id: 'a', name: 'view', arguments: '{"path":"a"}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'view', input: 'raw' },
      { type: 'custom_tool_call_output', call_id: 'b', output: 'blue' },
      { type: 'function_call_output', call_id: 'a', output: 'red' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
    ])
    expect(session).toMatchObject({
      format: 'copilot-cli',
      dialect: 'openai-responses',
      id: 'S',
      cwd: '/p',
      model: 'm',
      calls: [
        { position: 1, model: 'm' },
        { position: 6, model: 'm' },
      ],
    })
  })

  test('have reasoning that nobody can read, with its state; pieces of one call of the model count once', () => {
    const session = read([
      start,
      user('go'),
      answer({ content: '', reasoningOpaque: 'id1', encryptedContent: 'ZW5j' }),
      answer({ content: 'x', reasoningOpaque: 'signature', reasoningText: 'thought' }),
    ])
    expect(itemsOf(session).slice(1, 3)).toEqual([
      { type: 'reasoning', id: 'id1', summary: [], encrypted_content: 'ZW5j' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'thought' }], encrypted_content: 'signature' },
    ])
    expect(session.calls).toHaveLength(1)
  })

  test('of the client are marked: reminders, instructions that it found, notifications in tags', () => {
    const session = read([
      start,
      user('go'),
      event('user.message', {
        content: '',
        transformedContent: '<system_reminder>x</system_reminder>',
        source: 'system',
      }),
      event('user.message', { content: 'Custom instructions', source: 'instruction-discovery' }),
      event('system.notification', { content: '<system_notification>A command ended.</system_notification>' }),
      event('system.notification', { content: 'Discovered instruction: AGENTS.md' }),
    ])
    expect(session.items.map(({ injected }) => injected)).toEqual([undefined, true, true, true])
    expect(skippedCounts(session)).toEqual({ 'client record': 2 })
  })

  test('tell what went wrong; a call that was cut off stays open', () => {
    const failed = event('tool.execution_complete', {
      toolCallId: 'a',
      success: false,
      error: { message: 'Path does not exist' },
    })
    const session = read([
      start,
      user('go'),
      answer({ toolRequests: [request('a'), request('b')] }),
      failed,
      event('abort', { reason: 'user' }),
    ])
    expect(outline(session)).toEqual(['user go', 'function_call a', 'function_call b', 'function_call_output a'])
    expect(JSON.stringify(itemsOf(session))).toContain('Path does not exist')
  })

  test('have a picture that the user attached', () => {
    const blob = { type: 'blob', data: 'aGk=', mimeType: 'image/png' }
    const session = read([
      start,
      event('user.message', { content: 'see', attachments: [blob, { type: 'file', path: '/x' }] }),
    ])
    expect(itemsOf(session)).toMatchObject([
      { content: [{ text: 'see' }, { type: 'input_image', image_url: 'data:image/png;base64,aGk=' }] },
    ])
  })

  test('are not what subagents say, hooks, or the start of what an answer called', () => {
    const session = read([
      start,
      event('hook.start', { hookType: 'x' }),
      user('go'),
      answer({ toolRequests: [request('a')] }),
      event('tool.execution_start', { toolCallId: 'a', toolName: 'view', arguments: { path: 'a' } }),
      answer({ content: 'inner', parentToolCallId: 'a' }),
      { ...answer({ content: 'inner' }), agentId: 'sub' },
      result('a', 'red'),
    ])
    expect(outline(session)).toEqual(['user go', 'function_call a', 'function_call_output a'])
    expect(skippedCounts(session)).toEqual({ 'client record': 2, event: 1, sidechain: 2 })
  })
})

test('the system prompt is that of the last request', () => {
  const system = (content: string) => event('system.message', { role: 'system', content })
  const session = read([
    start,
    system('first'),
    user('go'),
    system('You are'),
    system('You are'),
    answer({ content: 'x' }),
  ])
  expect(session.request).toEqual({ model: 'm', instructions: 'You are', input: itemsOf(session) })
  expect(session.skipped).toMatchObject({ 'earlier system prompt': { count: 1, lines: [2] } })
  expect(read([start, user('go')]).request).toBeUndefined()
})

describe('compactions', () => {
  test('stand beside the items, with sizes and summary; one that failed is none', () => {
    const compacted = { success: true, preCompactionTokens: 90, postCompactionTokens: 20, summaryContent: 'SUMMARY' }
    const session = read([
      start,
      user('go'),
      event('session.compaction_complete', { success: false }),
      event('session.compaction_complete', compacted),
      event('session.truncation', {
        tokenLimit: 100,
        messagesRemovedDuringTruncation: 2,
        preTruncationTokensInMessages: 9,
      }),
      user('on'),
    ])
    expect(session.compactions).toEqual([
      { position: 1, trigger: 'unknown', kind: 'summary', tokensBefore: 90, tokensAfter: 20, summary: 'SUMMARY' },
      { position: 1, trigger: 'auto', kind: 'micro', tokensBefore: 9 },
    ])
    expect(session.window).toBe(100)
    expect(outline(session)).toEqual(['user go', 'user on'])
    expect(skippedCounts(session)).toMatchObject({ 'failed compaction': 1 })
  })

  test('take their size from the usage before them, where a log has it', () => {
    const session = read([
      start,
      user('go'),
      answer({ content: 'x' }),
      event('assistant.usage', { model: 'm', inputTokens: 50, cacheReadTokens: 30, outputTokens: 5 }),
      event('session.compaction_complete', { summaryContent: 'SUMMARY' }),
    ])
    expect(session.calls).toMatchObject([{ usage: { input: 50, cacheRead: 30, cacheWrite: 0, output: 5 } }])
    expect(session.compactions).toMatchObject([{ tokensBefore: 55 }])
  })
})

test('what the user went back behind is taken back', () => {
  const here = answer({ content: 'one' })
  const session = read([
    start,
    user('go'),
    here,
    user('no'),
    answer({ content: 'two', apiCallId: 'x' }),
    event('session.snapshot_rewind', { upToEventId: here.id }),
    user('yes'),
  ])
  expect(outline(session)).toEqual(['user go', 'assistant one', 'user yes'])
  expect(session.calls).toHaveLength(1)
  expect(skippedCounts(session)).toMatchObject({ 'rolled-back turn': 2 })
  const lost = read([start, user('go'), event('session.snapshot_rewind', { upToEventId: 'lost' })])
  expect(skippedCounts(lost)).toMatchObject({ 'rewind to an unknown event': 1 })
})

test('a call whose answer is damaged is known by its start', () => {
  const events = [
    start,
    user('go'),
    answer({ toolRequests: [request('a')] }),
    event('tool.execution_start', { toolCallId: 'a', toolName: 'view', arguments: { path: 'a' } }),
    result('a', 'red'),
  ]
  const text = jsonLines(events).replace('"assistant.message"', '"assistant.mes')
  expect(outline(importSessionText(text))).toEqual(['user go', 'function_call a', 'function_call_output a'])
})

const step = fc.record({ text: fc.constantFrom('words', 'quo"te', '{"type":"x"}'), calls: fc.nat({ max: 3 }) })

test('law: one damaged line never throws, and costs no other line anything', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), lineDamage, (steps, damage) => {
      const events = steps.flatMap(({ text, calls }, at) => {
        const ids = Array.from({ length: calls }, (_, one) => `c${at}-${one}`)
        return [
          user(`${text} ${at}`),
          answer({ apiCallId: `api${at}`, content: `${text} ${at}`, toolRequests: ids.map(request) }),
          ...ids.map((id) => result(id, text)),
        ]
      })
      const { text, left } = damagedLog([start, ...events], damage)
      const session = importSessionText(text, { format: 'copilot-cli' })
      expect(itemsOf(session)).toEqual(itemsOf(read(left)))
      expect(
        Object.keys(session.skipped).filter((reason) => reason !== 'not JSON' && reason !== 'client record'),
      ).toEqual([])
    }),
    { numRuns: 200 },
  )
})

function event(type: string, data: object) {
  events += 1
  return { type, data, id: `e${events}`, timestamp: '2026-01-01T00:00:00Z', parentId: `e${events - 1}` }
}

function user(content: string) {
  return event('user.message', { content })
}

function answer(data: object) {
  return event('assistant.message', {
    messageId: 'x',
    apiCallId: 'one',
    model: 'm',
    content: '',
    toolRequests: [],
    ...data,
  })
}

function request(toolCallId: string) {
  return { toolCallId, name: 'view', arguments: { path: toolCallId }, type: 'function' }
}

function result(toolCallId: string, content: string) {
  return event('tool.execution_complete', {
    toolCallId,
    success: true,
    result: { content, detailedContent: 'for the screen' },
  })
}

function read(records: readonly unknown[]): ImportedSession {
  return importSessionText(jsonLines(records), { format: 'copilot-cli' })
}

function outline(session: ImportedSession): string[] {
  return itemsOf(session).map((item) => {
    const {
      type,
      role,
      call_id: id,
      content,
    } = item as { type: string; role?: string; call_id?: string; content?: { text: string }[] }
    return id === undefined ? `${role} ${content?.[0]?.text}` : `${type} ${id}`
  })
}
