import { describe, expect, test } from 'vitest'
import { deepFreeze as frozen } from '../../deep-freeze.test-data.ts'
import { originOf } from '../../engine/json/derive.ts'
import type { PartEdit } from '../../engine/messages/message.ts'
import { gemini } from './index.ts'
import type { GeminiContent, GeminiPart } from './items.ts'

const IMAGE = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }
const PDF = { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } }

function editOne(part: unknown, edit: Omit<PartEdit, 'part'> & { readonly kind: PartEdit['kind'] }): unknown {
  const content = frozen({ role: 'user', parts: [{ text: 'before' }, part] }) as GeminiContent
  return gemini.edit(content, [{ ...edit, part: 1 } as PartEdit])?.parts?.[1]
}

describe('edits of a function response', () => {
  const replaced = (response: unknown) =>
    editOne({ functionResponse: { id: '1', name: 'f', response } }, { kind: 'replace-text', text: 'short' } as PartEdit)

  test.each([
    [{ output: 'long' }, { output: 'short' }],
    [{ result: 'long' }, { result: 'short' }],
    [{ result: { deep: 'long' } }, { result: 'short' }],
    [{ content: 'long', exitCode: 0, ok: true }, { content: 'short' }],
    [{ error: 'long' }, { error: 'short' }],
    [{ error: 'long', hint: 'x' }, { error: 'short' }],
    [{ error: null }, { output: 'short' }],
    [{ stdout: 'long', stderr: 'long' }, { output: 'short' }],
    [{ content: [{ type: 'text', text: 'long' }], isError: false }, { output: 'short' }],
    [{}, { output: 'short' }],
    [undefined, { output: 'short' }],
  ])('%j becomes %j', (before, after) => {
    expect(replaced(before)).toEqual({ functionResponse: { id: '1', name: 'f', response: after } })
  })

  test('media stay with a new text and leave with a new result', () => {
    const part = { functionResponse: { name: 'f', response: { output: 'long' }, parts: [IMAGE], willContinue: false } }
    expect(editOne(part, { kind: 'replace-text', text: 'short' } as PartEdit)).toEqual({
      functionResponse: { name: 'f', response: { output: 'short' }, parts: [IMAGE], willContinue: false },
    })
    expect(editOne(part, { kind: 'replace-result', text: 'short' } as PartEdit)).toEqual({
      functionResponse: { name: 'f', response: { output: 'short' }, willContinue: false },
    })
  })

  test('media of one kind become a text in the response', () => {
    const part = { functionResponse: { name: 'f', response: { output: 'kept' }, parts: [IMAGE, PDF, IMAGE] } }
    expect(editOne(part, { kind: 'replace-media', media: 'image', text: '[2 images]' } as PartEdit)).toEqual({
      functionResponse: { name: 'f', response: { output: 'kept', omitted_media: '[2 images]' }, parts: [PDF] },
    })
    const content = frozen({ role: 'user', parts: [part] }) as GeminiContent
    const both = gemini.edit(content, [
      { kind: 'replace-text', part: 0, text: 'short' },
      { kind: 'replace-media', part: 0, media: 'image', text: '[images]' },
      { kind: 'replace-media', part: 0, media: 'document', text: '[document]' },
    ])
    expect(both?.parts).toEqual([
      { functionResponse: { name: 'f', response: { output: 'short', omitted_media: '[images]\n[document]' } } },
    ])
  })
})

describe('edits of other parts', () => {
  test('a picture becomes a text part; a signed one stays', () => {
    const edit = { kind: 'replace-media', media: 'image', text: '[image]' } as PartEdit
    expect(editOne({ ...IMAGE, mediaResolution: { level: 'LOW' } }, edit)).toEqual({ text: '[image]' })
    expect(editOne({ ...IMAGE, thoughtSignature: 'c2ln' }, edit)).toEqual({ ...IMAGE, thoughtSignature: 'c2ln' })
    expect(editOne(PDF, edit)).toEqual(PDF)
  })

  test('arguments change, what belongs to the call does not; under a signature nothing does', () => {
    const part = { functionCall: { id: '1', name: 'f', args: { path: 'long' } }, partMetadata: { a: 1 } }
    const edit = { kind: 'replace-text', text: '{"path":"x"}' } as PartEdit
    expect(editOne(part, edit)).toEqual({ ...part, functionCall: { id: '1', name: 'f', args: { path: 'x' } } })
    const signed = { ...part, thought_signature: 'c2ln' }
    expect(editOne(signed, edit)).toBe(signed)
    for (const text of ['{"path":', '[]']) expect(editOne(part, { kind: 'replace-text', text } as PartEdit)).toBe(part)
  })

  test('the client’s spelling is kept', () => {
    expect(
      editOne({ function_call: { name: 'f', args: {} } }, { kind: 'replace-text', text: '{"a":1}' } as PartEdit),
    ).toEqual({ function_call: { name: 'f', args: { a: 1 } } })
    expect(
      editOne({ function_response: { name: 'f', response: { x: 'y' } } }, {
        kind: 'replace-text',
        text: 's',
      } as PartEdit),
    ).toEqual({ function_response: { name: 'f', response: { x: 's' } } })
  })

  test('what cannot be edited comes back as the same object', () => {
    const parts: readonly GeminiPart[] = [
      { text: 'a thought', thought: true },
      { text: 'signed', thoughtSignature: 'c2ln' },
      { executableCode: { code: 'x' } },
      { futurePart: {} } as GeminiPart,
    ]
    const content = frozen({ role: 'model', parts }) as GeminiContent
    const edits = parts.flatMap((_, part): PartEdit[] => [
      { kind: 'replace-text', part, text: 'x' },
      { kind: 'replace-result', part, text: 'x' },
    ])
    expect(gemini.edit(content, edits)).toBe(content)
  })

  test('the last part takes the content with it', () => {
    const content: GeminiContent = { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }
    const remove = (part: number): PartEdit => ({ kind: 'remove', part })
    expect(gemini.edit(content, [remove(0)])).toEqual({ role: 'user', parts: [{ text: 'b' }] })
    expect(gemini.edit(content, [remove(0), remove(1)])).toBeUndefined()
  })

  test('a copy knows what it was made from, so that its bytes can be spliced', () => {
    const content: GeminiContent = { role: 'user', parts: [{ text: 'long' }, { text: 'b' }] }
    const edited = gemini.edit(content, [{ kind: 'replace-text', part: 0, text: 'x' }])
    expect(originOf(edited ?? {})).toBe(content)
    expect(originOf(edited?.parts ?? [])).toBe(content.parts)
    expect(originOf(edited?.parts?.[0] ?? {})).toBe(content.parts?.[0])
  })
})
