import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import { bedrockConverse } from './index.ts'
import { type BedrockBlock, type BedrockMessage, blocksOf } from './items.ts'

const { edit } = bedrockConverse
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

  it('parses new arguments, and keeps the old ones where the text is no JSON object', () => {
    const message = { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'run', input: { a: 'long' } } }] }
    expect(edit(message, [{ kind: 'replace-text', part: 0, text: '{"a":"…"}' }])).toEqual({
      role: 'assistant',
      content: [{ toolUse: { toolUseId: 't', name: 'run', input: { a: '…' } } }],
    })
    for (const text of ['{"a":"…', '[]', 'null']) {
      expect(edit(message, [{ kind: 'replace-text', part: 0, text }])).toBe(message)
    }
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
    expect(edit(message, [{ kind: 'replace-text', part: 0, text: 'x' }])).toBe(message)
    expect(edit(message, [{ kind: 'remove', part: 1 }])).toBeUndefined()
  })
})
