import { describe, expect, test } from 'vitest'
import { wrapCheckpoint } from '../../engine/summary/checkpoint-text.ts'
import { aiSdk } from './index.ts'
import type { AiSdkMessage } from './items.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const BYTES = Uint8Array.from(atob(PNG), (character) => character.charCodeAt(0))

const partsOf = (role: string, ...content: object[]) => aiSdk.view({ role, content } as unknown as AiSdkMessage).parts

describe('the view of an AI SDK message', () => {
  test('calls, results and approvals pair', () => {
    const step = partsOf(
      'assistant',
      { type: 'tool-call', toolCallId: '1', toolName: 'f', input: { a: 1 } },
      { type: 'tool-approval-request', approvalId: 'a', toolCallId: '1' },
    )
    const answers = partsOf(
      'tool',
      { type: 'tool-approval-response', approvalId: 'a', approved: false, reason: 'too risky' },
      {
        type: 'tool-result',
        toolCallId: '1',
        toolName: 'f',
        output: { type: 'execution-denied', reason: 'too risky' },
      },
    )
    expect(step.map((part) => [part.kind, part.callId])).toEqual([
      ['tool-call', '1'],
      ['approval-request', 'approval:a'],
    ])
    expect(answers.map((part) => [part.kind, part.callId, part.isError])).toEqual([
      ['approval-response', 'approval:a', undefined],
      ['tool-result', '1', true],
    ])
    expect(step[0]?.text()).toBe('{"a":1}')
    expect(answers.map((part) => part.text())).toEqual(['too risky', 'too risky'])
  })

  test.each([
    [{ type: 'text', value: 'out' }, 'out', undefined, true],
    [{ type: 'error-text', value: 'bad' }, 'bad', true, true],
    [{ type: 'json', value: { a: [1] } }, '{"a":[1]}', undefined, true],
    [{ type: 'json', value: null }, 'null', undefined, true],
    [{ type: 'error-json', value: { code: 1 } }, '{"code":1}', true, true],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'a\nb',
      undefined,
      true,
    ],
    [{ type: 'execution-denied' }, '', true, false],
    [{ type: 'future', x: 1 }, '{"type":"future","x":1}', undefined, false],
  ])('a result %j reads as %j', (output, text, isError, editable) => {
    const [part] = partsOf('tool', { type: 'tool-result', toolCallId: '1', toolName: 'f', output })
    expect([part?.text(), part?.isError, part?.editable]).toEqual([text, isError, editable])
  })

  test('a later system message is the system’s and is never cut', () => {
    const view = aiSdk.view({ role: 'system', content: 'answer in French' })
    expect(view.role).toBe('system')
    expect(view.parts.map((part) => [part.kind, part.text(), part.editable])).toEqual([
      ['text', 'answer in French', false],
    ])
  })

  test('what the provider ran is opaque, and a compaction of its own is pinned', () => {
    const parts = partsOf(
      'assistant',
      { type: 'tool-call', toolCallId: 's', toolName: 'search', input: { q: 'x' }, providerExecuted: true },
      { type: 'tool-result', toolCallId: 's', toolName: 'search', output: { type: 'json', value: ['hit'] } },
      {
        type: 'custom',
        kind: 'openai.compaction',
        providerOptions: { openai: { itemId: 'c', encryptedContent: 'e' } },
      },
      { type: 'text', text: 'earlier', providerOptions: { anthropic: { type: 'compaction' } } },
    )
    expect(parts.map((part) => [part.kind, part.pinned, part.editable])).toEqual([
      ['opaque', undefined, false],
      ['opaque', undefined, false],
      ['opaque', true, false],
      ['opaque', true, false],
    ])
    expect(parts.slice(0, 2).map((part) => part.text())).toEqual(['{"q":"x"}', '["hit"]'])
    expect(parts[3]?.text()).toBe('earlier')
  })

  test('a call with its result beside it was the provider’s, also where the flag is lost', () => {
    const call = { type: 'tool-call', toolCallId: 's', toolName: 'search', input: {} }
    const result = { type: 'tool-result', toolCallId: 's', toolName: 'search', output: { type: 'text', value: 'x' } }
    expect(partsOf('assistant', call, result).map((part) => part.kind)).toEqual(['opaque', 'opaque'])
    expect(partsOf('assistant', call).map((part) => part.kind)).toEqual(['tool-call'])
  })

  test('files tell their kind, pixels and bytes, however they are held', () => {
    const image = { kind: 'image', width: 1, height: 1, bytes: PNG.length }
    const file = (data: unknown, mediaType = 'image/png') => partsOf('user', { type: 'file', mediaType, data })[0]
    for (const data of [PNG, BYTES, { type: 'data', data: PNG }, { type: 'data', data: BYTES }]) {
      expect(file(data)).toMatchObject({ kind: 'image', media: [image], editable: false })
      expect(file(data)?.text()).toBe('')
    }
    expect(file(PNG, 'image')?.media).toEqual([image])
    const address = new URL('https://example.com/a.png')
    expect(file(address)?.media).toEqual([{ kind: 'image', bytes: 0 }])
    expect(file({ type: 'url', url: address })?.media).toEqual([{ kind: 'image', bytes: 0 }])
    expect(file(new URL(`data:image/png;base64,${PNG}`))?.media).toEqual([
      { ...image, bytes: PNG.length + 'data:image/png;base64,'.length },
    ])
    expect(file({ type: 'reference', reference: { openai: 'f' } }, 'application/pdf')).toMatchObject({
      kind: 'document',
      media: [{ kind: 'document', bytes: 0 }],
    })
    expect(file('AAAA', 'audio/wav')).toMatchObject({ kind: 'image', media: [{ kind: 'audio', bytes: 4 }] })
  })

  test('media in a result are read in every version’s shape', () => {
    const value = [
      { type: 'media', data: PNG, mediaType: 'image/png' },
      { type: 'image-url', url: 'https://example.com/a.png' },
      { type: 'file-id', fileId: 'f' },
      { type: 'file', data: { type: 'data', data: BYTES }, mediaType: 'image/png' },
      { type: 'custom' },
    ]
    const [part] = partsOf('tool', { type: 'tool-result', toolCallId: '1', output: { type: 'content', value } })
    expect(part?.media).toEqual([
      { kind: 'image', width: 1, height: 1, bytes: PNG.length },
      { kind: 'image', bytes: 0 },
      { kind: 'document', bytes: 0 },
      { kind: 'image', width: 1, height: 1, bytes: PNG.length },
    ])
  })

  test('binary data counts as the base64 that is sent', () => {
    const [text] = partsOf('user', { type: 'file', mediaType: 'image/png', data: PNG })
    const [binary] = partsOf('user', { type: 'file', mediaType: 'image/png', data: BYTES })
    expect(binary?.bytes()).toBe(text?.bytes())
    const [node] = partsOf('user', { type: 'file', mediaType: 'image/png', data: Buffer.from(BYTES) })
    expect(node?.bytes()).toBe(text?.bytes())
  })

  test('a file that is given as a text is words', () => {
    const [part] = partsOf('user', { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'a b' } })
    expect(part).toMatchObject({ kind: 'text', editable: true })
    expect(part?.text()).toBe('a b')
    expect(part?.media).toBeUndefined()
  })

  test('a summary of ours is a checkpoint; joined with the user’s words it is the user’s', () => {
    const summary = { type: 'text', text: wrapCheckpoint({ summary: 'so far' }) }
    const view = (...content: object[]) => aiSdk.view({ role: 'user', content } as unknown as AiSdkMessage)
    expect(view(summary).checkpoint).toBe(true)
    expect(view(summary, { type: 'text', text: 'go on' }).checkpoint).toBeUndefined()
    expect(view(summary, { type: 'text', text: 'go on' }).parts.map((part) => part.injected)).toEqual([true, undefined])
    expect(view({ type: 'text', text: '<system-reminder>x</system-reminder>' }).parts[0]?.injected).toBe(true)
  })
})
