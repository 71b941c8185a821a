import { describe, expect, it } from 'vitest'
import { type AnthropicMessage, anthropicMessages } from '../dialects/anthropic-messages/index.ts'
import type { Conversation } from '../engine/messages/message.ts'
import { decodePreset, presetByName } from '../engine/presets/preset-codec.ts'
import { PRESETS } from '../engine/presets/presets.ts'
import { compactConversation } from './compact-conversation.ts'

const TASK = 'The service must listen on port 8443. Never push to main.'
const LAST = 'Now make the importer idempotent.'

function step(id: string, size = 900): AnthropicMessage[] {
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: { path: `src/${id}.ts` } }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: `${id} const value = 1\n`.repeat(size) }],
    },
  ]
}

function steps(from: number, count: number): AnthropicMessage[] {
  return Array.from({ length: count }, (_, index) => step(`t${from + index}`, 60)).flat()
}

function compacted(items: readonly AnthropicMessage[], preset: string): readonly AnthropicMessage[] {
  const conversation: Conversation<AnthropicMessage> = { system: [], items }
  const result = compactConversation(anthropicMessages, conversation, {
    preset: presetByName(preset),
    window: 24_000,
    overhead: 500,
    force: true,
  })
  if (result.status !== 'compacted') throw new Error(`${preset}: ${result.status}`)
  return result.conversation.items
}

describe('a conversation that was compacted before, by whoever kept only the view', () => {
  it.each(Object.keys(PRESETS))(
    'C9 TC-32 keeps task, rules and last user message through %s again and again',
    (preset) => {
      let items: readonly AnthropicMessage[] = [
        { role: 'user', content: TASK },
        ...steps(0, 20),
        { role: 'assistant', content: 'The settings are read in one place.' },
        { role: 'user', content: LAST },
        ...steps(100, 20),
      ]
      for (let round = 0; round < 4; round++) {
        items = compacted(items, preset)
        const view = JSON.stringify(items)
        expect(view).toContain('port 8443')
        expect(view).toContain('Never push to main.')
        expect(view).toContain(LAST)
        expect(anthropicMessages.check({ system: [], items })).toEqual([])
        items = [...items, ...steps(1_000 * (round + 1), 25)]
      }
    },
  )
})

describe('a request of too many bytes', () => {
  const picture = (megabytes: number) => ({
    type: 'image' as const,
    source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(megabytes * 1_000_000) },
  })

  it('gives up its old pictures though its tokens fit', () => {
    const items: AnthropicMessage[] = Array.from({ length: 12 }, (_, index) => [
      { role: 'user' as const, content: [{ type: 'text', text: `picture ${index}` }, picture(4)] },
      { role: 'assistant' as const, content: 'Seen.' },
    ]).flat()
    const conversation = { system: [], items: [...items, { role: 'user' as const, content: LAST }] }
    const result = compactConversation(anthropicMessages, conversation, { window: 200_000, overhead: 0 })
    if (result.status !== 'compacted') throw new Error(result.status)
    expect(JSON.stringify(result.conversation.items).length).toBeLessThan(32 * 1024 * 1024)
    expect(anthropicMessages.check(result.conversation)).toEqual([])
  })

  it('is refused when its newest message alone is too large', () => {
    const items: AnthropicMessage[] = [
      { role: 'user', content: [picture(35), { type: 'text', text: 'What is this?' }] },
    ]
    const result = compactConversation(anthropicMessages, { system: [], items }, { window: 200_000 })
    expect(result).toMatchObject({ status: 'refused', error: { code: 'cannot-fit' } })
  })
})

describe('a plan in force', () => {
  it('B7 is refused where it makes a view that breaks the protocol', () => {
    const items = [{ role: 'user', content: TASK } as const, ...steps(0, 3)]
    const current = { drop: [{ from: 2, to: 3 }] }
    const result = compactConversation(anthropicMessages, { system: [], items }, { window: 200_000, current })
    expect(result).toMatchObject({ status: 'refused', error: { code: 'plan-mismatch' } })
  })
})

describe('requests that were wrong before', () => {
  it('are compacted without their tools as they came, and no further rule is broken', () => {
    const conversation = anthropicMessages.open({
      model: 'claude-sonnet-4-5',
      max_tokens: 1000,
      messages: [{ role: 'user', content: TASK }, ...steps(0, 40)],
    })
    const result = compactConversation(anthropicMessages, conversation, { window: 12_000 })
    expect(result.status).toBe('compacted')
  })

  it('go out as they are when they fit and nothing smaller is legal', () => {
    const items = [{ role: 'user', content: TASK } as const, ...steps(0, 1)]
    const preset = decodePreset({ trigger: { tokens: 300 } })
    const result = compactConversation(anthropicMessages, { system: [], items }, { window: 200_000, preset })
    expect(result.status).not.toBe('refused')
  })

  it.each([
    ['window', { window: Number.NaN }],
    ['window', { window: Number.POSITIVE_INFINITY }],
    ['reserve', { window: 9_000, reserve: -1 }],
  ])('are not sized by a %s that is no number of tokens', (name, options) => {
    const items = [{ role: 'user', content: TASK } as const]
    expect(() => compactConversation(anthropicMessages, { system: [], items }, options)).toThrow(`The ${name} must be`)
  })
})
