import fc from 'fast-check'
import type { Lens, MessageView, PartKind, PartView, Role, Violation } from './messages/message.ts'
import { Transcript } from './messages/transcript.ts'
import { CHECKPOINT_TAG } from './summary/checkpoint-text.ts'
import type { TokenMeter } from './tokens/ledger.ts'

/** A wire format as small as can be, so that laws of the engine can be seen without a provider's rules. */
export interface ToyPart {
  readonly kind: PartKind
  readonly text: string
  readonly id?: string
  readonly tool?: string
  readonly injected?: boolean
  readonly pinned?: boolean
  readonly images?: number
}
export interface ToyItem {
  readonly role: Role
  readonly parts: readonly ToyPart[]
}

/** One character is one token, an image a hundred; no framing. */
export const toyMeter: TokenMeter = {
  text: (text) => text.length * 1024,
  media: () => 100,
  framing: { request: 0, message: 0, tools: 0, tool: 0 },
}

export const toyLens: Lens<ToyItem> = {
  name: 'toy',
  view: readToy,
  edit(item, edits) {
    const parts = item.parts.flatMap((part, number): ToyPart[] => {
      let edited: ToyPart | undefined = part
      for (const edit of edits.filter((one) => one.part === number)) {
        if (edit.kind === 'remove') edited = undefined
        else if (edited && edit.kind === 'replace-media')
          edited = { ...edited, images: 0, text: edited.text + edit.text }
        else if (edited && edit.kind === 'replace-result') edited = { ...edited, images: 0, text: edit.text }
        else if (edited && edit.kind === 'replace-text') edited = { ...edited, text: edit.text }
      }
      return edited === undefined ? [] : [edited]
    })
    return parts.length === 0 ? undefined : { ...item, parts }
  },
  layOut(items) {
    return items.map(
      (entry): ToyItem =>
        entry.kind === 'item' ? entry.item : { role: 'user', parts: [{ kind: 'text', text: entry.text }] },
    )
  },
  check({ items }) {
    const violations: Violation[] = []
    const open = new Map<string, number>()
    items.forEach((item, position) => {
      for (const part of item.parts) {
        const id = part.id ?? ''
        if (part.kind === 'tool-call') open.set(id, position)
        if (part.kind === 'tool-result' && !open.delete(id)) violations.push(violation('toy/orphan', position))
      }
    })
    for (const position of open.values()) violations.push(violation('toy/unanswered', position))
    return violations
  },
  fingerprint: (item) => JSON.stringify(item),
}

/**
 * A transcript in notation: `user 40 | say 10 | tools read:900 grep:20 | system 5`. `tools` makes an assistant item with
 * the calls and a tool item with the results; numbers are characters.
 */
export function toyItems(notation: string): readonly ToyItem[] {
  let next = 0
  return notation.split('|').flatMap((word): readonly ToyItem[] => {
    const [kind = '', ...rest] = word.trim().split(/\s+/)
    const size = Number(rest[0] ?? 0)
    if (kind === 'user') return [{ role: 'user', parts: [{ kind: 'text', text: filler(size, 'u') }] }]
    if (kind === 'say') return [{ role: 'assistant', parts: [{ kind: 'text', text: filler(size, 'a') }] }]
    if (kind === 'system') return [{ role: 'system', parts: [{ kind: 'text', text: filler(size, 's') }] }]
    if (kind === 'pin') return [{ role: 'user', parts: [{ kind: 'opaque', text: filler(size, 'p'), pinned: true }] }]
    const calls = rest.map((one) => ({
      tool: one.split(':')[0] ?? '',
      size: Number(one.split(':')[1]),
      id: `c${next++}`,
    }))
    return [
      { role: 'assistant', parts: calls.map(({ id, tool }) => ({ kind: 'tool-call', id, tool, text: '{}' })) },
      { role: 'tool', parts: calls.map(({ id, size: n }) => ({ kind: 'tool-result', id, text: filler(n, 'r') })) },
    ]
  })
}

export function toyTranscript(items: string | readonly ToyItem[]): Transcript<ToyItem> {
  return new Transcript(toyLens, toyMeter, typeof items === 'string' ? toyItems(items) : items)
}

/** Valid transcripts: turns of user text, assistant texts and tool batches, with mixed items and images. */
export const arbitraryToyItems: fc.Arbitrary<readonly ToyItem[]> = fc
  .array(
    fc.oneof(
      fc.record({ kind: fc.constant('user' as const), size: fc.integer({ min: 1, max: 200 }) }),
      fc.record({ kind: fc.constant('say' as const), size: fc.integer({ min: 1, max: 200 }) }),
      fc.record({
        kind: fc.constant('tools' as const),
        sizes: fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 4 }),
        words: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
        images: fc.integer({ min: 0, max: 2 }),
      }),
      fc.record({ kind: fc.constant('system' as const), size: fc.integer({ min: 1, max: 20 }) }),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((steps) => {
    let next = 0
    return steps.flatMap((step): readonly ToyItem[] => {
      if (step.kind === 'user') return [textItem('user', filler(step.size, 'u'))]
      if (step.kind === 'say') return [textItem('assistant', filler(step.size, 'a'))]
      if (step.kind === 'system') return [textItem('system', filler(step.size, 's'))]
      const calls = step.sizes.map((size) => ({ size, id: `c${next++}` }))
      const results = calls.map(
        ({ id, size }): ToyPart => ({ kind: 'tool-result', id, text: filler(size, 'r'), images: step.images }),
      )
      const words: readonly ToyPart[] =
        step.words === undefined ? [] : [{ kind: 'text', text: filler(step.words, 'w') }]
      return [
        {
          role: 'assistant',
          parts: calls.map(({ id }): ToyPart => ({ kind: 'tool-call', id, tool: 'read', text: '{}' })),
        },
        { role: words.length > 0 ? 'user' : 'tool', parts: [...results, ...words] },
      ]
    })
  })

function textItem(role: Role, text: string): ToyItem {
  return { role, parts: [{ kind: 'text', text }] }
}

function filler(size: number, letter: string): string {
  return letter.repeat(size)
}

function violation(rule: string, position: number): Violation {
  return { rule, position, message: rule, fix: 'Keep calls and results together.' }
}

function readToy(item: ToyItem): MessageView {
  const parts = item.parts.map(
    (part): PartView => ({
      kind: part.kind,
      ...(part.id !== undefined && { callId: part.id }),
      ...(part.tool !== undefined && { toolName: part.tool }),
      text: () => part.text,
      media: Array.from({ length: part.images ?? 0 }, () => ({ kind: 'image', bytes: 10 }) as const),
      bytes: () => part.text.length,
      editable: part.kind !== 'reasoning' && part.kind !== 'opaque',
      ...(part.injected !== undefined && { injected: part.injected }),
      ...(part.pinned !== undefined && { pinned: part.pinned }),
    }),
  )
  const checkpoint = item.role === 'user' && item.parts[0]?.text.startsWith(`<${CHECKPOINT_TAG}>`)
  return { role: item.role, parts, ...(checkpoint && { checkpoint }) }
}
