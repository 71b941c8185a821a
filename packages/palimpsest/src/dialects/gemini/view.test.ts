import { describe, expect, test } from 'vitest'
import { wrapCheckpoint } from '../../engine/summary/checkpoint-text.ts'
import { gemini } from './index.ts'
import type { GeminiContent } from './items.ts'

describe('the view of a Gemini content', () => {
  test('roles are told by name and by what a content holds', () => {
    const response = { functionResponse: { name: 'f', response: {} } }
    const role = (content: unknown) => gemini.view(content as GeminiContent).role
    expect(role({ parts: [{ text: 'a' }] })).toBe('user')
    expect(role({ role: 'model', parts: [{ text: 'a' }] })).toBe('assistant')
    expect(role({ role: 'user', parts: [response, response] })).toBe('tool')
    expect(role({ role: 'function', parts: [response] })).toBe('tool')
    expect(role({ role: 'user', parts: [response, { text: 'and never touch production' }] })).toBe('user')
  })

  test('calls and responses carry the id only where there is one', () => {
    const [call, named] = gemini.view({
      role: 'model',
      parts: [{ functionCall: { name: 'f', args: { a: [1, null] } } }, { functionCall: { name: 'g', id: 'c1' } }],
    }).parts
    expect(call).toMatchObject({ kind: 'tool-call', toolName: 'f', editable: true })
    expect(call).not.toHaveProperty('callId')
    expect(call?.text()).toBe('{"a":[1,null]}')
    expect(named).toMatchObject({ callId: 'c1', toolName: 'g' })
    expect(named?.text()).toBe('{}')
  })

  test('a failure is one with an error and no output', () => {
    const failed = (response: object) =>
      gemini.view({ parts: [{ functionResponse: { name: 'f', response } }] }).parts[0]?.isError
    expect(failed({ error: 'no such file' })).toBe(true)
    expect(failed({ error: '', output: 'fine' })).toBeUndefined()
    expect(failed({ output: 'fine' })).toBeUndefined()
  })

  test('thoughts and signed parts are not editable', () => {
    const { parts } = gemini.view({
      role: 'model',
      parts: [
        { text: 'hm', thought: true },
        { text: 'a', thoughtSignature: 's' },
        { functionCall: { name: 'f', args: {} }, thoughtSignature: 's' },
        { text: 'b' },
      ],
    })
    expect(parts.map((part) => [part.kind, part.editable])).toEqual([
      ['reasoning', false],
      ['text', false],
      ['tool-call', false],
      ['text', true],
    ])
  })

  test('a summary of ours is a checkpoint; joined with the user’s words it is the user’s', () => {
    const summary = { text: wrapCheckpoint({ summary: 'so far' }) }
    const alone = gemini.view({ role: 'user', parts: [summary] })
    expect(alone.checkpoint).toBe(true)
    const joined = gemini.view({ role: 'user', parts: [summary, { text: 'go on' }] })
    expect(joined.checkpoint).toBeUndefined()
    expect(joined.parts.map((part) => part.injected)).toEqual([true, undefined])
    expect(gemini.view({ role: 'model', parts: [summary] }).checkpoint).toBeUndefined()
  })

  test('a file beside a response is the tool’s, words beside it the user’s', () => {
    const { parts } = gemini.view({
      role: 'user',
      parts: [
        { functionResponse: { name: 'f', response: {} } },
        { inlineData: { mimeType: 'image/png', data: '' } },
        { text: 'never push to main' },
      ],
    })
    expect(parts.map((part) => part.injected)).toEqual([undefined, true, undefined])
  })

  test('media are read in parts and in responses, in both spellings', () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
    const snake = { inline_data: { mime_type: 'image/png', data: png } }
    const image = { kind: 'image', width: 1, height: 1, bytes: png.length }
    const content = {
      parts: [
        snake,
        { fileData: { mimeType: 'application/pdf', fileUri: 'u' } },
        { inlineData: { mimeType: 'audio/mp3', data: 'AAAA' } },
        { function_response: { name: 'f', response: {}, parts: [snake] } },
      ],
    } as GeminiContent
    const { parts } = gemini.view(content)
    expect(parts.map((part) => [part.kind, part.media])).toEqual([
      ['image', [image]],
      ['document', [{ kind: 'document', bytes: 0 }]],
      ['image', [{ kind: 'audio', bytes: 4 }]],
      ['tool-result', [image]],
    ])
    expect(parts[0]?.text()).toBe('')
  })

  test('what nobody here knows is read as its JSON, without the signature', () => {
    const { parts } = gemini.view({
      role: 'model',
      parts: [
        { executableCode: { code: 'print(1)', language: 'PYTHON' } },
        { codeExecutionResult: { output: '1\n' } },
        { toolCall: { id: 'x' }, thoughtSignature: 's' } as object,
        { thoughtSignature: 's' },
      ],
    })
    expect(parts.map((part) => part.kind)).toEqual(['opaque', 'opaque', 'opaque', 'opaque'])
    expect(parts.map((part) => part.text())).toEqual(['print(1)', '1\n', '{"toolCall":{"id":"x"}}', ''])
  })
})
