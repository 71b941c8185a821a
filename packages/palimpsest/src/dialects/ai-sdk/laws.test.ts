import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PartEdit, PartView, RenderContext } from '../../engine/messages/message.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { frozen } from './frozen.test-data.ts'
import { aiSdk } from './index.ts'
import type { AiSdkMessage, AiSdkPart, AiSdkRequest } from './items.ts'

const RUNS = { numRuns: 1000 }
/** One run reads up to 60 messages several times. */
const FEWER_RUNS = { numRuns: 300 }
const CONTEXTS: readonly RenderContext[] = [
  { thinkingBinding: 'turn', strictAlternation: false },
  { thinkingBinding: 'prefix', strictAlternation: true },
]

describe('laws of the AI SDK dialect', () => {
  test('a valid request passes the check', () => {
    fc.assert(
      fc.property(arbitraryRequest, (request) => {
        const opened = aiSdk.open(request)
        expect(aiSdk.check(opened)).toEqual([])
        expect(opened.items.length).toBeGreaterThanOrEqual(1)
        expect(opened.items.length).toBeLessThanOrEqual(60)
      }),
      RUNS,
    )
  })

  test('open and close give the same request, and it is recognised', () => {
    fc.assert(
      fc.property(arbitraryRequest, (request) => {
        expect(aiSdk.close(request, aiSdk.open(frozen(request)))).toBe(request)
        expect(aiSdk.recognises(request)).toBeGreaterThan(0)
      }),
      RUNS,
    )
  })

  test('the view is stable and has one part for each native part', () => {
    fc.assert(
      fc.property(arbitraryRequest, (request) => {
        const items = frozen(itemsOf(request))
        expect(JSON.stringify(items.map(read))).toBe(JSON.stringify(items.map(read)))
        expect(items.map((item) => aiSdk.view(item).parts.length)).toEqual(items.map((item) => item.content.length))
        expect(items.map((item) => aiSdk.view(item).role)).toEqual(items.map((item) => item.role))
        const sizes = items.flatMap((item) => aiSdk.view(item).parts.map((part) => part.bytes()))
        expect(Math.min(...sizes)).toBeGreaterThan(1)
      }),
      FEWER_RUNS,
    )
  })

  test('the view of any value is given', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withTypedArray: true })
    fc.assert(
      fc.property(
        fc.oneof(anything, fc.record({ role: anything, content: fc.oneof(anything, fc.array(anything)) })),
        (value) => {
          const message = value as AiSdkMessage
          expect(JSON.stringify(read(message))).toBe(JSON.stringify(read(message)))
          expect(aiSdk.check({ system: [], items: [message, message] }, CONTEXTS[1])).toBeInstanceOf(Array)
        },
      ),
      RUNS,
    )
  })

  test('an edit changes the named part alone, shares the rest, and mutates nothing', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), fc.nat(), (request, position, number) => {
        const items = frozen(itemsOf(request))
        const message = items[position % items.length] as AiSdkMessage
        const parts = message.content as readonly AiSdkPart[]
        const at = number % parts.length
        for (const edit of editsOf(message, at)) {
          const edited = aiSdk.edit(message, [edit])
          const after = (edited?.content ?? []) as readonly AiSdkPart[]
          const others = edit.kind === 'remove' ? after : after.toSpliced(at, 1)
          const loosened = edit.kind === 'remove' && aiSdk.view(message).parts[at]?.kind === 'reasoning'
          expect(others).toHaveLength(parts.length - 1)
          for (const [index, part] of parts.toSpliced(at, 1).entries()) {
            if (loosened && index >= at) expect(withoutOptions(others[index])).toEqual(withoutOptions(part))
            else expect(others[index]).toBe(part)
          }
          if (edited) expect({ ...edited, content: 0 }).toEqual({ ...message, content: 0 })
        }
      }),
      RUNS,
    )
  })

  test('a replaced text is what the model reads, under the id and name of the part, without an item id', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), (request, position) => {
        const items = frozen(itemsOf(request))
        const message = items[position % items.length] as AiSdkMessage
        for (const [part, before] of aiSdk.view(message).parts.entries()) {
          const text = before.kind === 'tool-call' ? '{"short":true}' : 'short [cut] 短'
          const edited = aiSdk.edit(message, [{ kind: 'replace-text', part, text }])
          if (!before.editable || before.kind === 'image' || before.kind === 'document') {
            expect(edited).toBe(message)
            continue
          }
          const after = edited && aiSdk.view(edited).parts[part]
          expect(identity(after)).toEqual(identity(before))
          expect(after?.text()).toBe(text)
          expect(JSON.stringify(edited?.content[part])).not.toContain('itemId')
        }
      }),
      RUNS,
    )
  })

  test('an untouched list is laid out as the same objects', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.constantFrom(...CONTEXTS), (request, context) => {
        const messages = frozen(itemsOf(request))
        const out = aiSdk.layOut(messages.map(rendered), { from: undefined, before: messages.length }, context)
        expect(out).toHaveLength(messages.length)
        for (const [at, message] of messages.entries()) expect(out[at]).toBe(message)
      }),
      RUNS,
    )
  })

  test('a view from any user message on, behind a summary, is valid', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), fc.constantFrom(...CONTEXTS), (request, seed, context) => {
        const messages = frozen(itemsOf(request))
        const starts = messages.flatMap((message, at) => (message.role === 'user' ? [at] : []))
        const start = starts[seed % starts.length] ?? 0
        const kept = messages.map(rendered).slice(start)
        const summary = { kind: 'summary', insertAfter: start - 1, text: 'S' } as const
        const items = aiSdk.layOut([summary, ...kept], { from: 0, before: messages.length }, context)
        expect(aiSdk.check({ system: [], items })).toEqual([])
        const own = messages[start]?.content as readonly AiSdkPart[]
        const [first, second] = items
        expect(first?.content[0]).toEqual({ type: 'text', text: 'S' })
        if (context.strictAlternation) expect(first?.content.slice(1)).toEqual(own)
        else expect(second).toBe(messages[start])
        if (context.thinkingBinding === 'prefix') {
          expect(items.flatMap((item) => aiSdk.view(item).parts).some((part) => part.kind === 'reasoning')).toBe(false)
        }
      }),
      RUNS,
    )
  })

  test('cache marks change no fingerprint, edits do', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), (request, seed) => {
        const view = aiSdk.open(frozen(request))
        const marked = aiSdk.markCache(view, { system: true, item: seed % view.items.length })
        expect(marked.items.map(aiSdk.fingerprint)).toEqual(view.items.map(aiSdk.fingerprint))
        for (const message of view.items) {
          for (const [part, before] of aiSdk.view(message).parts.entries()) {
            if (before.kind !== 'text' || !before.editable) continue
            const edited = aiSdk.edit(message, [{ kind: 'replace-text', part, text: `${before.text()} and more` }])
            expect(edited && aiSdk.fingerprint(edited)).not.toBe(aiSdk.fingerprint(message))
          }
        }
      }),
      FEWER_RUNS,
    )
  })
})

function itemsOf(request: AiSdkRequest): readonly AiSdkMessage[] {
  return aiSdk.open(request).items
}

function rendered(item: AiSdkMessage, position: number) {
  return { kind: 'item', position, item, edited: false } as const
}

function read(message: AiSdkMessage): unknown {
  const view = aiSdk.view(message)
  return { ...view, parts: view.parts.map((part) => ({ ...part, text: part.text(), bytes: part.bytes() })) }
}

function editsOf(message: AiSdkMessage, part: number): readonly PartEdit[] {
  const text = aiSdk.view(message).parts[part]?.kind === 'tool-call' ? '{"short":true}' : 'short'
  return [
    { kind: 'remove', part },
    { kind: 'replace-text', part, text },
    { kind: 'replace-result', part, text },
    { kind: 'replace-media', part, media: 'image', text },
    { kind: 'replace-media', part, media: 'document', text },
  ]
}

function identity(part: PartView | undefined): unknown {
  return {
    kind: part?.kind,
    callId: part?.callId,
    toolName: part?.toolName,
    isError: part?.isError,
    media: part?.media,
  }
}

function withoutOptions(part: AiSdkPart | undefined): object {
  const { providerOptions: _, ...rest } = part ?? { type: 'none' }
  return rest
}
