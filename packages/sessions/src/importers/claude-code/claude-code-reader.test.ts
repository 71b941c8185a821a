import { describe, expect, test } from 'vitest'
import { importSessionText } from '../import-session.ts'
import { itemsOf, jsonLines, outline, skippedCounts } from '../session-text.test-data.ts'
import { answerLine, call, resultLine, text, userLine } from './claude-session.test-data.ts'

const read = (records: readonly unknown[]) => importSessionText(jsonLines(records))

describe('items', () => {
  test('are role and content as recorded, whatever the blocks hold', () => {
    const odd = { type: 'advisor_tool_result', tool_use_id: 's1', content: { type: 'new', n: 1.5 }, extra: [null] }
    const signed = { type: 'thinking', thinking: '', signature: 'c2ln' }
    const session = read([
      userLine('u1', null, [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }]),
      answerLine('a1', 'u1', 'm1', signed),
      answerLine('a2', 'a1', 'm1', odd),
      userLine('u2', 'a2', 'plain'),
    ])
    expect(itemsOf(session)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }] },
      { role: 'assistant', content: [signed, odd] },
      { role: 'user', content: 'plain' },
    ])
    expect(session).toMatchObject({
      format: 'claude-code',
      dialect: 'anthropic-messages',
      id: 'session-1',
      cwd: '/project',
    })
    expect(session.items.map(({ line }) => line)).toEqual([1, 2, 4])
    expect(session.items[0]?.timestamp).toBe(Date.parse('2026-01-02T03:04:05.678Z'))
  })

  test('an answer split over lines is one item, its usage counted once, from the line with the whole output', () => {
    const partial = answerLine('a1', 'u1', 'm1', text('one'))
    const whole = answerLine('a2', 'a1', 'm1', text('two'))
    const usage = { input_tokens: 3, cache_read_input_tokens: 90, cache_creation_input_tokens: 7, output_tokens: 41 }
    Object.assign(whole.message as object, { usage })
    const session = read([userLine('u1', null, 'hi'), partial, whole])
    expect(outline(session)).toEqual(['user:hi', 'assistant:one+two'])
    expect(session.calls).toEqual([
      {
        position: 1,
        usage: { input: 100, cacheRead: 90, cacheWrite: 7, output: 41 },
        model: 'model-a',
        timestamp: Date.parse('2026-01-02T03:04:05.678Z'),
      },
    ])
    expect(session.model).toBe('model-a')
  })

  test("that the client wrote in the user's name are there, and marked", () => {
    const session = read([
      userLine('u1', null, 'Tidy the quay list.'),
      answerLine('a1', 'u1', 'm1', call('t1')),
      resultLine('r1', 'a1', 't1'),
      userLine('s1', 'r1', [text('How to tidy lists, at length.')], { isMeta: true }),
      userLine('u2', 's1', 'Go on.', { isMeta: false }),
    ])
    expect(session.items.map(({ injected }) => injected)).toEqual([undefined, undefined, undefined, true, undefined])
    expect(outline(session)[3]).toBe('user:How to tidy lists, at length.')
  })

  test('timestamps that go back change no order', () => {
    const session = read([
      userLine('u1', null, 'late', { timestamp: '2026-05-05T00:00:00Z' }),
      answerLine('a1', 'u1', 'm1', text('early'), { timestamp: '2026-01-01T00:00:00Z' }),
    ])
    expect(outline(session)).toEqual(['user:late', 'assistant:early'])
  })
})

describe('what the model saw', () => {
  test('meta messages, local commands and queued prompts were sent; failed calls were not', () => {
    const failed = answerLine('e1', 'u2', 'x1', text('API Error: 529'), { isApiErrorMessage: true })
    Object.assign(failed.message as object, { model: '<synthetic>' })
    const queued = {
      type: 'attachment',
      uuid: 'q1',
      parentUuid: 'l1',
      attachment: { type: 'queued_command', prompt: 'also this' },
    }
    const local = {
      type: 'system',
      subtype: 'local_command',
      uuid: 'l1',
      parentUuid: 'e1',
      content: '<command-name>/x</command-name>',
    }
    const session = read([
      userLine('u1', null, 'caveat', { isMeta: true }),
      userLine('u2', 'u1', 'go'),
      failed,
      local,
      queued,
      answerLine('a1', 'q1', 'm1', text('done')),
    ])
    expect(outline(session)).toEqual([
      'user:caveat',
      'user:go',
      'user:<command-name>/x</command-name>',
      'user:also this',
      'assistant:done',
    ])
    expect(skippedCounts(session)).toEqual({ 'client error message': 1 })
    expect(session.calls).toHaveLength(1)
  })

  test('a message that the client wrote for the model is an item, and no call', () => {
    const made = answerLine('a1', 'u1', 'x1', text('No response requested.'))
    Object.assign(made.message as object, { model: '<synthetic>', usage: { input_tokens: 0, output_tokens: 0 } })
    const session = read([userLine('u1', null, 'go'), made])
    expect(outline(session)).toEqual(['user:go', 'assistant:No response requested.'])
    expect(session.calls).toEqual([])
    expect(session.model).toBeUndefined()
  })

  test('records beside the conversation are counted, and give the title', () => {
    const session = read([
      { type: 'summary', summary: 'Another session', leafUuid: 'elsewhere' },
      { type: 'summary', summary: 'This session', leafUuid: 'u1' },
      { type: 'file-history-snapshot', messageId: 'u1', snapshot: {} },
      { type: 'mode', mode: 'normal', sessionId: 'session-1' },
      userLine('u1', null, 'go'),
    ])
    expect(session.title).toBe('This session')
    expect(skippedCounts(session)).toEqual({ 'client record': 4 })
    const named = read([userLine('u1', null, 'go'), { type: 'ai-title', aiTitle: 'Made up', sessionId: 's' }])
    expect(named.title).toBe('Made up')
  })

  test('messages without content and records that are none are counted', () => {
    const session = read([
      userLine('u1', null, 'go'),
      userLine('u2', 'u1', ''),
      userLine('u3', 'u2', []),
      userLine('u4', 'u3', { strange: true }),
      { sessionId: 's', what: 1 },
      7,
      userLine('u5', 'u4', 'on'),
    ])
    expect(outline(session)).toEqual(['user:go', 'user:on'])
    expect(skippedCounts(session)).toEqual({ 'empty message': 2, 'unknown record': 3 })
  })
})

test('stream-json output has no parents: order is the order of the lines', () => {
  const message = (role: string, content: unknown, id: string) => ({ id, role, model: 'model-a', content })
  const session = read([
    { type: 'system', subtype: 'init', session_id: 's', cwd: '/project', model: 'model-a' },
    { type: 'user', session_id: 's', parent_tool_use_id: null, message: { role: 'user', content: 'go' } },
    { type: 'assistant', session_id: 's', parent_tool_use_id: null, message: message('assistant', [call('t1')], 'm1') },
    {
      type: 'assistant',
      session_id: 's',
      parent_tool_use_id: 't1',
      message: message('assistant', [text('sub')], 'm2'),
    },
    {
      type: 'user',
      session_id: 's',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] },
    },
    {
      type: 'system',
      subtype: 'compact_boundary',
      session_id: 's',
      compact_metadata: { trigger: 'auto', pre_tokens: 9 },
    },
    { type: 'result', session_id: 's', result: 'done' },
  ])
  expect(outline(session)).toEqual(['user:go', 'assistant:call t1', 'user:result t1'])
  expect(session).toMatchObject({
    id: 's',
    compactions: [{ position: 3, trigger: 'auto', kind: 'summary', tokensBefore: 9 }],
  })
  expect(skippedCounts(session)).toEqual({ 'client record': 2, sidechain: 1 })
})
