import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import type { RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import { anthropicMessages } from './index.ts'
import { type AnthropicMessage, blocksOf, isThinking } from './items.ts'

const LOOSE: RenderContext = { thinkingBinding: 'turn', strictAlternation: false }
const STRICT: RenderContext = { thinkingBinding: 'turn', strictAlternation: true }
const PREFIX: RenderContext = { thinkingBinding: 'prefix', strictAlternation: false }

const user = (text: string): AnthropicMessage => ({ role: 'user', content: text })
const assistant = (text: string): AnthropicMessage => ({ role: 'assistant', content: text })
const system = (text: string): AnthropicMessage => ({ role: 'system', content: text })
const blocks = (role: string, ...content: { type: string; [field: string]: unknown }[]): AnthropicMessage => ({
  role,
  content,
})
const call = (id: string) => ({ type: 'tool_use', id, name: 'run', input: {} })
const result = (id: string, content = 'ok') => ({ type: 'tool_result', tool_use_id: id, content })

/** Items at rising positions from `first` on; a number skips to that position, a list is a summary. */
function items(...entries: (AnthropicMessage | number | [summary: string])[]): RenderedItem<AnthropicMessage>[] {
  let position = 0
  return entries.flatMap((entry): RenderedItem<AnthropicMessage>[] => {
    if (typeof entry === 'number') {
      position = entry
      return []
    }
    if (Array.isArray(entry)) return [{ kind: 'summary', insertAfter: position - 1, text: entry[0] }]
    return [{ kind: 'item', position: position++, item: entry, edited: false }]
  })
}

function layOut(
  entries: readonly RenderedItem<AnthropicMessage>[],
  context: RenderContext,
  from = 0,
): readonly AnthropicMessage[] {
  return anthropicMessages.layOut(deepFreeze(entries), { from, before: 1_000 }, context)
}

/** `role: text|text` for each message. */
function shape(messages: readonly AnthropicMessage[]): string[] {
  return messages.map(
    (message) =>
      `${message.role}: ${blocksOf(message)
        .map((block) => block.text ?? block.type)
        .join('|')}`,
  )
}

describe('layOut', () => {
  it('puts the summary between messages as a message of the user', () => {
    const entries = items(['S'], 4, assistant('a'), user('u'))
    expect(layOut(entries, LOOSE)).toEqual([blocks('user', { type: 'text', text: 'S' }), assistant('a'), user('u')])
  })

  it('joins the summary to the plain user message behind it only where roles must alternate', () => {
    const next = deepFreeze(blocks('user', { type: 'text', text: 'mine', x: 1 }))
    expect(shape(layOut(items(['S'], 4, next), LOOSE))).toEqual(['user: S', 'user: mine'])
    const [joined] = layOut(items(['S'], 4, next), STRICT)
    expect(shape([joined as AnthropicMessage])).toEqual(['user: S|mine'])
    expect(blocksOf(joined as AnthropicMessage)[1]).toBe(blocksOf(next)[0])
    expect(shape(layOut(items(['S1'], ['S2'], 4, user('u')), STRICT))).toEqual(['user: S1|S2|u'])
  })

  it('joins no summary to results', () => {
    const entries = items(
      user('u'),
      blocks('assistant', call('t')),
      blocks('user', result('t')),
      ['S'],
      9,
      assistant('a'),
    )
    expect(shape(layOut(entries, STRICT))).toEqual([
      'user: u',
      'assistant: tool_use',
      'user: tool_result',
      'user: S',
      'assistant: a',
    ])
    const rules = anthropicMessages
      .check({ system: [], items: layOut(entries, STRICT) }, STRICT)
      .map(({ rule }) => rule)
    expect(rules).toEqual(['anthropic/alternation'])
  })

  it('joins neighbours that a drop brought together, with their unknown fields, where roles must alternate', () => {
    const entries = items(user('u'), { ...assistant('a'), x: 1 } as AnthropicMessage, 4, {
      ...assistant('b'),
      y: 2,
    } as AnthropicMessage)
    expect(layOut(entries, STRICT)[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      x: 1,
      y: 2,
    })
    expect(layOut(entries, LOOSE)).toHaveLength(3)
  })

  it('keeps system messages behind the summary and at the end of a user turn', () => {
    const kept = items(system('s1'), system('s2'), ['S'], 6, assistant('a'))
    expect(shape(layOut(kept, LOOSE))).toEqual(['user: S', 'system: s1', 'system: s2', 'assistant: a'])
    const beforeUser = items(['S'], system('s'), 6, user('u'), assistant('a'))
    expect(shape(layOut(beforeUser, LOOSE))).toEqual(['user: S', 'user: u', 'system: s', 'assistant: a'])
    expect(shape(layOut(beforeUser, STRICT))).toEqual(['user: S|u', 'system: s', 'assistant: a'])
    const orphaned = items(user('u'), assistant('a'), 4, system('s'), assistant('b'), user('v'))
    expect(shape(layOut(orphaned, LOOSE))).toEqual(['user: u', 'assistant: a', 'assistant: b', 'user: v', 'system: s'])
  })

  it('takes a cache mark off a system message that moves, and off no other', () => {
    const marked = blocks('system', { type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } })
    const view = layOut(items(user('u'), marked, assistant('a'), ['S'], 5, marked, user('v')), LOOSE)
    expect(view[1]).toBe(marked)
    expect(view.at(-1)).toEqual(blocks('system', { type: 'text', text: 's' }))
  })

  it('leaves a message of settings where it stands', () => {
    const settings = { role: 'system', content: [], output_config: { effort: 'low' } }
    expect(layOut(items(['S'], 4, settings, user('u')), LOOSE)[1]).toBe(settings)
  })

  it('TC-07 under "turn" thinking of the open loop stays as it is, under "prefix" none older than the change is sent', () => {
    const thinkA = { type: 'thinking', thinking: 'A', signature: 'a' }
    const redacted = { type: 'redacted_thinking', data: 'r' }
    const thinkB = { type: 'thinking', thinking: 'B', signature: 'b' }
    const last = blocks('user', result('t2', 'x'.repeat(90_000)))
    const cut = anthropicMessages.edit(last, [{ kind: 'replace-text', part: 0, text: 'x' }]) as AnthropicMessage
    const open = blocks('assistant', redacted, thinkB, call('t2'))
    const entries = [
      ...items(user('u'), blocks('assistant', thinkA, call('t1')), blocks('user', result('t1')), open),
      { kind: 'item', position: 4, item: cut, edited: true } as const,
    ]
    const turn = layOut(entries, LOOSE, 4)
    expect(blocksOf(turn[3] as AnthropicMessage)).toEqual([redacted, thinkB, call('t2')])
    expect(turn[3]).toBe(open)
    // The open step stands before the change at 4: its thinking is still bound to an unchanged prefix.
    expect(layOut(entries, PREFIX, 4)[3]).toBe(open)
    const summarised = [
      ...items(user('u'), ['S'], 3, open),
      { kind: 'item', position: 4, item: cut, edited: true } as const,
    ]
    const prefix = layOut(summarised, PREFIX, 1)
    expect(prefix.flatMap(blocksOf).filter(isThinking)).toEqual([])
    expect(shape(prefix)).toEqual(['user: u', 'user: S', 'assistant: tool_use', 'user: tool_result'])
    expect(blocksOf(prefix[2] as AnthropicMessage)[0]?.id).toBe('t2')
    expect(anthropicMessages.check({ system: [], items: prefix })).toEqual([])
  })

  it('TC-08 thinking is sent whole or not at all, and a message of nothing else leaves with it', () => {
    const thinking = { type: 'thinking', thinking: 'x'.repeat(6_000), signature: 'X' }
    const alone = blocks('assistant', thinking)
    const said = blocks('assistant', thinking, { type: 'text', text: 'y' })
    const entries = items(['S'], 3, alone, user('u'), said, user('v'))
    expect(shape(layOut(entries, PREFIX))).toEqual(['user: S', 'user: u', 'assistant: y', 'user: v'])
    expect(layOut(entries, { ...PREFIX, thinkingBinding: 'none' })[3]).toBe(said)
  })

  it('keeps thinking that was said to the compacted view', () => {
    const later = blocks('assistant', { type: 'thinking', thinking: 'x', signature: 's' }, { type: 'text', text: 'y' })
    const entries = deepFreeze(items(['S'], 3, user('u'), later))
    expect(anthropicMessages.layOut(entries, { from: 0, before: 4 }, PREFIX)[2]).toBe(later)
    expect(
      blocksOf(anthropicMessages.layOut(entries, { from: 0, before: 5 }, PREFIX)[2] as AnthropicMessage),
    ).toHaveLength(1)
  })
})
