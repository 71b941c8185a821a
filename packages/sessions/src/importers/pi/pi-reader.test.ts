import { describe, expect, test } from 'vitest'
import { importSessionText } from '../import-session.ts'
import { itemsOf, jsonLines, outline, skippedCounts } from '../session-text.test-data.ts'

type Fields = Record<string, unknown>

const header = { type: 'session', version: 3, id: 'S', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/project' }
const entry = (type: string, id: string, parentId: string | null, more: Fields): Fields => ({
  type,
  id,
  parentId,
  timestamp: '2026-01-02T03:04:05.000Z',
  ...more,
})
const message = (id: string, parentId: string | null, fields: Fields) =>
  entry('message', id, parentId, { message: fields })
const user = (id: string, parentId: string | null, words: string) =>
  message(id, parentId, { role: 'user', content: words })
const answered = (id: string, parentId: string, content: Fields[], more: Fields = {}) =>
  message(id, parentId, {
    role: 'assistant',
    content,
    provider: 'anthropic',
    model: 'model-a',
    usage: { input: 3, output: 5, cacheRead: 90, cacheWrite: 7, totalTokens: 105 },
    stopReason: 'stop',
    ...more,
  })
const text = (words: string): Fields => ({ type: 'text', text: words })
const toolCall = (id: string): Fields => ({ type: 'toolCall', id, name: 'read', arguments: { path: id } })
const result = (id: string, parentId: string, call: string, more: Fields = {}) =>
  message(id, parentId, {
    role: 'toolResult',
    toolCallId: call,
    toolName: 'read',
    content: [text(`output of ${call}`)],
    isError: false,
    ...more,
  })

const read = (records: readonly unknown[]) => importSessionText(jsonLines([header, ...records]))

describe('messages', () => {
  test('calls become tool_use, all results of an answer one user item, thinking keeps its signature', () => {
    const session = read([
      user('a', null, 'go'),
      answered('b', 'a', [
        { type: 'thinking', thinking: 'hm', thinkingSignature: 'c2ln' },
        text('both'),
        toolCall('t1'),
        toolCall('t2'),
      ]),
      result('c', 'b', 't1'),
      result('d', 'c', 't2', {
        isError: true,
        content: [text(''), { type: 'image', data: 'aW1n', mimeType: 'image/png' }],
      }),
      answered('e', 'd', [text('done')]),
    ])
    expect(itemsOf(session)).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
          text('both'),
          { type: 'tool_use', id: 't1', name: 'read', input: { path: 't1' } },
          { type: 'tool_use', id: 't2', name: 'read', input: { path: 't2' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [text('output of t1')] },
          {
            type: 'tool_result',
            tool_use_id: 't2',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } }],
            is_error: true,
          },
        ],
      },
      { role: 'assistant', content: [text('done')] },
    ])
    expect(session).toMatchObject({
      format: 'pi',
      dialect: 'anthropic-messages',
      id: 'S',
      cwd: '/project',
      model: 'model-a',
    })
    expect(session.calls[0]).toEqual({
      position: 1,
      usage: { input: 100, cacheRead: 90, cacheWrite: 7, output: 5 },
      model: 'model-a',
      timestamp: Date.parse('2026-01-02T03:04:05.000Z'),
    })
    expect(session.items.map(({ line }) => line)).toEqual([2, 3, 4, 6])
  })

  test('what the client adds is user text as pi sends it', () => {
    const bash = {
      role: 'bashExecution',
      command: 'ls',
      output: 'a.txt',
      exitCode: 2,
      cancelled: false,
      truncated: true,
      fullOutputPath: '/tmp/o',
    }
    const session = read([
      message('a', null, bash),
      message('b', 'a', {
        role: 'bashExecution',
        command: 'true',
        output: '',
        exitCode: 0,
        cancelled: true,
        truncated: false,
      }),
      message('c', 'b', { role: 'bashExecution', command: 'secret', output: 'x', excludeFromContext: true }),
      message('d', 'c', { role: 'hookMessage', customType: 'x', content: 'from a hook' }),
      entry('custom_message', 'e', 'd', { customType: 'x', content: [text('from an extension')], display: false }),
      entry('custom', 'f', 'e', { customType: 'x', data: {} }),
      entry('branch_summary', 'g', 'f', { fromId: 'z', summary: 'TRIED' }),
      entry('label', 'h', 'g', { targetId: 'a', label: 'start' }),
    ])
    expect(outline(session)).toEqual([
      'user:Ran `ls`\n```\na.txt\n```\n\nCommand exited with code 2\n\n[Output truncated. Full output: /tmp/o]',
      'user:Ran `true`\n(no output)\n\n(command cancelled)',
      'user:from a hook',
      'user:from an extension',
      'user:The following is a summary of a branch that this conversation came back from:\n\n<summary>\nTRIED\n</summary>',
    ])
    expect(skippedCounts(session)).toEqual({ 'client record': 2, 'not sent to the model': 1 })
  })

  test('an aborted answer with nothing in it is dropped; what it had said is kept, unsigned thinking as text', () => {
    const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    const session = read([
      user('a', null, 'go'),
      answered('b', 'a', [], { stopReason: 'aborted', usage: nothing }),
      answered('c', 'b', [{ type: 'thinking', thinking: 'cut' }, toolCall('t1')], { stopReason: 'aborted' }),
      answered('d', 'c', [{ type: 'thinking', thinking: '' }], { stopReason: 'error' }),
      answered('e', 'd', [{ type: 'thinking', thinking: '', redacted: true, thinkingSignature: 'c2Vj' }]),
      user('f', 'e', 'on'),
    ])
    expect(itemsOf(session).slice(1, 3)).toEqual([
      {
        role: 'assistant',
        content: [text('cut'), { type: 'tool_use', id: 't1', name: 'read', input: { path: 't1' } }],
      },
      { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'c2Vj' }] },
    ])
    expect(skippedCounts(session)).toEqual({ 'aborted answer': 2 })
    expect(session.calls.map(({ position }) => position)).toEqual([1, 2])
  })

  test('unknown roles, entries and empty messages are counted', () => {
    const session = read([
      user('a', null, ''),
      message('b', 'a', { role: 'wizard', content: 'x' }),
      entry('invented', 'c', 'b', {}),
      'loose',
      user('d', 'c', 'on'),
    ])
    expect(outline(session)).toEqual(['user:on'])
    expect(skippedCounts(session)).toEqual({ 'empty message': 1, 'unknown record': 3 })
  })
})

describe('the tree', () => {
  test('the last line is the leaf; other branches are counted', () => {
    const session = read([
      user('a', null, 'go'),
      answered('b', 'a', [text('wrong')]),
      user('c', 'b', 'more wrong'),
      answered('d', 'a', [text('right')]),
      entry('label', 'e', 'd', { targetId: 'a', label: 'x' }),
    ])
    expect(outline(session)).toEqual(['user:go', 'assistant:right'])
    expect(session.skipped['abandoned branch']).toEqual({ count: 2, lines: [3, 4] })
  })

  test('a parent that the file lacks is taken to be the entry before', () => {
    const session = read([user('a', null, 'go'), 'torn', answered('c', 'lost', [text('yes')])])
    expect(outline(session)).toEqual(['user:go', 'assistant:yes'])
  })

  test('a title is the last name that the user gave', () => {
    const session = read([
      user('a', null, 'go'),
      entry('session_info', 'b', 'a', { name: 'one' }),
      entry('session_info', 'c', 'b', { name: 'two' }),
    ])
    expect(session.title).toBe('two')
  })

  test('the model is the chosen one where no answer names one', () => {
    const session = read([
      entry('model_change', 'a', null, { provider: 'p', modelId: 'model-b' }),
      user('b', 'a', 'go'),
    ])
    expect(session.model).toBe('model-b')
  })
})

describe('compactions', () => {
  test('name the first entry that was kept; the originals stay', () => {
    const session = read([
      user('a', null, 'go'),
      answered('b', 'a', [text('yes')]),
      user('c', 'b', 'kept'),
      entry('compaction', 'd', 'c', { summary: 'SUMMARY', firstKeptEntryId: 'c', tokensBefore: 150_000, details: {} }),
      answered('e', 'd', [text('on')]),
    ])
    expect(outline(session)).toEqual(['user:go', 'assistant:yes', 'user:kept', 'assistant:on'])
    expect(session.compactions).toEqual([
      { position: 3, trigger: 'unknown', kind: 'summary', tokensBefore: 150_000, keptFrom: 2, summary: 'SUMMARY' },
    ])
  })

  test('one on a branch that was left is none', () => {
    const session = read([
      user('a', null, 'go'),
      entry('compaction', 'b', 'a', { summary: 'S', firstKeptEntryId: 'a', tokensBefore: 9 }),
      answered('c', 'a', [text('on')]),
    ])
    expect(session.compactions).toEqual([])
    expect(skippedCounts(session)).toEqual({ 'abandoned branch': 1 })
  })

  test('version 1 is a list without ids, and names the kept entry by its place', () => {
    const bare = (fields: Fields) => ({ type: 'message', timestamp: '2025-12-01T00:00:00.000Z', message: fields })
    const session = importSessionText(
      jsonLines([
        {
          type: 'session',
          id: 'S',
          timestamp: '2025-12-01T00:00:00.000Z',
          cwd: '/project',
          provider: 'anthropic',
          modelId: 'm',
        },
        bare({ role: 'user', content: 'go' }),
        bare({ role: 'user', content: 'kept' }),
        {
          type: 'compaction',
          timestamp: '2025-12-01T00:00:00.000Z',
          summary: 'S',
          firstKeptEntryIndex: 2,
          tokensBefore: 9,
        },
        bare({ role: 'user', content: 'on' }),
      ]),
    )
    expect(outline(session)).toEqual(['user:go', 'user:kept', 'user:on'])
    expect(session.compactions).toMatchObject([{ position: 2, keptFrom: 1, tokensBefore: 9 }])
  })
})
