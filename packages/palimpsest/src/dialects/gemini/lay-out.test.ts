import { describe, expect, test } from 'vitest'
import { deepFreeze as frozen } from '../../deep-freeze.test-data.ts'
import type { RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import { gemini } from './index.ts'
import type { GeminiContent, GeminiPart } from './items.ts'

const user = (...parts: GeminiPart[]): GeminiContent => frozen({ role: 'user', parts })
const model = (...parts: GeminiPart[]): GeminiContent => frozen({ role: 'model', parts })
const item = (position: number, content: GeminiContent): RenderedItem<GeminiContent> => ({
  kind: 'item',
  position,
  item: content,
  edited: false,
})
const SUMMARY: RenderedItem<GeminiContent> = { kind: 'summary', insertAfter: 4, text: 'S' }
const TURN: RenderContext = { thinkingBinding: 'turn', strictAlternation: false }
const CHANGED = { from: 0, before: 20 }
const lay = (items: readonly RenderedItem<GeminiContent>[], context = TURN) => gemini.layOut(items, CHANGED, context)

describe('the layout of a Gemini view', () => {
  test('the summary is the first part of the user’s words behind it, whose own parts stay the same objects', () => {
    const words = frozen({ role: 'user', parts: [{ text: 'go on' }, { fileData: { fileUri: 'u' } }], note: 'kept' })
    const [first, ...rest] = lay([SUMMARY, item(5, words), item(6, model({ text: 'ok' }))])
    expect(first).toEqual({ role: 'user', parts: [{ text: 'S' }, ...words.parts], note: 'kept' })
    expect(first?.parts?.[1]).toBe(words.parts[0])
    expect(rest).toHaveLength(1)
  })

  test('before a model content the summary is a content of its own', () => {
    const reply = model({ text: 'ok' })
    expect(lay([SUMMARY, item(5, reply)])).toEqual([{ role: 'user', parts: [{ text: 'S' }] }, reply])
  })

  test('it is never put into a content with function responses, nor are words behind them', () => {
    const results = user({ functionResponse: { name: 'f', response: {} } })
    const mixed = user({ functionResponse: { name: 'f', response: {} } }, { text: 'b' })
    const words = user({ text: 'a' })
    expect(lay([SUMMARY, item(5, results)])).toEqual([{ role: 'user', parts: [{ text: 'S' }] }, results])
    expect(lay([item(3, results), item(9, words)])).toEqual([results, words])
    expect(lay([item(3, mixed), item(9, words)])).toEqual([mixed, words])
    expect(lay([item(3, words), item(9, mixed)])).toEqual([words, mixed])
  })

  test('contents of one role that a drop brought together are joined, native neighbours are not', () => {
    const [a, b, c] = [user({ text: 'a' }), user({ text: 'b' }), user({ text: 'c' })]
    expect(lay([item(0, a), item(3, b), item(4, c)])).toEqual([user({ text: 'a' }, { text: 'b' }), c])
    const models = [item(0, a), item(1, model({ text: 'x' })), item(7, model({ text: 'y', thoughtSignature: 's' }))]
    expect(lay(models)[1]).toEqual(model({ text: 'x' }, { text: 'y', thoughtSignature: 's' }))
  })

  test('a pinned message, a summary and the words behind it become one content, in order', () => {
    const out = lay([item(2, user({ text: 'pinned' })), SUMMARY, item(5, user({ text: 'go on' }))])
    expect(out).toEqual([user({ text: 'pinned' }, { text: 'S' }, { text: 'go on' })])
  })

  test('bound thoughts from before the change leave; signatures on calls and later thoughts stay', () => {
    const thought: GeminiPart = { text: 'hm', thought: true, thoughtSignature: 's' }
    const call: GeminiPart = { functionCall: { name: 'f', args: {} }, thoughtSignature: 't' }
    const items = [
      item(1, model(thought, call)),
      item(2, user({ functionResponse: { name: 'f', response: {} } })),
      item(3, model(thought)),
      item(4, user({ text: 'a' })),
      item(5, model(thought, { text: 'b' })),
    ]
    const prefix: RenderContext = { thinkingBinding: 'prefix', strictAlternation: false }
    const out = gemini.layOut(items, { from: 1, before: 5 }, prefix)
    expect(out).toEqual([
      model(call),
      user({ functionResponse: { name: 'f', response: {} } }),
      user({ text: 'a' }),
      model(thought, { text: 'b' }),
    ])
    expect(gemini.layOut(items, { from: 1, before: 5 }, TURN)).toEqual(items.map((one) => 'item' in one && one.item))
  })
})
