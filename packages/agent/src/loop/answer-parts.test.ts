import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent } from './agent-event.ts'
import { AnswerParts } from './answer-parts.ts'

const finish: LanguageModelV3StreamPart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'end_turn' },
  usage: {
    inputTokens: { total: 12, noCache: 2, cacheRead: 10, cacheWrite: 0 },
    outputTokens: { total: 3, text: 3, reasoning: undefined },
  },
}

function read(parts: readonly LanguageModelV3StreamPart[]) {
  const events: AgentEvent[] = []
  const read = new AnswerParts((event) => events.push(event))
  for (const part of parts) read.push(part)
  return { read, events }
}

test('what is shown and what is kept are the same words, however they were cut', () => {
  const pieces = fc.array(fc.tuple(fc.constantFrom('text', 'reasoning'), fc.array(fc.string(), { maxLength: 4 })))
  fc.assert(
    fc.property(pieces, (said) => {
      const parts = said.flatMap(([kind, deltas], at): LanguageModelV3StreamPart[] => {
        const id = String(at)
        return kind === 'text'
          ? [
              { type: 'text-start', id },
              ...deltas.map((delta) => ({ type: 'text-delta', id, delta }) as const),
              { type: 'text-end', id },
            ]
          : [
              { type: 'reasoning-start', id },
              ...deltas.map((delta) => ({ type: 'reasoning-delta', id, delta }) as const),
              { type: 'reasoning-end', id },
            ]
      })
      const { read: answer, events } = read([...parts, finish])
      const words = (kind: string) => said.flatMap(([one, deltas]) => (one === kind ? deltas : [])).join('')
      const shown = (type: AgentEvent['type']) =>
        events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')
      expect(answer.answer().text).toBe(words('text'))
      expect(shown('text-delta')).toBe(words('text'))
      expect(shown('reasoning-delta')).toBe(words('reasoning'))
      expect(answer.shown).toBe(words('text') + words('reasoning') !== '')
    }),
  )
})

test('signatures that come at the end of a thought are kept with it, and nothing undefined reaches the log', () => {
  const { read: answer } = read([
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: { anthropic: { signature: 'sig' } } },
    { type: 'reasoning-end', id: 'r' },
    { type: 'text-start', id: 't', providerMetadata: { openai: { itemId: 'msg_1' } } },
    { type: 'text-delta', id: 't', delta: 'Yes.' },
    { type: 'text-end', id: 't' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'bash', input: '{"command":"ls"}' },
    finish,
  ])
  const { message, calls, usage } = answer.answer()
  expect(message).toEqual({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 'sig' } } },
      { type: 'text', text: 'Yes.', providerOptions: { openai: { itemId: 'msg_1' } } },
      { type: 'tool-call', toolCallId: 'c', toolName: 'bash', input: { command: 'ls' } },
    ],
  })
  expect(calls).toEqual([{ id: 'c', name: 'bash', input: { command: 'ls' } }])
  expect(usage).toEqual({ input: 12, cacheRead: 10, cacheWrite: 0, output: 3 })
})

test('arguments that are no JSON reach the tool as they came, and the transcript as an object', () => {
  const { read: answer } = read([
    { type: 'tool-call', toolCallId: 'c', toolName: 'bash', input: '{"command": "l' },
    finish,
  ])
  const { message, calls } = answer.answer()
  expect(calls[0]?.input).toBe('{"command": "l')
  expect(message?.content).toMatchObject([{ input: { unreadable: '{"command": "l' } }])
})

test('calls have ids of their own, whatever a server gives them', () => {
  const call = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'x', input: '' }) as const
  const ids = fc.array(fc.constantFrom('', 'a', 'a_2', 'call_0', 'call_1'), { maxLength: 8 })
  fc.assert(
    fc.property(ids, (given) => {
      const { read: answer } = read([...given.map(call), finish])
      const found = answer.answer().calls.map(({ id }) => id)
      expect(new Set(found).size).toBe(given.length)
      expect(found).not.toContain('')
    }),
  )
})

test('of an answer that broke off the words are kept, not its calls and its thoughts', () => {
  const { read: broken } = read([
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Let me ' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'bash', input: '{}' },
  ])
  expect(broken.ended).toBe(false)
  expect(broken.partial()).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Let me ' }] })
  expect(read([{ type: 'text-start', id: 't' }]).read.partial()).toBeUndefined()
})

test('half of a surrogate pair, which no provider takes back, reaches neither transcript nor result', () => {
  const { read: answer } = read([
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'a\ud83d' },
    { type: 'text-delta', id: 't', delta: '\ude00b\ud83d' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'bash', input: '{"command":"echo \\ud83d"}' },
    finish,
  ])
  const { message, text } = answer.answer()
  expect(text).toBe('a😀b\ufffd')
  expect(message?.content).toMatchObject([{ text: 'a😀b\ufffd' }, { input: { command: 'echo \ufffd' } }])
})
