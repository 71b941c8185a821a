import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { groupMessages } from '../../engine/messages/groups.ts'
import type { RenderedItem } from '../../engine/messages/message.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { type ChatMessage, openaiChat } from './index.ts'

const RELAXED = { thinkingBinding: 'turn', strictAlternation: false } as const
const STRICT = { thinkingBinding: 'turn', strictAlternation: true } as const

const S = 'So far.'
const SUMMARY: RenderedItem<ChatMessage> = { kind: 'summary', insertAfter: 2, text: S }
const PENDING: ChatMessage = { role: 'user', content: 'also do Z' }
const ANSWER: ChatMessage = { role: 'assistant', content: 'done' }
const CALL = { id: 'a', type: 'function', function: { name: 'r', arguments: '{}' } }
const STEP = [
  { role: 'assistant', content: null, tool_calls: [CALL] },
  { role: 'tool', tool_call_id: 'a', content: 'ok' },
] as const satisfies readonly ChatMessage[]

describe('TC-33 the pending words of the user', () => {
  test('TC-33 stand last, once, as they were, behind the summary', () => {
    const laidOut = layOut([SUMMARY, kept(PENDING, 3)], RELAXED)
    expect(laidOut).toEqual([{ role: 'user', content: S }, PENDING])
    expect(laidOut[1]).toBe(PENDING)
  })

  test('TC-33 are a part of their own behind the summary, where a second user message is refused', () => {
    const [only, ...rest] = layOut([SUMMARY, kept({ ...PENDING, name: 'ann' }, 3)], STRICT)
    expect(rest).toEqual([])
    expect(only).toEqual({
      role: 'user',
      name: 'ann',
      content: [
        { type: 'text', text: S },
        { type: 'text', text: 'also do Z' },
      ],
    })
    expect(openaiChat.check({ system: [], items: [only ?? ANSWER] }, STRICT)).toEqual([])
  })

  test('TC-33 keep every part they had, picture and all', () => {
    const parts = [
      { type: 'text', text: 'see' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ]
    const [only] = layOut([SUMMARY, kept({ role: 'user', content: parts }, 3)], STRICT)
    expect(only?.content).toEqual([{ type: 'text', text: S }, ...parts])
  })

  test('TC-33 are not joined to a tool step: the summary stands alone before it', () => {
    const laidOut = layOut(
      [SUMMARY, ...STEP.map((message, index) => kept(message, 3 + index)), kept(PENDING, 5)],
      STRICT,
    )
    expect(laidOut).toEqual([{ role: 'user', content: S }, ...STEP, PENDING])
    expect(openaiChat.check({ system: [], items: laidOut }, STRICT)).toEqual([])
  })

  test.each([RELAXED, STRICT])('TC-33 the summary is never the words of the assistant (%o)', (context) => {
    const laidOut = layOut([kept(PENDING, 0), kept(ANSWER, 1), SUMMARY, kept(ANSWER, 4), kept(PENDING, 5)], context)
    const speakers = laidOut.filter((message) => JSON.stringify(message).includes(S)).map(({ role }) => role)
    expect(speakers).toEqual(['user'])
  })
})

describe('neighbours that a drop brought together', () => {
  test('stay two messages where the API allows it', () => {
    const laidOut = layOut([kept(PENDING, 0), kept(PENDING, 3)], RELAXED)
    expect(laidOut[0]).toBe(PENDING)
    expect(laidOut[1]).toBe(PENDING)
  })

  test('become one for a strict template: words, then calls, the newer reasoning', () => {
    const first = { role: 'assistant', content: 'one', reasoning_content: 'old', x_first: 1 } as ChatMessage
    const second = { ...STEP[0], content: 'two', reasoning_content: 'new' } as ChatMessage
    const laidOut = layOut([kept(PENDING, 0), kept(first, 1), kept(second, 4), kept(STEP[1], 5)], STRICT)
    expect(laidOut).toEqual([PENDING, { ...second, content: 'one\n\ntwo', x_first: 1 }, STEP[1]])
  })

  test('keep lists as lists, and null beside calls', () => {
    const list = { role: 'assistant', content: [{ type: 'text', text: 'one' }] }
    expect(layOut([kept(PENDING, 0), kept(list, 1), kept(STEP[0], 4), kept(STEP[1], 5)], STRICT)[1]?.content).toEqual(
      list.content,
    )
    const refusal = { role: 'assistant', refusal: 'no', content: null }
    expect(
      layOut([kept(PENDING, 0), kept(refusal, 1), kept(STEP[0], 4), kept(STEP[1], 5)], STRICT)[1]?.content,
    ).toBeNull()
  })
})

function layOut(
  entries: readonly RenderedItem<ChatMessage>[],
  context: typeof STRICT | typeof RELAXED,
): readonly ChatMessage[] {
  return openaiChat.layOut(entries, { from: 0, before: 6 }, context)
}

function kept(item: ChatMessage, position: number): RenderedItem<ChatMessage> {
  return { kind: 'item', position, item, edited: false }
}

describe('for a strict template, without any whole groups and behind a summary', () => {
  test('TC-02 calls and results of a step go or stay as they are, in order, and every word of the user stays', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.infiniteStream(fc.nat(2)), (request, dice) => {
        // A strict template takes no system message in the middle, whoever put it there.
        const items = openaiChat.open(request).items.filter(({ role }) => role !== 'system' && role !== 'developer')
        const groups = groupMessages(items.map((one) => openaiChat.view(one)))
        const gone = new Set(
          groups.flatMap(({ slices }) => (dice.next().value === 0 ? slices.map(({ position }) => position) : [])),
        )
        const rest = items.flatMap((one, position) => (gone.has(position) ? [] : [kept(one, position)]))
        const laidOut = openaiChat.layOut([SUMMARY, ...rest], { from: 0, before: items.length }, STRICT)
        expect(openaiChat.check({ system: [], items: laidOut }, STRICT)).toEqual([])
        const shown = laidOut.flatMap(saidIn).filter((said) => JSON.stringify(said) !== JSON.stringify(textOf(S)))
        const stayed = items.filter((_, position) => !gone.has(position))
        expect(shown).toEqual(stayed.flatMap(saidIn))
      }),
      { numRuns: 1000 },
    )
  })
})

/** Calls, results, and the user's words part by part. */
function saidIn({ role, content, tool_calls: calls, tool_call_id: id }: ChatMessage): readonly unknown[] {
  if (role === 'user') return typeof content === 'string' ? [textOf(content)] : (content ?? [])
  return [...(calls ?? []), ...(id === undefined ? [] : [id])]
}

function textOf(text: string) {
  return { type: 'text', text }
}
