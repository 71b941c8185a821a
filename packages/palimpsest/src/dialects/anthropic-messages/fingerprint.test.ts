import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { anthropicMessages } from './index.ts'
import type { AnthropicMessage } from './items.ts'

const { fingerprint } = anthropicMessages

/** The message without cache marks, its text as blocks and its keys in reverse: what may differ between two requests. */
function restyled(message: AnthropicMessage): AnthropicMessage {
  const { content } = message
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  return reversed({
    ...message,
    content: blocks.map((block) => reversed({ ...block, cache_control: { type: 'ephemeral' } })),
  })
}

function reversed<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).reverse()) as T
}

describe('fingerprint', () => {
  it('LAW: does not see cache marks, the order of keys, or whether text is a string or a block', () => {
    fc.assert(
      fc.property(arbitraryRequest, ({ messages }) => {
        expect(messages.map(restyled).map(fingerprint)).toEqual(messages.map(fingerprint))
      }),
      { numRuns: 300 }, // each run takes the fingerprints of some thirty messages
    )
  })

  it('sees everything else', () => {
    const base = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'a' }] }],
    }
    const input = (extra: object) => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't', name: 'n', input: extra }],
    })
    const different = [
      base,
      { ...base, role: 'assistant' },
      { ...base, x: 1 },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'u', content: [{ type: 'text', text: 'a' }] }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'b' }] }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'a', is_error: true }] },
      { role: 'user', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: 'a', citations: [] }] },
      input({}),
      input({ cache_control: 'an argument' }),
      input({ cache_control: 'another argument' }),
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'a', signature: 's' }] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'a', signature: 't' }] },
    ]
    expect(new Set(different.map(fingerprint)).size).toBe(different.length)
  })

  it('does not see a mark inside a result', () => {
    const inside = (extra: object) => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'a', ...extra }] }],
    })
    expect(fingerprint(inside({ cache_control: { type: 'ephemeral' } }))).toBe(fingerprint(inside({})))
  })
})
