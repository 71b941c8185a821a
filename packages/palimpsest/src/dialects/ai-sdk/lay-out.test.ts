import { describe, expect, test } from 'vitest'
import { deepFreeze as frozen } from '../../deep-freeze.test-data.ts'
import type { RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import { aiSdk } from './index.ts'
import type { AiSdkMessage } from './items.ts'

const message = (role: string, ...content: object[]) => frozen({ role, content }) as unknown as AiSdkMessage
const text = (words: string) => ({ type: 'text', text: words })
const user = (...words: string[]) => message('user', ...words.map(text))
const assistant = (...content: object[]) => message('assistant', ...content)
const item = (position: number, own: AiSdkMessage): RenderedItem<AiSdkMessage> => ({
  kind: 'item',
  position,
  item: own,
  edited: false,
})
const SUMMARY: RenderedItem<AiSdkMessage> = { kind: 'summary', insertAfter: 4, text: 'S' }
const LOOSE: RenderContext = { thinkingBinding: 'turn', strictAlternation: false }
const STRICT: RenderContext = { thinkingBinding: 'turn', strictAlternation: true }
const CHANGED = { from: 0, before: 20 }

describe('the layout of an AI SDK view', () => {
  test('the summary is one user message with one text', () => {
    const words = user('go on')
    const out = aiSdk.layOut([SUMMARY, item(5, words)], CHANGED, LOOSE)
    expect(out).toEqual([{ role: 'user', content: [{ type: 'text', text: 'S' }] }, words])
    expect(out[1]).toBe(words)
  })

  test('where roles alternate it is the first part of the user’s message behind it', () => {
    const words = frozen({ ...user('go on'), providerOptions: { custom: { a: 1 } } })
    const [first, ...rest] = aiSdk.layOut([SUMMARY, item(5, words), item(6, assistant(text('ok')))], CHANGED, STRICT)
    expect(first).toEqual({ role: 'user', content: [text('S'), text('go on')], providerOptions: { custom: { a: 1 } } })
    expect(first?.content[1]).toBe(words.content[0])
    expect(rest).toHaveLength(1)
  })

  test('neighbours that a drop brought together are joined where roles alternate, native ones are not', () => {
    const items = [item(0, user('a')), item(3, user('b')), item(4, user('c')), item(9, assistant(text('d')))]
    const joined = [user('a', 'b'), user('c'), assistant(text('d'))]
    expect(aiSdk.layOut(items, CHANGED, STRICT)).toEqual(joined)
    expect(aiSdk.layOut(items, CHANGED, LOOSE)).toHaveLength(4)
  })

  test('options of joined messages are joined by provider, the first one’s win', () => {
    const a = { ...user('a'), providerOptions: { x: { one: 1, two: 1 } } }
    const b = { ...user('b'), providerOptions: { x: { two: 2, three: 2 }, y: { four: 2 } } }
    const [out] = aiSdk.layOut([item(0, a), item(5, b)], CHANGED, STRICT)
    expect(out?.providerOptions).toEqual({ x: { one: 1, two: 1, three: 2 }, y: { four: 2 } })
  })

  test('a step with a call is never joined with what follows', () => {
    const step = assistant({ type: 'tool-call', toolCallId: '1', toolName: 'f', input: {} })
    expect(aiSdk.layOut([item(0, step), item(9, assistant(text('b')))], CHANGED, STRICT)).toHaveLength(2)
  })

  test('bound thinking from before the change leaves, with the ids of what stood behind it', () => {
    const thought = { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } }
    const reply = { ...text('b'), providerOptions: { openai: { itemId: 'msg_1' } } }
    const items = [item(1, assistant(thought)), item(2, assistant(thought, reply)), item(5, assistant(thought, reply))]
    const prefix: RenderContext = { thinkingBinding: 'prefix', strictAlternation: false }
    expect(aiSdk.layOut(items, { from: 1, before: 5 }, prefix)).toEqual([
      assistant(text('b')),
      assistant(thought, reply),
    ])
    expect(aiSdk.layOut(items, { from: 1, before: 5 }, LOOSE)).toEqual(items.map((one) => 'item' in one && one.item))
    expect(aiSdk.layOut(items, { from: undefined, before: 5 }, prefix)).toHaveLength(3)
  })
})
