import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import { anthropicMessages } from './index.ts'
import { type AnthropicBlock, type AnthropicMessage, blocksOf } from './items.ts'

const { edit } = anthropicMessages
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

  it('parses new arguments, and keeps the old ones where the text is no JSON object', () => {
    const message = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'run', input: { a: 'long' } }] }
    expect(edit(message, [{ kind: 'replace-text', part: 0, text: '{"a":"…"}' }])).toEqual({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't', name: 'run', input: { a: '…' } }],
    })
    for (const text of ['{"a":"…', '[]', 'null']) {
      expect(edit(message, [{ kind: 'replace-text', part: 0, text }])).toBe(message)
    }
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
    expect(edit(message, [{ kind: 'replace-text', part: 0, text: 'x' }])).toBe(message)
    const dropped = edit(message, [{ kind: 'remove', part: 0 }])
    expect(blocksOf(dropped as AnthropicMessage)).toEqual([message.content[1]])
  })
})
