import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import type { RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import { bedrockConverse } from './index.ts'
import { type BedrockBlock, type BedrockMessage, blocksOf, isReasoning, memberOf } from './items.ts'

const TURN: RenderContext = { thinkingBinding: 'turn', strictAlternation: false }
const PREFIX: RenderContext = { thinkingBinding: 'prefix', strictAlternation: false }

const say = (role: string, ...texts: string[]): BedrockMessage => ({ role, content: texts.map((text) => ({ text })) })
const blocks = (role: string, ...content: BedrockBlock[]): BedrockMessage => ({ role, content })
const call = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'run', input: {} } })
const result = (toolUseId: string, text = 'ok') => ({ toolResult: { toolUseId, content: [{ text }] } })
const reasoning = (text: string) => ({ reasoningContent: { reasoningText: { text, signature: 's' } } })

/** Items at rising positions; a number skips to that position, a list is a summary. */
function items(...entries: (BedrockMessage | number | [summary: string])[]): RenderedItem<BedrockMessage>[] {
  let position = 0
  return entries.flatMap((entry): RenderedItem<BedrockMessage>[] => {
    if (typeof entry === 'number') {
      position = entry
      return []
    }
    if (Array.isArray(entry)) return [{ kind: 'summary', insertAfter: position - 1, text: entry[0] }]
    return [{ kind: 'item', position: position++, item: entry, edited: false }]
  })
}

function layOut(entries: readonly RenderedItem<BedrockMessage>[], context = TURN, from = 0): readonly BedrockMessage[] {
  return bedrockConverse.layOut(deepFreeze(entries), { from, before: 1_000 }, context)
}

function shape(messages: readonly BedrockMessage[]): string[] {
  return messages.map(
    (message) =>
      `${message.role}: ${blocksOf(message)
        .map((block) => block.text ?? memberOf(block))
        .join('|')}`,
  )
}

function rules(messages: readonly BedrockMessage[]): string[] {
  return bedrockConverse.check({ system: [], items: messages }).map(({ rule }) => rule)
}

describe('layOut', () => {
  it('makes the summary the first part of a plain user message behind it, whose own parts stay', () => {
    const next = deepFreeze(blocks('user', { text: 'mine', x: 1 } as BedrockBlock))
    const [joined] = layOut(items(['S'], 4, next))
    expect(joined).toEqual({ role: 'user', content: [{ text: 'S' }, { text: 'mine', x: 1 }] })
    expect(blocksOf(joined as BedrockMessage)[1]).toBe(blocksOf(next)[0])
    expect(shape(layOut(items(['S1'], ['S2'], 4, say('user', 'u'))))).toEqual(['user: S1|S2|u'])
    expect(shape(layOut(items(['S'], 4, say('assistant', 'a'), say('user', 'u'))))).toEqual([
      'user: S',
      'assistant: a',
      'user: u',
    ])
  })

  it('joins no summary to results: the check refuses such a view', () => {
    const entries = items(
      say('user', 'u'),
      blocks('assistant', call('t')),
      blocks('user', result('t')),
      ['S'],
      9,
      say('assistant', 'a'),
      say('user', 'v'),
    )
    expect(shape(layOut(entries))).toEqual([
      'user: u',
      'assistant: toolUse',
      'user: toolResult',
      'user: S',
      'assistant: a',
      'user: v',
    ])
    expect(rules(layOut(entries))).toEqual(['bedrock/alternation'])
  })

  it('joins neighbours of one role that a drop brought together, results first', () => {
    const entries = items(say('user', 'u'), blocks('assistant', call('t')), blocks('user', result('t')), 5, {
      ...say('user', 'v'),
      x: 1,
    } as BedrockMessage)
    const view = layOut(entries)
    expect(shape(view)).toEqual(['user: u', 'assistant: toolUse', 'user: toolResult|v'])
    expect((view[2] as { x?: number }).x).toBe(1)
    expect(rules(view)).toEqual([])
    const late = items(say('user', 'u'), blocks('assistant', call('t')), say('user', 'w'), blocks('user', result('t')))
    expect(shape(layOut(late))[2]).toBe('user: toolResult|w')
  })

  it('keeps system messages behind the summary and at the end of a user turn', () => {
    const entries = items(say('system', 's'), ['S'], 4, say('user', 'u'), say('assistant', 'a'), say('user', 'v'))
    expect(shape(layOut(entries))).toEqual(['user: S|u', 'system: s', 'assistant: a', 'user: v'])
  })

  it('TC-07 under "turn" reasoning of the open loop stays as it is, under "prefix" none older than the change is sent', () => {
    const redacted = { reasoningContent: { redactedContent: 'r' } }
    const open = blocks('assistant', redacted, reasoning('B'), call('t2'))
    const last = blocks('user', result('t2', 'x'.repeat(90_000)))
    const cut = bedrockConverse.edit(last, [{ kind: 'replace-text', part: 0, text: 'x' }]) as BedrockMessage
    const entries = [
      ...items(say('user', 'u'), ['S'], 3, open),
      { kind: 'item', position: 4, item: cut, edited: true } as const,
    ]
    expect(layOut(entries, TURN, 1)[1]).toBe(open)
    const prefix = layOut(entries, PREFIX, 1)
    expect(prefix.flatMap(blocksOf).filter(isReasoning)).toEqual([])
    expect(shape(prefix)).toEqual(['user: u|S', 'assistant: toolUse', 'user: toolResult'])
    expect(blocksOf(prefix[1] as BedrockMessage)[0]).toEqual(call('t2'))
    expect(rules(prefix)).toEqual([])
  })

  it('TC-08 reasoning is sent whole or not at all, and a message of nothing else leaves with it', () => {
    const said = blocks('assistant', reasoning('A'), { text: 'y' }, { cachePoint: { type: 'default' } })
    const entries = items(['S'], 3, blocks('assistant', reasoning('alone')), say('user', 'u'), said, say('user', 'v'))
    expect(shape(layOut(entries, PREFIX))).toEqual(['user: S|u', 'assistant: y|cachePoint', 'user: v'])
    expect(layOut(entries, TURN)[3]).toBe(said)
  })
})
