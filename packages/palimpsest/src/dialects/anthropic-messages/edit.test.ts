import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { originOf } from '../../engine/json/derive.ts'
import type { PartEdit, PartView } from '../../engine/messages/message.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { deepFreeze } from './deep-freeze.test-data.ts'
import { anthropicMessages } from './index.ts'
import { type AnthropicBlock, type AnthropicMessage, blocksOf, isThinking } from './items.ts'

const { edit, view } = anthropicMessages
const mark = { type: 'ephemeral' }

function result(content: unknown, extra: object = {}): AnthropicMessage {
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content, ...extra }] }
}

function contentOf(message: AnthropicMessage | undefined): unknown {
  return Array.isArray(message?.content) ? (message.content[0] as AnthropicBlock).content : undefined
}

describe('edit', () => {
  it('keeps a string a string', () => {
    const message = { role: 'user', content: 'long text', x: 1 }
    expect(edit(message, [{ kind: 'replace-text', part: 0, text: 'short' }])).toEqual({
      role: 'user',
      content: 'short',
      x: 1,
    })
    expect(edit(message, [{ kind: 'remove', part: 0 }])).toBeUndefined()
  })

  it('parses new arguments and refuses text that is no JSON', () => {
    const message = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'run', input: { a: 'long' } }] }
    expect(edit(message, [{ kind: 'replace-text', part: 0, text: '{"a":"…"}' }])).toEqual({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't', name: 'run', input: { a: '…' } }],
    })
    expect(() => edit(message, [{ kind: 'replace-text', part: 0, text: '{"a":"…' }])).toThrow('no JSON')
  })

  it('puts one text where the first text of a result stood, and keeps the rest', () => {
    const image = { type: 'image', source: {} }
    const reference = { type: 'tool_reference', tool_name: 'x' }
    const text = (value: string, extra: object = {}) => ({ type: 'text', text: value, ...extra })
    const message = result([image, text('a'), reference, text('b', { cache_control: mark })], { cache_control: mark })
    const cut = edit(message, [{ kind: 'replace-text', part: 0, text: 'c' }])
    expect(contentOf(cut)).toEqual([image, text('c', { cache_control: mark }), reference])
    expect(blocksOf(cut as AnthropicMessage)[0]?.cache_control).toBe(mark)
    expect(contentOf(edit(message, [{ kind: 'replace-result', part: 0, text: 'c' }]))).toEqual([
      text('c', { cache_control: mark }),
      reference,
    ])
    expect(contentOf(edit(result([image]), [{ kind: 'replace-text', part: 0, text: 'c' }]))).toEqual([text('c'), image])
    expect(contentOf(edit(result(undefined), [{ kind: 'replace-result', part: 0, text: 'c' }]))).toBe('c')
  })

  it('puts a line of text for media, with the cache mark of what left', () => {
    const image = { type: 'image', source: {}, cache_control: mark }
    expect(
      edit({ role: 'user', content: [image] }, [{ kind: 'replace-media', part: 0, media: 'image', text: 'gone' }]),
    ).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'gone', cache_control: mark }],
    })
    const inResult = edit(result([{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'image' }]), [
      { kind: 'replace-media', part: 0, media: 'image', text: 'gone' },
    ])
    expect(contentOf(inResult)).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'gone' },
    ])
  })

  it('leaves no thinking that led to nothing', () => {
    const thinking = { type: 'thinking', thinking: 'x', signature: 's' }
    const call = { type: 'tool_use', id: 't', name: 'run', input: {} }
    expect(edit({ role: 'assistant', content: [thinking, call] }, [{ kind: 'remove', part: 1 }])).toBeUndefined()
    expect(
      edit({ role: 'assistant', content: [{ type: 'text', text: 'a' }, thinking, call] }, [
        { kind: 'remove', part: 2 },
      ]),
    ).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'a' }] })
  })

  it('TC-08 thinking is never shortened, an edit of what stands beside it leaves it whole', () => {
    const thinking = { type: 'thinking', thinking: 'x'.repeat(6_000), signature: 'X' }
    const message = { role: 'assistant', content: [thinking, { type: 'text', text: 'y'.repeat(5_000) }] }
    const cut = edit(deepFreeze(message), [{ kind: 'replace-text', part: 1, text: 'y' }])
    expect(blocksOf(cut as AnthropicMessage)[0]).toBe(thinking)
    expect(() => edit(message, [{ kind: 'replace-text', part: 0, text: 'x' }])).toThrow('no text that may change')
    const dropped = edit(message, [{ kind: 'remove', part: 0 }])
    expect(blocksOf(dropped as AnthropicMessage)).toEqual([message.content[1]])
  })

  it('refuses an edit that fits no part', () => {
    const message = { role: 'user', content: 'x' }
    for (const misfit of [
      { kind: 'remove', part: 1 },
      { kind: 'replace-result', part: 0, text: '' },
      { kind: 'replace-media', part: 0, media: 'image', text: '' },
    ] satisfies PartEdit[]) {
      expect(() => edit(message, [misfit])).toThrow(expect.objectContaining({ code: 'plan-mismatch' }))
    }
  })

  it('LAW: an edit changes the part it names and nothing else, and mutates nothing', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), fc.nat(), fc.nat(), ({ messages }, at, which, how) => {
        const message = deepFreeze(messages[at % messages.length]) as AnthropicMessage
        const { parts } = view(message)
        if (parts.length === 0) return
        const part = which % parts.length
        const edits = editsFor(parts[part] as PartView, part)
        const chosen = edits[how % edits.length] as PartEdit
        const edited = edit(message, [chosen])
        if (edited === undefined) {
          const rest = blocksOf(message).filter((_, number) => number !== part)
          expect(
            chosen.kind === 'remove' && (message.role !== 'assistant' ? rest.length === 0 : rest.every(isThinking)),
          ).toBe(true)
          return
        }
        expectOnlyPartChanged(message, edited, chosen)
      }),
      { numRuns: 1000 },
    )
  })
})

/** Every edit that this part can take. */
function editsFor(view: PartView, part: number): readonly PartEdit[] {
  const text = view.kind === 'tool-call' ? '{"cut":true}' : 'cut'
  const media = view.media?.[0]?.kind
  return [
    { kind: 'remove', part },
    ...(view.editable ? [{ kind: 'replace-text', part, text } as const] : []),
    ...(view.editable && view.kind === 'tool-result' ? [{ kind: 'replace-result', part, text } as const] : []),
    ...(media === 'image' || media === 'document' ? [{ kind: 'replace-media', part, media, text } as const] : []),
  ]
}

function expectOnlyPartChanged(before: AnthropicMessage, after: AnthropicMessage, edit: PartEdit): void {
  expect({ ...after, content: null }).toEqual({ ...before, content: null })
  expect(originOf(after)).toBe(before)
  const old = blocksOf(before)
  const next = blocksOf(after)
  if (edit.kind === 'remove') {
    const kept = old.filter((_, number) => number !== edit.part)
    const trailing = before.role === 'assistant' ? kept.slice(next.length) : []
    expect(trailing.every(isThinking)).toBe(true)
    expect(next.every((block, number) => block === kept[number])).toBe(true)
    expect(next).toHaveLength(kept.length - trailing.length)
    return
  }
  expect(next).toHaveLength(old.length)
  const isString = typeof before.content === 'string'
  expect(next.every((block, number) => isString || number === edit.part || block === old[number])).toBe(true)
  const part = view(after).parts[edit.part]
  if (edit.kind === 'replace-text') expect(part?.text()).toBe(edit.text)
  if (edit.kind === 'replace-result') expect([part?.text(), part?.media]).toEqual([edit.text, undefined])
  if (edit.kind === 'replace-media') expect((part?.media ?? []).some((media) => media.kind === edit.media)).toBe(false)
}
