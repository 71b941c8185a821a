import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { originOf } from '../../engine/json/derive.ts'
import type { PartEdit, PartView } from '../../engine/messages/message.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { deepFreeze } from './deep-freeze.test-data.ts'
import { bedrockConverse } from './index.ts'
import { type BedrockBlock, type BedrockMessage, blocksOf, isCachePoint, isReasoning, partsOf } from './items.ts'

const { edit, view } = bedrockConverse
const point = { cachePoint: { type: 'default' } }

function result(...content: BedrockBlock[]): BedrockMessage {
  return { role: 'user', content: [{ toolResult: { toolUseId: 't', content, status: 'success' } }] }
}

function contentOf(message: BedrockMessage | undefined): unknown {
  const [block] = message === undefined ? [] : blocksOf(message)
  return (block?.toolResult as { content?: unknown } | undefined)?.content
}

describe('edit', () => {
  it('replaces text, guarded text, and text of a document where they stand', () => {
    const message = {
      role: 'user',
      content: [
        { text: 'a', x: 1 },
        { guardContent: { text: { text: 'b', qualifiers: ['query'] } } },
        { document: { name: 'n', source: { text: 'c' } } },
      ],
    }
    const cut = [0, 1, 2].map((part) => ({ kind: 'replace-text', part, text: 'z' }) as const)
    expect(edit(deepFreeze(message), cut)).toEqual({
      role: 'user',
      content: [
        { text: 'z', x: 1 },
        { guardContent: { text: { text: 'z', qualifiers: ['query'] } } },
        { document: { name: 'n', source: { text: 'z' } } },
      ],
    })
  })

  it('parses new arguments and refuses text that is no JSON', () => {
    const message = { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'run', input: { a: 'long' } } }] }
    expect(edit(message, [{ kind: 'replace-text', part: 0, text: '{"a":"…"}' }])).toEqual({
      role: 'assistant',
      content: [{ toolUse: { toolUseId: 't', name: 'run', input: { a: '…' } } }],
    })
    expect(() => edit(message, [{ kind: 'replace-text', part: 0, text: '{"a":"…' }])).toThrow('no JSON')
  })

  it('puts one text where the first text of a result stood, and keeps the rest', () => {
    const image = { image: { source: {} } }
    const message = result(image, { json: {} }, { future: 1 } as BedrockBlock, { text: 'b' })
    expect(contentOf(edit(message, [{ kind: 'replace-text', part: 0, text: 'c' }]))).toEqual([
      image,
      { text: 'c' },
      { future: 1 },
    ])
    expect(contentOf(edit(message, [{ kind: 'replace-result', part: 0, text: 'c' }]))).toEqual([
      { text: 'c' },
      { future: 1 },
    ])
    expect(contentOf(edit(message, [{ kind: 'replace-media', part: 0, media: 'image', text: 'gone' }]))).toEqual([
      { text: 'gone' },
      { json: {} },
      { future: 1 },
      { text: 'b' },
    ])
    expect(contentOf(edit(result(image), [{ kind: 'replace-text', part: 0, text: 'c' }]))).toEqual([
      { text: 'c' },
      image,
    ])
  })

  it('counts parts without cache points, and leaves no cache point first or behind reasoning', () => {
    const message = { role: 'user', content: [{ text: 'a' }, point, { text: 'b' }] }
    expect(edit(message, [{ kind: 'remove', part: 1 }])).toEqual({ role: 'user', content: [{ text: 'a' }, point] })
    expect(edit(message, [{ kind: 'remove', part: 0 }])).toEqual({ role: 'user', content: [{ text: 'b' }] })
    const both = [0, 1].map((part) => ({ kind: 'remove', part }) as const)
    expect(edit(message, both)).toBeUndefined()
    const reasoning = { reasoningContent: { reasoningText: { text: 'x', signature: 's' } } }
    const answer = { role: 'assistant', content: [reasoning, { text: 'a' }, point, { text: 'b' }] }
    expect(edit(answer, [{ kind: 'remove', part: 1 }])).toEqual({
      role: 'assistant',
      content: [reasoning, { text: 'b' }],
    })
  })

  it('TC-08 reasoning is never shortened, and leaves whole with what it led to', () => {
    const reasoning = { reasoningContent: { reasoningText: { text: 'x'.repeat(6_000), signature: 'X' } } }
    const message = { role: 'assistant', content: [reasoning, { text: 'y'.repeat(5_000) }] }
    const cut = edit(deepFreeze(message), [{ kind: 'replace-text', part: 1, text: 'y' }])
    expect(blocksOf(cut as BedrockMessage)[0]).toBe(reasoning)
    expect(() => edit(message, [{ kind: 'replace-text', part: 0, text: 'x' }])).toThrow('no text that may change')
    expect(edit(message, [{ kind: 'remove', part: 1 }])).toBeUndefined()
  })

  it('refuses an edit that fits no part', () => {
    const own = { role: 'assistant', content: [{ toolResult: { toolUseId: 's', content: [{ text: 'a' }] } }] }
    const misfits: PartEdit[] = [
      { kind: 'remove', part: 1 },
      { kind: 'replace-result', part: 0, text: '' },
      { kind: 'replace-text', part: 0, text: '' },
      { kind: 'replace-media', part: 0, media: 'image', text: '' },
    ]
    for (const misfit of misfits) {
      expect(() => edit(own, [misfit])).toThrow(expect.objectContaining({ code: 'plan-mismatch' }))
    }
  })

  it('LAW: an edit changes the part it names and nothing else, and mutates nothing', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), fc.nat(), fc.nat(), ({ messages = [] }, at, which, how) => {
        const message = deepFreeze(messages[at % messages.length]) as BedrockMessage
        const { parts } = view(message)
        const part = which % parts.length
        const edits = editsFor(parts[part] as PartView, part)
        const chosen = edits[how % edits.length] as PartEdit
        const edited = edit(message, [chosen])
        if (edited !== undefined) return expectOnlyPartChanged(message, edited, chosen)
        const rest = partsOf(message).filter((_, number) => number !== part)
        expect([chosen.kind, rest.every((block) => message.role === 'assistant' && isReasoning(block))]).toEqual([
          'remove',
          true,
        ])
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

function expectOnlyPartChanged(before: BedrockMessage, after: BedrockMessage, edit: PartEdit): void {
  expect({ ...after, content: null }).toEqual({ ...before, content: null })
  expect(originOf(after)).toBe(before)
  const old = partsOf(before)
  const next = partsOf(after)
  expect(
    blocksOf(after)
      .filter(isCachePoint)
      .every((one) => blocksOf(before).includes(one)),
  ).toBe(true)
  if (edit.kind === 'remove') {
    const kept = old.filter((_, number) => number !== edit.part)
    const trailing = kept.slice(next.length)
    expect(trailing.every((block) => before.role === 'assistant' && isReasoning(block))).toBe(true)
    expect(next.every((block, number) => block === kept[number])).toBe(true)
    return
  }
  expect(next).toHaveLength(old.length)
  expect(next.every((block, number) => number === edit.part || block === old[number])).toBe(true)
  const part = view(after).parts[edit.part]
  if (edit.kind === 'replace-text') expect(part?.text()).toBe(edit.text)
  if (edit.kind === 'replace-result') expect([part?.text(), part?.media]).toEqual([edit.text, undefined])
  if (edit.kind === 'replace-media') expect((part?.media ?? []).some((media) => media.kind === edit.media)).toBe(false)
}
