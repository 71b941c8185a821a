import { describe, expect, test } from 'vitest'
import { wrapCheckpoint } from '../../engine/summary/checkpoint-text.ts'
import { openaiResponses, type ResponsesItem } from './index.ts'

const PNG = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAYAAAA10dzk'

describe('an item is read as', () => {
  test.each<[string, object, string, object]>([
    ['words of the user', { role: 'user', content: 'go' }, 'user', { kind: 'text', text: 'go', editable: true }],
    [
      'text that a client put in',
      { role: 'user', content: '<environment_context>x</environment_context>' },
      'user',
      { kind: 'text', injected: true },
    ],
    [
      'an instruction in the middle',
      { role: 'developer', content: 'be brief' },
      'system',
      { kind: 'text', editable: false },
    ],
    [
      'an answer',
      { role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] },
      'assistant',
      { kind: 'text', text: 'ok' },
    ],
    [
      'a refusal',
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
      'assistant',
      { kind: 'opaque', text: 'no' },
    ],
    [
      'a function call',
      { type: 'function_call', call_id: 'c', name: 'read', arguments: '{"a":1}' },
      'assistant',
      { kind: 'tool-call', callId: 'c', toolName: 'read', text: '{"a":1}', editable: true },
    ],
    [
      'a custom tool call',
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '*** Begin' },
      'assistant',
      { kind: 'tool-call', callId: 'c', toolName: 'patch', text: '*** Begin' },
    ],
    [
      'a shell call',
      { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } },
      'assistant',
      { kind: 'tool-call', callId: 'c', toolName: 'shell', text: '{"commands":["ls"]}', editable: true },
    ],
    [
      'a computer call',
      { type: 'computer_call', id: 'cu', call_id: 'c', action: { type: 'wait' } },
      'assistant',
      { kind: 'tool-call', callId: 'c', toolName: 'computer', editable: false },
    ],
    [
      'a result',
      { type: 'function_call_output', call_id: 'c', output: 'done' },
      'tool',
      { kind: 'tool-result', callId: 'c', text: 'done', editable: true },
    ],
    [
      'a result with a picture',
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [
          { type: 'input_text', text: 'a' },
          { type: 'input_image', image_url: PNG },
        ],
      },
      'tool',
      { kind: 'tool-result', text: 'a', media: [{ kind: 'image', width: 640, height: 480, bytes: 44 }] },
    ],
    [
      'a screenshot',
      { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', image_url: PNG } },
      'tool',
      { kind: 'tool-result', editable: false, media: [{ kind: 'image', width: 640, height: 480, bytes: 44 }] },
    ],
    [
      'a failed patch',
      { type: 'apply_patch_call_output', call_id: 'c', status: 'failed', output: 'no such file' },
      'tool',
      { kind: 'tool-result', isError: true, text: 'no such file' },
    ],
    [
      'the output of a shell',
      { type: 'shell_call_output', call_id: 'c', output: [{ stdout: 'a', stderr: 'b', outcome: { type: 'timeout' } }] },
      'tool',
      { kind: 'tool-result', text: 'a\nb' },
    ],
    [
      'sealed reasoning',
      { type: 'reasoning', summary: [{ text: 's' }], encrypted_content: 'x' },
      'assistant',
      { kind: 'reasoning', text: '', editable: false },
    ],
    [
      'stored reasoning',
      { type: 'reasoning', id: 'rs_1', summary: [{ text: 's' }] },
      'assistant',
      { kind: 'reasoning', text: 's' },
    ],
    [
      'open reasoning',
      { type: 'reasoning', summary: [], content: [{ text: 't' }] },
      'assistant',
      { kind: 'reasoning', text: 't' },
    ],
    ['a reference', { type: 'item_reference', id: 'rs_1' }, 'assistant', { kind: 'opaque' }],
    [
      'a reference to a call',
      { type: 'item_reference', id: 'fc_1' },
      'assistant',
      { kind: 'tool-call', editable: false },
    ],
    ['a reference to a custom call', { id: 'ctc_1' }, 'assistant', { kind: 'tool-call' }],
    [
      'a reference to an approval request',
      { type: 'item_reference', id: 'mcpr_1' },
      'assistant',
      { kind: 'approval-request', callId: 'mcpr_1' },
    ],
    ['the short form of a reference', { id: 'msg_1' }, 'assistant', { kind: 'opaque' }],
    [
      'a hosted call',
      { type: 'web_search_call', id: 'ws', action: { query: 'q' } },
      'assistant',
      { kind: 'opaque', text: '{"query":"q"}' },
    ],
    [
      'a compaction item',
      { type: 'compaction', encrypted_content: 'x' },
      'assistant',
      { kind: 'opaque', pinned: true },
    ],
    [
      'further tools',
      { type: 'additional_tools', role: 'developer', tools: [] },
      'system',
      { kind: 'opaque', pinned: true },
    ],
    [
      'an approval request',
      { type: 'mcp_approval_request', id: 'a', name: 'x', arguments: '{}' },
      'assistant',
      { kind: 'approval-request', callId: 'a', toolName: 'x' },
    ],
    [
      'its response',
      { type: 'mcp_approval_response', approval_request_id: 'a', approve: true },
      'tool',
      { kind: 'approval-response', callId: 'a' },
    ],
    ['a kind that nobody knows', { type: 'telepathy', wave: 1 }, 'assistant', { kind: 'opaque', editable: false }],
    [
      'an unknown kind that pairs',
      { type: 'dream_call', call_id: 'c' },
      'assistant',
      { kind: 'tool-call', callId: 'c', editable: false },
    ],
  ])('%s', (_, item, role, expected) => {
    const view = openaiResponses.view(item)
    const parts = view.parts.map((part) => ({ ...part, text: part.text(), bytes: part.bytes() }))
    expect(view.role).toBe(role)
    expect(parts).toHaveLength(1)
    expect(parts[0]).toMatchObject(expected)
  })

  test('a summary of ours, never the words of the user', () => {
    const content = [{ type: 'input_text', text: wrapCheckpoint({ summary: 'so far' }) }]
    expect(openaiResponses.view({ role: 'user', content })).toMatchObject({ role: 'user', checkpoint: true })
    const mixed = openaiResponses.view({
      role: 'user',
      content: [...content, { type: 'input_text', text: 'and now this' }],
    })
    expect(mixed.checkpoint).toBeUndefined()
    expect(mixed.parts.map((part) => part.injected)).toEqual([true, undefined])
  })
})

describe('an edit', () => {
  const output = (value: unknown): ResponsesItem => ({ type: 'function_call_output', call_id: 'c', output: value })
  const text = (value: string) => ({ type: 'input_text', text: value })
  const image = { type: 'input_image', image_url: PNG }

  test('of a result keeps its shape, and what is no text', () => {
    const unknown = { type: 'input_hologram' }
    const list = output([image, text('a'), unknown, text('b')])
    expect(openaiResponses.edit(output('long'), [{ kind: 'replace-text', part: 0, text: 's' }])).toEqual(output('s'))
    expect(openaiResponses.edit(list, [{ kind: 'replace-text', part: 0, text: 's' }])).toEqual(
      output([image, text('s'), unknown]),
    )
    expect(openaiResponses.edit(output([image]), [{ kind: 'replace-text', part: 0, text: 's' }])).toEqual(
      output([text('s'), image]),
    )
    expect(openaiResponses.edit(list, [{ kind: 'replace-result', part: 0, text: 's' }])).toEqual(output([text('s')]))
  })

  test('puts one text where the pictures of a result were', () => {
    const list = output([text('a'), image, image])
    const edit = { kind: 'replace-media', part: 0, media: 'image', text: '[2 images]' } as const
    expect(openaiResponses.edit(list, [edit])).toEqual(output([text('a'), text('[2 images]')]))
    expect(openaiResponses.edit(list, [{ ...edit, media: 'document' }])).toBe(list)
  })

  test('of arguments that would no longer parse changes nothing', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'w', arguments: '{"a":1}' }
    expect(openaiResponses.edit(call, [{ kind: 'replace-text', part: 0, text: '{"a":' }])).toBe(call)
    const broken = { ...call, arguments: '{"a":' }
    expect(openaiResponses.edit(broken, [{ kind: 'replace-text', part: 0, text: 'cut' }])).toEqual({
      ...call,
      arguments: 'cut',
    })
  })

  test('of a patch changes its diff and neither operation nor path', () => {
    const operation = { type: 'update_file', path: 'a.ts', diff: '-1\n+2' }
    const call = { type: 'apply_patch_call', call_id: 'c', status: 'completed', operation }
    const next = JSON.stringify({ type: 'x', path: 'y', diff: '…' })
    expect(openaiResponses.edit(call, [{ kind: 'replace-text', part: 0, text: next }])).toEqual({
      ...call,
      operation: { ...operation, diff: '…' },
    })
  })

  test('of a shell output keeps every outcome', () => {
    const outcome = { type: 'exit', exit_code: 1 }
    const item = {
      ...output([
        { stdout: 'long', stderr: 'e', outcome },
        { stdout: 'x', stderr: '', outcome },
      ]),
      type: 'shell_call_output',
    }
    const chunks = [
      { stdout: 's', stderr: '', outcome },
      { stdout: '', stderr: '', outcome },
    ]
    expect(openaiResponses.edit(item, [{ kind: 'replace-text', part: 0, text: 's' }])).toEqual({
      ...item,
      output: chunks,
    })
  })

  test('of cited text drops the citations with it', () => {
    const entry = { type: 'output_text', text: 'see the docs', annotations: [{ start_index: 4 }], logprobs: [{}] }
    const item = { type: 'message', role: 'assistant', content: [entry] }
    const edited = { ...item, content: [{ type: 'output_text', text: 's', annotations: [] }] }
    expect(openaiResponses.edit(item, [{ kind: 'replace-text', part: 0, text: 's' }])).toEqual(edited)
  })

  test('never touches reasoning, hosted calls or screenshots', () => {
    const items = [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: 'x' },
      { type: 'image_generation_call', id: 'ig', result: 'iVBOR' },
      { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', image_url: PNG } },
    ]
    for (const item of items) {
      expect(openaiResponses.edit(item, [{ kind: 'replace-text', part: 0, text: 's' }])).toBe(item)
      expect(openaiResponses.edit(item, [{ kind: 'replace-media', part: 0, media: 'image', text: 's' }])).toBe(item)
    }
  })
})

describe('a fingerprint', () => {
  test.each([
    [
      'a status',
      { type: 'message', role: 'user', content: 'a', status: 'completed' },
      { type: 'message', role: 'user', content: 'a' },
    ],
    [
      'an id that a client strips',
      { type: 'function_call', call_id: 'c', name: 'r', arguments: '{}', id: 'fc_1' },
      { type: 'function_call', call_id: 'c', name: 'r', arguments: '{}' },
    ],
    [
      'the short form of a message',
      { role: 'user', content: 'a' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
    ],
    [
      'a cache breakpoint',
      { role: 'user', content: 'a' },
      { role: 'user', content: [{ type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } }] },
    ],
    [
      'empty annotations',
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
    ],
  ])('does not see %s', (_, one, other) => {
    expect(openaiResponses.fingerprint(one)).toBe(openaiResponses.fingerprint(other))
  })

  test.each([
    ['another text', { role: 'user', content: 'a' }, { role: 'user', content: 'b' }],
    ['another role', { role: 'user', content: 'a' }, { role: 'assistant', content: 'a' }],
    [
      'another call',
      { type: 'function_call', call_id: 'c', name: 'r', arguments: '{}' },
      { type: 'function_call', call_id: 'd', name: 'r', arguments: '{}' },
    ],
    ['another stored item', { type: 'item_reference', id: 'msg_1' }, { type: 'item_reference', id: 'msg_2' }],
    [
      'other stored reasoning',
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'reasoning', id: 'rs_2', summary: [] },
    ],
    [
      'another part',
      { role: 'user', content: ['a'] },
      { role: 'user', content: [{ type: 'input_image', image_url: 'a' }] },
    ],
  ])('sees %s', (_, one, other) => {
    expect(openaiResponses.fingerprint(one as ResponsesItem)).not.toBe(
      openaiResponses.fingerprint(other as ResponsesItem),
    )
  })
})
