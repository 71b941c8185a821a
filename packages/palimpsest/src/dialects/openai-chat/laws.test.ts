import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { groupMessages } from '../../engine/messages/groups.ts'
import type { PartEdit, RenderedItem } from '../../engine/messages/message.ts'
import { fieldsOf } from '../json-fields.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { type ChatMessage, openaiChat } from './index.ts'

const RUNS = { numRuns: 1000 }
const RELAXED = { thinkingBinding: 'turn', strictAlternation: false } as const
const STRICT = { thinkingBinding: 'turn', strictAlternation: true } as const

describe('a request', () => {
  test('closes to the very object that was opened', () => {
    fc.assert(
      fc.property(arbitraryRequest(), (request) => {
        deepFreeze(request)
        const before = JSON.stringify(request)
        expect(openaiChat.close(request, openaiChat.open(request))).toBe(request)
        expect(JSON.stringify(request)).toBe(before)
      }),
      RUNS,
    )
  })

  test('keeps every other field when its messages change', () => {
    fc.assert(
      fc.property(arbitraryRequest(), (request) => {
        const opened = openaiChat.open(request)
        const { messages, ...rest } = openaiChat.close(request, { ...opened, items: [...opened.items, USER] })
        const { messages: original, ...others } = request
        expect(rest).toEqual(others)
        expect(messages).toEqual([...original, USER])
      }),
      RUNS,
    )
  })

  test('is recognised, and breaks no rule', () => {
    fc.assert(
      fc.property(arbitraryRequest(), (request) => {
        expect(openaiChat.recognises(request)).toBeGreaterThan(0.5)
        expect(openaiChat.check(openaiChat.open(request))).toEqual([])
      }),
      RUNS,
    )
  })
})

describe('a message', () => {
  test('reads the same every time, with at least one part, together no larger than the message', () => {
    fc.assert(
      fc.property(arbitraryMessage(), (message) => {
        deepFreeze(message)
        const { parts } = openaiChat.view(message)
        expect(parts.length).toBeGreaterThan(0)
        expect(readable(message)).toEqual(readable(message))
        const bytes = parts.reduce((sum, part) => sum + part.bytes(), 0)
        expect(bytes).toBeLessThanOrEqual(new TextEncoder().encode(JSON.stringify(message)).length)
      }),
      RUNS,
    )
  })

  test('of any shape at all can be read, edited and fingerprinted', () => {
    fc.assert(
      fc.property(anyMessage(), (message) => {
        const { parts } = openaiChat.view(message)
        for (const part of parts) part.text()
        const edits = parts.flatMap((_, part): PartEdit[] => [1, 2, 3].map((choice) => editOf(choice, part)))
        openaiChat.edit(message, edits)
        expect(
          openaiChat.edit(
            message,
            parts.map((_, part) => editOf(0, part)),
          ),
        ).toBeUndefined()
        expect(openaiChat.fingerprint(message)).toBe(openaiChat.fingerprint(structuredClone(message)))
      }),
      RUNS,
    )
  })

  test('is edited in a copy, in the named part and nowhere else', () => {
    fc.assert(
      fc.property(arbitraryMessage(), fc.nat(), fc.nat(3), (message, seed, choice) => {
        deepFreeze(message)
        const before = JSON.stringify(message)
        const { parts } = openaiChat.view(message)
        const part = seed % parts.length
        const edited = openaiChat.edit(message, [editOf(choice, part)])
        expect(JSON.stringify(message)).toBe(before)
        const others = readable(message).filter((_, index) => index !== part)
        if (edited === undefined) {
          expect(choice).toBe(0)
          expect(others.filter(({ kind }) => kind !== 'reasoning')).toEqual([])
          return
        }
        const after = readable(edited)
        expect(choice === 0 ? after : after.filter((_, index) => index !== part)).toEqual(others)
        expect(unreadFields(edited)).toEqual(unreadFields(message))
      }),
      RUNS,
    )
  })

  test('that is edited with text shows that text, where its part is editable', () => {
    fc.assert(
      fc.property(arbitraryMessage(), (message) => {
        openaiChat.view(message).parts.forEach((part, number) => {
          const text = part.kind === 'tool-call' ? clipped(part.text()) : 'short'
          const edited = openaiChat.edit(message, [{ kind: 'replace-text', part: number, text }])
          const shown = openaiChat.view(edited ?? USER).parts[number]?.text()
          expect(shown).toBe(part.editable ? text : part.text())
          if (!part.editable) expect(edited).toBe(message)
        })
      }),
      RUNS,
    )
  })

  test('keeps the fields of a call that nobody knows, whatever becomes of its arguments', () => {
    fc.assert(
      fc.property(arbitraryMessage(), (message) => {
        const edits = openaiChat
          .view(message)
          .parts.flatMap((part, number): PartEdit[] =>
            part.kind === 'tool-call' ? [{ kind: 'replace-text', part: number, text: '{"cut":1}' }] : [],
          )
        const edited = openaiChat.edit(message, edits)
        const strange = (one: ChatMessage | undefined) =>
          one?.tool_calls?.map((call) => {
            const { function: _function, custom: _custom, ...rest } = fieldsOf(call)
            return rest
          })
        expect(strange(edited)).toEqual(strange(message))
      }),
      RUNS,
    )
  })
})

describe('a view', () => {
  test('of everything, untouched, has the same objects', () => {
    fc.assert(
      fc.property(arbitraryRequest(), fc.boolean(), (request, strict) => {
        const { items } = openaiChat.open(request)
        const changed = { from: undefined, before: items.length }
        const laidOut = openaiChat.layOut(items.map(kept), changed, strict ? STRICT : RELAXED)
        expect(laidOut.length).toBe(items.length)
        laidOut.forEach((item, index) => {
          expect(item).toBe(items[index])
        })
      }),
      RUNS,
    )
  })

  test('without any set of whole groups breaks no rule', () => {
    fc.assert(
      fc.property(arbitraryRequest(), fc.infiniteStream(fc.nat(2)), fc.boolean(), (request, dice, summarise) => {
        deepFreeze(request)
        const opened = openaiChat.open(request)
        const entries = withoutGroups(opened.items, () => dice.next().value === 0, summarise)
        fc.pre(entries.length > 0)
        const items = openaiChat.layOut(entries, { from: 0, before: opened.items.length }, RELAXED)
        expect(openaiChat.check({ ...opened, items }, RELAXED)).toEqual([])
      }),
      RUNS,
    )
  })

  test('for a strict template, opened by a summary, breaks none of its rules either, and every word of the user is there', () => {
    fc.assert(
      fc.property(arbitraryRequest(), fc.infiniteStream(fc.nat(2)), (request, dice) => {
        deepFreeze(request)
        const opened = openaiChat.open(request)
        // A strict template takes no system message in the middle, whoever put it there.
        const items = opened.items.filter(({ role }) => role !== 'system' && role !== 'developer')
        const rest = withoutGroups(items, () => dice.next().value === 0, true)
        const entries: Entry[] =
          rest[0]?.kind === 'summary' ? rest : [{ kind: 'summary', insertAfter: -1, text: 'So far.' }, ...rest]
        const laidOut = openaiChat.layOut(entries, { from: 0, before: items.length }, STRICT)
        expect(openaiChat.check({ ...opened, items: laidOut }, STRICT)).toEqual([])
        const said = entries.flatMap((entry) =>
          entry.kind === 'item' && entry.item.role === 'user' ? contentParts(entry.item) : [],
        )
        const shown = laidOut.flatMap((message) => (message.role === 'user' ? contentParts(message) : []))
        expect(shown.filter((part) => !isSummary(part))).toEqual(said)
      }),
      RUNS,
    )
  })

  test('only grows at its end while the transcript grows and the plan stays', () => {
    fc.assert(
      fc.property(arbitraryRequest(), fc.infiniteStream(fc.nat(2)), fc.nat(), (request, dice, seed) => {
        const { items } = openaiChat.open(request)
        fc.pre(items.length > 0)
        // A request as it could have been sent, and the same transcript later.
        const before = 1 + (seed % items.length)
        fc.pre(openaiChat.check({ system: [], items: items.slice(0, before) }).length === 0)
        const groups = groupMessages(items.slice(0, before).map((item) => openaiChat.view(item)))
        const dropped = new Set(
          groups.flatMap(({ slices }) => (dice.next().value === 0 ? slices.map(({ position }) => position) : [])),
        )
        const shown = (length: number) => {
          const entries = items
            .slice(0, length)
            .map(kept)
            .filter((_, position) => !dropped.has(position))
          return openaiChat.layOut(entries, { from: 0, before }, RELAXED).map((item) => openaiChat.fingerprint(item))
        }
        const earlier = shown(before)
        expect(shown(items.length).slice(0, earlier.length)).toEqual(earlier)
      }),
      RUNS,
    )
  })

  test('TC-02 whatever goes, calls and results of a step go or stay as they are, in order', () => {
    fc.assert(
      fc.property(arbitraryRequest(), fc.infiniteStream(fc.nat(2)), (request, dice) => {
        const { items } = openaiChat.open(request)
        const entries = withoutGroups(items, () => dice.next().value === 0, true)
        const laidOut = openaiChat.layOut(entries, { from: 0, before: items.length }, STRICT)
        const steps = (list: readonly ChatMessage[]) =>
          list.flatMap((message) =>
            message.tool_calls ? [JSON.stringify(message.tool_calls)] : (message.tool_call_id ?? []),
          )
        const before = entries.flatMap((entry) => (entry.kind === 'item' ? [entry.item] : []))
        expect(steps(laidOut)).toEqual(steps(before))
      }),
      RUNS,
    )
  })
})

type Entry = RenderedItem<ChatMessage>

const USER: ChatMessage = { role: 'user', content: 'Go on.' }

function withoutGroups(items: readonly ChatMessage[], drops: () => boolean, summarise: boolean): Entry[] {
  const groups = groupMessages(items.map((item) => openaiChat.view(item)))
  const dropped = new Set(groups.flatMap((group) => (drops() ? group.slices.map(({ position }) => position) : [])))
  return items.flatMap((item, position): Entry[] => {
    if (!dropped.has(position)) return [kept(item, position)]
    const isLast = !dropped.has(position + 1)
    return summarise && isLast ? [{ kind: 'summary', insertAfter: position, text: 'So far.' }] : []
  })
}

function contentParts({ content }: ChatMessage): readonly unknown[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content ?? []
}

function isSummary(part: unknown): boolean {
  return fieldsOf(part).text === 'So far.'
}

function arbitraryMessage(): fc.Arbitrary<ChatMessage> {
  return fc.tuple(arbitraryRequest(), fc.nat()).map(([{ messages }, seed]) => messages[seed % messages.length] ?? USER)
}

/** Known roles with fields of any JSON, and any JSON at all. */
function anyMessage(): fc.Arbitrary<ChatMessage> {
  const fields = [
    'content',
    'tool_calls',
    'tool_call_id',
    'function_call',
    'refusal',
    'audio',
    'name',
    'reasoning_content',
    'reasoning_details',
  ]
  const known = fc.record(
    {
      role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'function', 'model'),
      ...Object.fromEntries(fields.map((name) => [name, fc.jsonValue({ maxDepth: 3 })])),
    },
    { requiredKeys: ['role'] },
  )
  return fc.oneof(known, fc.jsonValue()).map((value) => value as ChatMessage)
}

function editOf(choice: number, part: number): PartEdit {
  if (choice === 0) return { kind: 'remove', part }
  if (choice === 1) return { kind: 'replace-text', part, text: '{"short":true}' }
  if (choice === 2) return { kind: 'replace-result', part, text: 'short' }
  return { kind: 'replace-media', part, media: 'image', text: '[image left out]' }
}

/** Arguments of the same shape with every string cut. */
function clipped(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, value) => (typeof value === 'string' ? value.slice(0, 3) : value))
  } catch {
    return text.slice(0, 3)
  }
}

function readable(message: ChatMessage): readonly { readonly kind: string }[] {
  return openaiChat.view(message).parts.map((part) => ({ ...part, text: part.text(), bytes: part.bytes() }))
}

/** What no edit may touch. */
function unreadFields(message: ChatMessage): unknown {
  const {
    content: _content,
    tool_calls: _calls,
    function_call: _call,
    refusal: _refusal,
    audio: _audio,
    ...rest
  } = fieldsOf(message)
  const { reasoning_content: _content2, reasoning: _reasoning, reasoning_details: _details, ...others } = rest
  return others
}

function kept(item: ChatMessage, position: number): Entry {
  return { kind: 'item', position, item, edited: false }
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
}
