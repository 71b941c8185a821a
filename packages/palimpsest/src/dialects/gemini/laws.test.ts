import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PartEdit, PartView, RenderContext } from '../../engine/messages/message.ts'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { frozen } from './frozen.test-data.ts'
import { gemini } from './index.ts'
import type { GeminiContent } from './items.ts'

const RUNS = { numRuns: 1000 }
/** One run reads up to 60 contents several times. */
const FEWER_RUNS = { numRuns: 300 }
const CONTEXTS: readonly RenderContext[] = [
  { thinkingBinding: 'turn', strictAlternation: false },
  { thinkingBinding: 'prefix', strictAlternation: true },
]

describe('laws of the Gemini dialect', () => {
  test('a valid request passes the check, in both spellings and where roles alternate', () => {
    fc.assert(
      fc.property(arbitraryRequest, (request) => {
        expect(gemini.check(gemini.open(request), { strictAlternation: true })).toEqual([])
      }),
      RUNS,
    )
  })

  test('open and close give the same request, and it is recognised', () => {
    fc.assert(
      fc.property(arbitraryRequest, (request) => {
        expect(gemini.close(request, gemini.open(frozen(request)))).toBe(request)
        expect(gemini.recognises(request)).toBe(1)
      }),
      RUNS,
    )
  })

  test('the view is stable and has one part for each native part, with a size', () => {
    fc.assert(
      fc.property(arbitraryRequest, (request) => {
        const views = frozen(request).contents.map(gemini.view)
        expect(JSON.stringify(request.contents.map(read))).toBe(JSON.stringify(request.contents.map(read)))
        expect(views.map((view) => view.parts.length)).toEqual(request.contents.map((one) => one.parts?.length))
        const bytes = views.flatMap((view) => view.parts.map((part) => part.bytes()))
        expect(bytes).toEqual(request.contents.flatMap((one) => one.parts?.map((part) => utf8(part)) ?? []))
      }),
      FEWER_RUNS,
    )
  })

  test('the view of any JSON is given', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.record({ role: fc.jsonValue(), parts: fc.array(fc.jsonValue()) })),
        (value) => {
          const content = value as GeminiContent
          expect(read(content)).toEqual(read(content))
          expect(gemini.check({ system: [], items: [content, content] }, CONTEXTS[1])).toBeInstanceOf(Array)
          expect(gemini.fingerprint(content)).toBe(gemini.fingerprint(content))
        },
      ),
      RUNS,
    )
  })

  test('an edit changes the named part alone, shares the rest, and mutates nothing', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), fc.nat(), (request, position, number) => {
        const content = frozen(request).contents[position % request.contents.length] as GeminiContent
        const parts = content.parts ?? []
        const at = number % parts.length
        for (const edit of editsOf(content, at)) {
          const edited = gemini.edit(content, [edit])
          const after = edited?.parts ?? []
          const others = edit.kind === 'remove' ? after : after.toSpliced(at, 1)
          expect(others).toHaveLength(parts.length - 1)
          for (const [index, part] of parts.toSpliced(at, 1).entries()) expect(others[index]).toBe(part)
          if (edited) expect(withoutParts(edited)).toEqual(withoutParts(content))
        }
      }),
      RUNS,
    )
  })

  test('a replaced text is what the model reads, under the id and name of the part', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), (request, position) => {
        const content = frozen(request).contents[position % request.contents.length] as GeminiContent
        for (const [part, before] of gemini.view(content).parts.entries()) {
          const text = before.kind === 'tool-call' ? '{"short":true}' : 'short [cut] 短'
          const edited = gemini.edit(content, [{ kind: 'replace-text', part, text }])
          const after = edited && gemini.view(edited).parts[part]
          if (!before.editable || before.kind === 'image' || before.kind === 'document') {
            expect(edited).toBe(content)
            continue
          }
          expect(identity(after)).toEqual(identity(before))
          if (before.kind !== 'tool-result') expect(after?.text()).toBe(text)
          else expect(Object.values(JSON.parse(after?.text() ?? '') as object)).toEqual([text])
        }
      }),
      RUNS,
    )
  })

  test('an untouched list is laid out as the same objects', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.constantFrom(...CONTEXTS), (request, context) => {
        const items = request.contents.map((item, position) => rendered(frozen(item), position))
        const out = gemini.layOut(items, { from: undefined, before: items.length }, context)
        expect(out).toHaveLength(items.length)
        for (const [at, content] of request.contents.entries()) expect(out[at]).toBe(content)
      }),
      RUNS,
    )
  })

  test('a view from any user message on, behind a summary, is valid and alternates', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), fc.constantFrom(...CONTEXTS), (request, seed, context) => {
        const starts = request.contents.flatMap((content, at) => (isUserWords(content) ? [at] : []))
        const start = starts[seed % starts.length] ?? 0
        const kept = request.contents.flatMap((item, at) => (at < start ? [] : [rendered(frozen(item), at)]))
        const summary = { kind: 'summary', insertAfter: start - 1, text: '<compacted_context>' } as const
        const changed = { from: 0, before: request.contents.length }
        const items = gemini.layOut([summary, ...kept], changed, context)
        expect(gemini.check({ system: [], items }, { strictAlternation: true })).toEqual([])
        const first = items[0]?.parts ?? []
        expect(first[0]).toEqual({ text: '<compacted_context>' })
        expect(first.slice(1)).toEqual(request.contents[start]?.parts)
      }),
      RUNS,
    )
  })

  test('fingerprints do not see the order of keys, and see an edit', () => {
    fc.assert(
      fc.property(arbitraryRequest, (request) => {
        for (const content of request.contents) {
          const fingerprint = gemini.fingerprint(content)
          expect(gemini.fingerprint(reversedKeys(content) as GeminiContent)).toBe(fingerprint)
          for (const [part, before] of gemini.view(content).parts.entries()) {
            if (before.kind !== 'text' || !before.editable) continue
            const edited = gemini.edit(content, [{ kind: 'replace-text', part, text: `${before.text()} and more` }])
            expect(edited && gemini.fingerprint(edited)).not.toBe(fingerprint)
          }
        }
      }),
      FEWER_RUNS,
    )
  })
})

function rendered(item: GeminiContent, position: number) {
  return { kind: 'item', position, item, edited: false } as const
}

function read(content: GeminiContent): unknown {
  const view = gemini.view(content)
  return { ...view, parts: view.parts.map((part) => ({ ...part, text: part.text(), bytes: part.bytes() })) }
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

function utf8(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}

function editsOf(content: GeminiContent, part: number): readonly PartEdit[] {
  const view = gemini.view(content).parts[part]
  const text = view?.kind === 'tool-call' ? '{"short":true}' : 'short'
  return [
    { kind: 'remove', part },
    { kind: 'replace-text', part, text },
    { kind: 'replace-result', part, text },
    { kind: 'replace-media', part, media: 'image', text },
    { kind: 'replace-media', part, media: 'document', text },
  ]
}

function withoutParts(content: GeminiContent): object {
  const { parts: _, ...rest } = content
  return rest
}

function isUserWords(content: GeminiContent): boolean {
  return gemini.view(content).role === 'user'
}

function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversedKeys(inner)]),
  )
}
