import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { groupMessages } from '../../engine/messages/groups.ts'
import type { PartEdit, RenderedItem } from '../../engine/messages/message.ts'
import { fieldsOf, listOf } from '../json-fields.ts'
import { arbitraryReferringRequest, arbitraryRequest } from './arbitrary-request.test-data.ts'
import { openaiCodex, openaiResponses, type ResponsesItem } from './index.ts'

const RUNS = { numRuns: 1000 }
const CONTEXT = { thinkingBinding: 'turn', strictAlternation: false } as const

describe('a request', () => {
  test('closes to the very object that was opened', () => {
    fc.assert(
      fc.property(arbitraryRequest(), (request) => {
        deepFreeze(request)
        const before = JSON.stringify(request)
        expect(openaiResponses.close(request, openaiResponses.open(request))).toBe(request)
        expect(JSON.stringify(request)).toBe(before)
      }),
      RUNS,
    )
  })

  test('keeps every other field when its items change', () => {
    fc.assert(
      fc.property(arbitraryRequest(), (request) => {
        const opened = openaiResponses.open(request)
        const closed = openaiResponses.close(request, { ...opened, items: [...opened.items, USER] })
        const { input, ...rest } = closed
        const { input: original, ...others } = request
        expect(rest).toEqual(others)
        expect(listOf(input).at(-1)).toBe(USER)
        if (Array.isArray(original)) expect(listOf(input).slice(0, -1)).toEqual(original)
        else expect(listOf(input)[0]).toMatchObject({ role: 'user', content: original })
      }),
      RUNS,
    )
  })

  test('is recognised, and breaks no rule', () => {
    fc.assert(
      fc.property(arbitraryRequest(), (request) => {
        expect(openaiResponses.recognises(request)).toBeGreaterThan(0)
        expect(openaiResponses.check(openaiResponses.open(request))).toEqual([])
      }),
      RUNS,
    )
  })

  test('made for Codex breaks no rule of Codex', () => {
    fc.assert(
      fc.property(arbitraryRequest(), (request) => {
        const { max_output_tokens: _cap, ...rest } = request
        fc.pre(request.store === false)
        const codex = { ...rest, instructions: 'You are an agent.', stream: true }
        expect(openaiCodex.check(openaiCodex.open(codex))).toEqual([])
        if (Array.isArray(codex.input)) expect(openaiCodex.recognises(codex)).toBe(1)
      }),
      RUNS,
    )
  })
})

describe('an item', () => {
  test('reads the same every time, with at least one part, none of them larger than the item', () => {
    fc.assert(
      fc.property(arbitraryItem(), (item) => {
        deepFreeze(item)
        const view = openaiResponses.view(item)
        expect(view.parts.length).toBeGreaterThan(0)
        expect(readable(item)).toEqual(readable(item))
        const bytes = view.parts.reduce((sum, part) => sum + part.bytes(), 0)
        expect(bytes).toBeLessThanOrEqual(new TextEncoder().encode(JSON.stringify(item)).length)
      }),
      RUNS,
    )
  })

  test('of any shape at all can be read, edited and fingerprinted', () => {
    fc.assert(
      fc.property(anyItem(), (item) => {
        const view = openaiResponses.view(item)
        for (const part of view.parts) part.text()
        const edits = view.parts.flatMap((_, part): PartEdit[] => [
          { kind: 'replace-text', part, text: 'x' },
          { kind: 'replace-result', part, text: 'x' },
          { kind: 'replace-media', part, media: 'image', text: 'x' },
        ])
        openaiResponses.edit(item, edits)
        expect(
          openaiResponses.edit(
            item,
            view.parts.map((_, part) => ({ kind: 'remove', part })),
          ),
        ).toBeUndefined()
        expect(openaiResponses.fingerprint(item)).toBe(openaiResponses.fingerprint(structuredClone(item)))
      }),
      RUNS,
    )
  })

  test('is edited in a copy, in the named part and nowhere else', () => {
    fc.assert(
      fc.property(arbitraryItem(), fc.nat(), fc.nat(3), (item, seed, choice) => {
        deepFreeze(item)
        const before = JSON.stringify(item)
        const { parts } = openaiResponses.view(item)
        const part = seed % parts.length
        const edited = openaiResponses.edit(item, [editOf(choice, part)])
        expect(JSON.stringify(item)).toBe(before)
        if (edited === undefined) {
          expect([choice, parts.length]).toEqual([0, 1])
          return
        }
        const after = openaiResponses.view(edited).parts
        const removed = edited !== item && choice === 0 ? 1 : 0
        expect(after.length).toBe(parts.length - removed)
        const others = readable(item).filter((_, index) => index !== part)
        expect(readable(edited).filter((_, index) => removed === 1 || index !== part)).toEqual(others)
        expect(unreadFields(edited)).toEqual(unreadFields(item))
      }),
      RUNS,
    )
  })

  test('that is edited with text shows that text, where its part is editable', () => {
    fc.assert(
      fc.property(arbitraryItem(), (item) => {
        const { parts } = openaiResponses.view(item)
        parts.forEach((part, number) => {
          const text = part.kind === 'tool-call' ? clipped(part.text()) : 'short'
          const edited = openaiResponses.edit(item, [{ kind: 'replace-text', part: number, text }])
          const shown = openaiResponses.view(edited ?? USER).parts[number]?.text()
          expect(shown).toBe(part.editable ? text : part.text())
          if (!part.editable) expect(edited).toBe(item)
        })
      }),
      RUNS,
    )
  })
})

describe('a view', () => {
  test('of everything, untouched, has the same objects', () => {
    fc.assert(
      fc.property(arbitraryRequest(), (request) => {
        const { items } = openaiResponses.open(request)
        const laidOut = openaiResponses.layOut(items.map(kept), { from: undefined, before: items.length }, CONTEXT)
        expect(laidOut.length).toBe(items.length)
        laidOut.forEach((item, index) => {
          expect(item).toBe(items[index])
        })
      }),
      RUNS,
    )
  })

  test.each([
    ['items in full', arbitraryRequest()],
    ['references', arbitraryReferringRequest()],
  ])('without any set of whole groups, with or without summaries and reasoning, breaks no rule: %s', (_, requests) => {
    fc.assert(
      fc.property(
        requests,
        fc.infiniteStream(fc.nat(3)),
        fc.boolean(),
        fc.boolean(),
        (request, dice, summarise, strip) => {
          deepFreeze(request)
          const opened = openaiResponses.open(request)
          expect(openaiResponses.check(opened)).toEqual([])
          const groups = groupMessages(opened.items.map((item) => openaiResponses.view(item)))
          const dropped = new Set(
            groups.flatMap((group) => (dice.next().value === 0 ? group.slices.map(({ position }) => position) : [])),
          )
          const entries = opened.items.flatMap((item, position): RenderedItem<ResponsesItem>[] => {
            if (!dropped.has(position)) return strip && item.type === 'reasoning' ? [] : [kept(item, position)]
            const isLast = !dropped.has(position + 1)
            return summarise && isLast ? [{ kind: 'summary', insertAfter: position, text: 'Summary.' }] : []
          })
          const items = openaiResponses.layOut(entries, { from: 0, before: opened.items.length }, CONTEXT)
          // No plan may leave nothing: reasoning alone leaves too.
          fc.pre(items.length > 0)
          expect(openaiResponses.check({ ...opened, items })).toEqual([])
        },
      ),
      RUNS,
    )
  })

  test('only grows at its end while the transcript grows and the plan stays', () => {
    fc.assert(
      fc.property(arbitraryRequest(), fc.infiniteStream(fc.nat(2)), fc.nat(), (request, dice, seed) => {
        const { items } = openaiResponses.open(request)
        fc.pre(items.length > 0)
        // A request as it could have been sent, and the same transcript later.
        const before = 1 + (seed % items.length)
        fc.pre(openaiResponses.check({ system: [], items: items.slice(0, before) }).length === 0)
        const groups = groupMessages(items.slice(0, before).map((item) => openaiResponses.view(item)))
        const dropped = new Set(
          groups.flatMap(({ slices }) => (dice.next().value === 0 ? slices.map(({ position }) => position) : [])),
        )
        const shown = (length: number) => {
          const entries = items
            .slice(0, length)
            .map(kept)
            .filter((_, position) => !dropped.has(position))
          return openaiResponses
            .layOut(entries, { from: 0, before }, CONTEXT)
            .map((item) => openaiResponses.fingerprint(item))
        }
        const earlier = shown(before)
        expect(shown(items.length).slice(0, earlier.length)).toEqual(earlier)
      }),
      RUNS,
    )
  })

  test('with any edits breaks no rule', () => {
    fc.assert(
      fc.property(arbitraryRequest(), fc.infiniteStream(fc.nat(9)), (request, dice) => {
        deepFreeze(request)
        const opened = openaiResponses.open(request)
        const entries = opened.items.flatMap((item, position): RenderedItem<ResponsesItem>[] => {
          const edits = openaiResponses.view(item).parts.flatMap((part, number): PartEdit[] => {
            const choice = dice.next().value
            if (choice > 3 || (choice === 0 && part.callId !== undefined)) return []
            const text = part.kind === 'tool-call' ? clipped(part.text()) : 'short'
            return [choice === 1 ? { kind: 'replace-text', part: number, text } : editOf(choice, number)]
          })
          const edited = openaiResponses.edit(item, edits)
          return edited === undefined ? [] : [{ kind: 'item', position, item: edited, edited: edited !== item }]
        })
        const items = openaiResponses.layOut(entries, { from: 0, before: opened.items.length }, CONTEXT)
        // No plan may leave nothing: reasoning alone leaves too.
        fc.pre(items.length > 0)
        expect(openaiResponses.check({ ...opened, items })).toEqual([])
      }),
      RUNS,
    )
  })
})

const USER: ResponsesItem = { type: 'message', role: 'user', content: 'Go on.' }

function arbitraryItem(): fc.Arbitrary<ResponsesItem> {
  const listed = arbitraryRequest().filter((request) => openaiResponses.open(request).items.length > 0)
  return fc.tuple(listed, fc.nat()).map(([request, seed]) => {
    const { items } = openaiResponses.open(request)
    return items[seed % items.length] ?? USER
  })
}

const TYPES = [
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'local_shell_call_output',
  'computer_call_output',
  'tool_search_output',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'item_reference',
  'compaction',
  'new_call',
  'new_call_output',
]

/** Known types with fields of any JSON, and any JSON at all. */
function anyItem(): fc.Arbitrary<ResponsesItem> {
  const fields = [
    'role',
    'id',
    'call_id',
    'content',
    'output',
    'arguments',
    'input',
    'action',
    'operation',
    'result',
    'summary',
    'tools',
    'status',
  ]
  const known = fc.record(
    {
      type: fc.constantFrom(...TYPES),
      ...Object.fromEntries(
        fields.map((name) => [name, fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('user', 'assistant'))]),
      ),
    },
    { requiredKeys: [] },
  )
  return fc.oneof(known, fc.jsonValue()).map((value) => value as ResponsesItem)
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
    return JSON.stringify(JSON.parse(text), (key, value) =>
      typeof value === 'string' && key !== 'type' && key !== 'path' ? value.slice(0, 3) : value,
    )
  } catch {
    return text.slice(0, 3)
  }
}

function readable(item: ResponsesItem): readonly unknown[] {
  return openaiResponses.view(item).parts.map((part) => ({ ...part, text: part.text(), bytes: part.bytes() }))
}

/** What no edit may touch. */
function unreadFields(item: ResponsesItem): unknown {
  const {
    content: _content,
    output: _output,
    arguments: _args,
    input: _input,
    action: _action,
    operation: _operation,
    ...rest
  } = fieldsOf(item)
  return rest
}

function kept(item: ResponsesItem, position: number): RenderedItem<ResponsesItem> {
  return { kind: 'item', position, item, edited: false }
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
}
