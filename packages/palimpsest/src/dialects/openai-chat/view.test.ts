import { describe, expect, test } from 'vitest'
import { wrapCheckpoint } from '../../engine/summary/checkpoint-text.ts'
import { type ChatMessage, openaiChat } from './index.ts'

const PNG = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzk'
const IMAGE = { type: 'image_url', image_url: { url: PNG } }
const CALL = { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } }

describe('a message is read', () => {
  test('reasoning first, then content, then calls', () => {
    const message = {
      role: 'assistant',
      content: 'I read it.',
      reasoning_content: 'hm',
      tool_calls: [CALL, { id: 'b', type: 'custom', custom: { name: 'sql', input: 'SELECT' } }],
    }
    expect(read(message)).toEqual({
      role: 'assistant',
      parts: [
        { kind: 'reasoning', text: 'hm', editable: false },
        { kind: 'text', text: 'I read it.', editable: true },
        { kind: 'tool-call', text: '{"path":"a.ts"}', editable: true, callId: 'a', toolName: 'read' },
        { kind: 'tool-call', text: 'SELECT', editable: true, callId: 'b', toolName: 'sql' },
      ],
    })
  })

  test.each<[string, object, object]>([
    [
      'a result',
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
      { role: 'tool', parts: [{ kind: 'tool-result', text: 'ok', editable: true, callId: 'a' }] },
    ],
    [
      'a result with a picture',
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'ok' }, IMAGE] },
      {
        role: 'tool',
        parts: [
          {
            kind: 'tool-result',
            text: 'ok',
            editable: true,
            callId: 'a',
            media: [{ kind: 'image', bytes: 44, width: 640, height: 480 }],
          },
        ],
      },
    ],
    [
      'a result of the older form',
      { role: 'function', name: 'read', content: 'ok' },
      { role: 'tool', parts: [{ kind: 'tool-result', text: 'ok', editable: true, toolName: 'read' }] },
    ],
    [
      'a call of the older form',
      { role: 'assistant', content: null, function_call: { name: 'read', arguments: '{}' } },
      { role: 'assistant', parts: [{ kind: 'tool-call', text: '{}', editable: true, toolName: 'read' }] },
    ],
    [
      'an instruction in the middle',
      { role: 'developer', content: 'brief' },
      { role: 'system', parts: [{ kind: 'text', text: 'brief', editable: false }] },
    ],
    [
      'text that a client put in',
      { role: 'user', content: '<system-reminder>x</system-reminder>' },
      {
        role: 'user',
        parts: [{ kind: 'text', text: '<system-reminder>x</system-reminder>', editable: true, injected: true }],
      },
    ],
    [
      'a low-detail picture',
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } }],
      },
      {
        role: 'user',
        parts: [{ kind: 'image', text: '', editable: false, media: [{ kind: 'image', bytes: 0, detail: 'low' }] }],
      },
    ],
    [
      'a file',
      { role: 'user', content: [{ type: 'file', file: { file_data: 'JVBERi0=' } }] },
      {
        role: 'user',
        parts: [{ kind: 'document', text: '', editable: false, media: [{ kind: 'document', bytes: 8 }] }],
      },
    ],
    [
      'a refusal',
      { role: 'assistant', content: null, refusal: 'no' },
      { role: 'assistant', parts: [{ kind: 'opaque', text: 'no', editable: false }] },
    ],
    [
      'sealed reasoning',
      { role: 'assistant', content: 'a', reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] },
      {
        role: 'assistant',
        parts: [
          { kind: 'reasoning', text: '', editable: false },
          { kind: 'text', text: 'a', editable: true },
        ],
      },
    ],
    [
      'empty reasoning as none',
      { role: 'assistant', content: 'a', reasoning_content: '' },
      { role: 'assistant', parts: [{ kind: 'text', text: 'a', editable: true }] },
    ],
    [
      'a role that nobody knows',
      { role: 'narrator', content: 'x' },
      { role: 'assistant', parts: [{ kind: 'opaque', text: '', editable: false }] },
    ],
  ])('%s', (_, message, expected) => {
    expect(read(message as ChatMessage)).toEqual(expected)
  })

  test('as a summary of ours, never as the words of the user', () => {
    const opening = wrapCheckpoint({ summary: 'so far' })
    expect(openaiChat.view({ role: 'user', content: opening }).checkpoint).toBe(true)
    const content = [
      { type: 'text', text: opening },
      { type: 'text', text: 'and now this' },
    ]
    const joined = openaiChat.view({ role: 'user', content })
    expect(joined.checkpoint).toBeUndefined()
    expect(joined.parts.map((part) => part.injected)).toEqual([true, undefined])
  })
})

describe('an edit', () => {
  test('keeps the signature of a call on the call', () => {
    const signed = { ...CALL, extra_content: { google: { thought_signature: 'c2ln' } } }
    const message = { role: 'assistant', content: null, tool_calls: [CALL, signed] }
    const edited = openaiChat.edit(message, [{ kind: 'replace-text', part: 1, text: '{"path":"…"}' }])
    expect(edited).toEqual({
      ...message,
      tool_calls: [CALL, { ...signed, function: { name: 'read', arguments: '{"path":"…"}' } }],
    })
  })

  test('of arguments that would no longer parse changes nothing', () => {
    const message = { role: 'assistant', content: null, tool_calls: [CALL] }
    expect(openaiChat.edit(message, [{ kind: 'replace-text', part: 0, text: '{"path":' }])).toBe(message)
    const older = { role: 'assistant', content: null, function_call: { name: 'r', arguments: '{}' } }
    expect(openaiChat.edit(older, [{ kind: 'replace-text', part: 0, text: '{' }])).toBe(older)
  })

  test('that takes the words leaves null beside calls; that takes the last call takes the list', () => {
    const message = { role: 'assistant', content: 'I read it.', tool_calls: [CALL] }
    expect(openaiChat.edit(message, [{ kind: 'remove', part: 0 }])).toEqual({ ...message, content: null })
    expect(openaiChat.edit(message, [{ kind: 'remove', part: 1 }])).toEqual({
      role: 'assistant',
      content: 'I read it.',
    })
  })

  test('that leaves only reasoning leaves nothing', () => {
    const message = { role: 'assistant', content: 'a', reasoning_content: 'hm' }
    expect(openaiChat.edit(message, [{ kind: 'remove', part: 1 }])).toBeUndefined()
    expect(openaiChat.edit(message, [{ kind: 'remove', part: 0 }])).toEqual({ role: 'assistant', content: 'a' })
  })

  test('of a result keeps its shape, and puts one text where its pictures were', () => {
    const result = (content: ChatMessage['content']): ChatMessage => ({
      role: 'tool',
      tool_call_id: 'a',
      ...(content !== undefined && { content }),
    })
    const text = (value: string) => ({ type: 'text', text: value })
    const list = result([text('long'), IMAGE, text('more'), IMAGE])
    expect(openaiChat.edit(result('long'), [{ kind: 'replace-text', part: 0, text: 's' }])).toEqual(result('s'))
    expect(openaiChat.edit(list, [{ kind: 'replace-text', part: 0, text: 's' }])).toEqual(
      result([text('s'), IMAGE, IMAGE]),
    )
    expect(openaiChat.edit(list, [{ kind: 'replace-result', part: 0, text: 's' }])).toEqual(result([text('s')]))
    const edit = { kind: 'replace-media', part: 0, media: 'image', text: '[2 images]' } as const
    expect(openaiChat.edit(list, [edit])).toEqual(result([text('long'), text('[2 images]'), text('more')]))
    expect(openaiChat.edit(list, [{ ...edit, media: 'document' }])).toBe(list)
  })
})

describe('a fingerprint', () => {
  const plain = { role: 'user', content: 'a' }

  test.each([
    [
      'a cache mark, and the list that carries it',
      { role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
    ],
    [
      'a breakpoint of OpenAI',
      { role: 'user', content: [{ type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } }] },
    ],
    ['the order of keys', { content: 'a', role: 'user' }],
  ])('does not see %s', (_, message) => {
    expect(openaiChat.fingerprint(message)).toBe(openaiChat.fingerprint(plain))
  })

  test.each([
    ['another text', { role: 'user', content: 'b' }],
    ['another role', { role: 'assistant', content: 'a' }],
    ['another part', { role: 'user', content: [{ type: 'text', text: 'a' }, IMAGE] }],
    ['reasoning, which part numbers count', { role: 'user', content: 'a', reasoning_content: 'hm' }],
    ['a field that nobody knows', { role: 'user', content: 'a', x: 1 }],
  ])('sees %s', (_, message) => {
    expect(openaiChat.fingerprint(message)).not.toBe(openaiChat.fingerprint(plain))
  })
})

function read(message: ChatMessage): unknown {
  const view = openaiChat.view(message)
  return { ...view, parts: view.parts.map(({ bytes: _bytes, ...part }) => ({ ...part, text: part.text() })) }
}
