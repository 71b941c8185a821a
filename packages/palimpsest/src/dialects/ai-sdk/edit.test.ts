import { describe, expect, test } from 'vitest'
import { deepFreeze as frozen } from '../../deep-freeze.test-data.ts'
import { originOf } from '../../engine/json/derive.ts'
import type { PartEdit } from '../../engine/messages/message.ts'
import { aiSdk } from './index.ts'
import type { AiSdkMessage, AiSdkPart } from './items.ts'

const message = (role: string, ...content: object[]) => frozen({ role, content }) as unknown as AiSdkMessage

function editOne(role: string, part: object, ...edits: readonly unknown[]): unknown {
  const own = message(role, { type: 'text', text: 'before' }, part)
  const numbered = edits.map((edit) => ({ ...(edit as object), part: 1 }) as PartEdit)
  return aiSdk.edit(own, numbered)?.content[1]
}

const SHORT = { kind: 'replace-text', text: 'short' }
const RESULT = { type: 'tool-result', toolCallId: '1', toolName: 'f' }
const IMAGE = { type: 'image-data', data: 'iVBORw0KGgo=', mediaType: 'image/png' }
const CUSTOM = { type: 'custom', providerOptions: { anthropic: { type: 'tool-reference' } } }
const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } }

describe('edits of a tool result', () => {
  test.each([
    [
      { type: 'text', value: 'long' },
      { type: 'text', value: 'short' },
    ],
    [
      { type: 'error-text', value: 'long' },
      { type: 'error-text', value: 'short' },
    ],
    [
      { type: 'json', value: { rows: ['long'] } },
      { type: 'text', value: 'short' },
    ],
    [
      { type: 'error-json', value: { code: 1 } },
      { type: 'error-text', value: 'short' },
    ],
    [
      { type: 'text', value: 'long', providerOptions: MARK },
      { type: 'text', value: 'short', providerOptions: MARK },
    ],
    [
      { type: 'execution-denied', reason: 'no' },
      { type: 'execution-denied', reason: 'no' },
    ],
    [
      { type: 'future', value: 1 },
      { type: 'future', value: 1 },
    ],
  ])('%j becomes %j', (before, after) => {
    expect(editOne('tool', { ...RESULT, output: before }, SHORT)).toEqual({ ...RESULT, output: after })
  })

  test('in a list the texts become one, everything else stays where it is', () => {
    const value = [IMAGE, { type: 'text', text: 'a', providerOptions: MARK }, CUSTOM, { type: 'text', text: 'b' }]
    expect(editOne('tool', { ...RESULT, output: { type: 'content', value } }, SHORT)).toEqual({
      ...RESULT,
      output: { type: 'content', value: [IMAGE, { type: 'text', text: 'short', providerOptions: MARK }, CUSTOM] },
    })
  })

  test('without a text the new one comes first', () => {
    expect(editOne('tool', { ...RESULT, output: { type: 'content', value: [IMAGE] } }, SHORT)).toEqual({
      ...RESULT,
      output: { type: 'content', value: [{ type: 'text', text: 'short' }, IMAGE] },
    })
  })

  test('media of one kind become one text, a new result takes all', () => {
    const pdf = { type: 'file-data', data: 'JVBERi0=', mediaType: 'application/pdf' }
    const part = { ...RESULT, output: { type: 'content', value: [{ type: 'text', text: 'a' }, IMAGE, pdf, IMAGE] } }
    expect(editOne('tool', part, { kind: 'replace-media', media: 'image', text: '[2 images]' })).toEqual({
      ...RESULT,
      output: { type: 'content', value: [{ type: 'text', text: 'a' }, { type: 'text', text: '[2 images]' }, pdf] },
    })
    expect(editOne('tool', part, { kind: 'replace-result', text: 'gone' })).toEqual({
      ...RESULT,
      output: { type: 'text', value: 'gone' },
    })
  })

  test('the caller’s objects are copied, not written to', () => {
    const value = { rows: ['long'] }
    const own = { role: 'tool', content: [{ ...RESULT, output: { type: 'json', value } }] } as unknown as AiSdkMessage
    aiSdk.edit(own, [{ kind: 'replace-text', part: 0, text: 'short' }])
    expect(own).toEqual({ role: 'tool', content: [{ ...RESULT, output: { type: 'json', value: { rows: ['long'] } } }] })
  })
})

describe('edits of other parts', () => {
  test('files become text, in every version of the prompt', () => {
    const edit = { kind: 'replace-media', media: 'image', text: '[image]' }
    for (const data of [
      'iVBORw0KGgo=',
      new Uint8Array([1]),
      new URL('https://e.com/a.png'),
      { type: 'data', data: '' },
    ]) {
      const part = { type: 'file', mediaType: 'image/png', filename: 'a.png', data, providerOptions: MARK }
      expect(editOne('user', part, edit)).toEqual({ type: 'text', text: '[image]', providerOptions: MARK })
    }
    const pdf = { type: 'file', mediaType: 'application/pdf', data: '' }
    expect(editOne('user', pdf, edit)).toEqual(pdf)
    expect(editOne('user', pdf, { ...edit, media: 'document' })).toEqual({ type: 'text', text: '[image]' })
  })

  test('a file that is given as a text is cut like one', () => {
    const part = { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'long' } }
    expect(editOne('user', part, SHORT)).toEqual({ ...part, data: { type: 'text', text: 'short' } })
  })

  test('a call gets new input under its id, and keeps its input where the text is no JSON of its kind', () => {
    const part = { type: 'tool-call', toolCallId: '1', toolName: 'f', input: { path: 'long' } }
    expect(editOne('assistant', part, { kind: 'replace-text', text: '{"path":"x"}' })).toEqual({
      ...part,
      input: { path: 'x' },
    })
    for (const text of ['{"path":', '[]', '7'])
      expect(editOne('assistant', part, { kind: 'replace-text', text })).toBe(part)
    const free = { ...part, input: 'free text' }
    expect(editOne('assistant', free, { kind: 'replace-text', text: '"cut"' })).toEqual({ ...part, input: 'cut' })
  })

  test('what is signed, thought, run by the provider or the system’s comes back as the same object', () => {
    const own = message(
      'assistant',
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'a', providerOptions: { google: { thoughtSignature: 's' } } },
      {
        type: 'tool-call',
        toolCallId: '1',
        toolName: 'f',
        input: {},
        providerOptions: { vertex: { thoughtSignature: 's' } },
      },
      { type: 'tool-call', toolCallId: '2', toolName: 'g', input: {}, providerExecuted: true },
      { ...RESULT, toolCallId: '2', output: { type: 'text', value: 'long' } },
      { type: 'text', text: 'earlier', providerOptions: { anthropic: { type: 'compaction' } } },
      { type: 'custom', kind: 'openai.compaction' },
    )
    const edits = aiSdk.view(own).parts.flatMap((_, part): PartEdit[] => [
      { kind: 'replace-text', part, text: '{}' },
      { kind: 'replace-result', part, text: '{}' },
    ])
    expect(aiSdk.edit(own, edits)).toBe(own)
    const system = frozen({ role: 'system', content: 'never push' } as const)
    expect(aiSdk.edit(system, [{ kind: 'replace-text', part: 0, text: 'push' }])).toBe(system)
  })

  test('a message with a text alone keeps that form', () => {
    const own = frozen({ role: 'user', content: 'long' } as const)
    expect(aiSdk.edit(own, [{ kind: 'replace-text', part: 0, text: 'short' }])).toEqual({
      role: 'user',
      content: 'short',
    })
    expect(aiSdk.edit(own, [{ kind: 'remove', part: 0 }])).toBeUndefined()
  })

  test('the last part takes the message with it', () => {
    const own = message('user', { type: 'text', text: 'a' }, { type: 'text', text: 'b' })
    const remove = (part: number): PartEdit => ({ kind: 'remove', part })
    expect(aiSdk.edit(own, [remove(1)])).toEqual({ role: 'user', content: [{ type: 'text', text: 'a' }] })
    expect(aiSdk.edit(own, [remove(0), remove(1)])).toBeUndefined()
  })

  test('a copy knows what it was made from', () => {
    const own = message('user', { type: 'text', text: 'a' }, { type: 'text', text: 'b' })
    const edited = aiSdk.edit(own, [{ kind: 'replace-text', part: 0, text: 'x' }])
    expect(originOf(edited ?? {})).toBe(own)
    expect(originOf(edited?.content as readonly AiSdkPart[])).toBe(own.content)
  })
})

describe('item ids of a provider that stores items', () => {
  const withId = (id: string, more?: object) => ({ openai: { itemId: id, ...more } })
  const step = message(
    'assistant',
    { type: 'text', text: 'first', providerOptions: withId('msg_0') },
    { type: 'reasoning', text: 'hm', providerOptions: withId('rs_1') },
    { type: 'text', text: 'second', providerOptions: withId('msg_1', { phase: 'commentary' }) },
    { type: 'reasoning', text: 'so', providerOptions: withId('rs_2', { reasoningEncryptedContent: 'e' }) },
    { type: 'tool-call', toolCallId: '1', toolName: 'f', input: {}, providerMetadata: withId('fc_1') },
    { type: 'custom', kind: 'openai.compaction', providerOptions: withId('cmp_1') },
  )

  test('an edited part loses its id, the others keep theirs', () => {
    const edited = aiSdk.edit(step, [{ kind: 'replace-text', part: 2, text: 'short' }])
    expect(edited?.content[2]).toEqual({
      type: 'text',
      text: 'short',
      providerOptions: { openai: { phase: 'commentary' } },
    })
    expect(edited?.content.slice(3)).toEqual(step.content.slice(3))
  })

  test('behind removed thinking every item loses its id, save thinking itself and a compaction', () => {
    const edited = aiSdk.edit(step, [{ kind: 'remove', part: 1 }])
    expect(edited?.content).toEqual([
      step.content[0],
      { type: 'text', text: 'second', providerOptions: { openai: { phase: 'commentary' } } },
      step.content[3],
      { type: 'tool-call', toolCallId: '1', toolName: 'f', input: {} },
      step.content[5],
    ])
  })
})
