import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryRequest as aiSdkRequest } from '../dialects/ai-sdk/arbitrary-request.test-data.ts'
import { arbitraryRequest as anthropicRequest } from '../dialects/anthropic-messages/arbitrary-request.test-data.ts'
import { arbitraryRequest as bedrockRequest } from '../dialects/bedrock-converse/arbitrary-request.test-data.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { arbitraryRequest as geminiRequest } from '../dialects/gemini/arbitrary-request.test-data.ts'
import { aiSdk, anthropicMessages, bedrockConverse, gemini, openaiChat, openaiResponses } from '../dialects/index.ts'
import { arbitraryRequest as chatRequest } from '../dialects/openai-chat/arbitrary-request.test-data.ts'
import { arbitraryRequest as responsesRequest } from '../dialects/openai-responses/arbitrary-request.test-data.ts'
import type { PartEdit } from '../engine/messages/message.ts'
import { PRESETS } from '../engine/presets/presets.ts'
import { ofAnyItem } from './compaction-laws.test-data.ts'
import type { Prepared } from './compactor.ts'
import { ContextOverflowError } from './context-overflow-error.ts'
import { createCompactor } from './create-compactor.ts'
import type { CompactorEvent } from './events.ts'
import { refusal } from './live-session.test-data.ts'

/** Most random conversations are legal only in part, and small: some of these runs compact, and more are refused. */
const RUNS = 30

const FORMATS: readonly (readonly [string, Dialect<unknown, object>, fc.Arbitrary<unknown>])[] = [
  ['anthropic-messages', ofAnyItem(anthropicMessages), anthropicRequest],
  ['openai-chat', ofAnyItem(openaiChat), chatRequest],
  ['openai-responses', ofAnyItem(openaiResponses), responsesRequest],
  ['gemini', ofAnyItem(gemini), geminiRequest],
  ['bedrock-converse', ofAnyItem(bedrockConverse), bedrockRequest],
  ['ai-sdk', ofAnyItem(aiSdk), aiSdkRequest],
]

const ALTERNATING = new Set(['gemini', 'bedrock-converse'])

const plots = fc.record({
  preset: fc.constantFrom(...Object.values(PRESETS)),
  repeats: fc.integer({ min: 1, max: 60 }),
  cuts: fc.array(fc.double({ min: 0.4, max: 1, noNaN: true }), { minLength: 2, maxLength: 5 }),
  window: fc.integer({ min: 300, max: 6_000 }),
  thinkingBinding: fc.constantFrom('none' as const, 'turn' as const, 'prefix' as const),
  strictAlternation: fc.boolean(),
})

/** What happened, in all formats together: the random requests of one alone may all be small. */
const seen = { compacted: 0, refused: 0, recovered: 0 }

describe.each(FORMATS)('the live compactor on %s', (_name, dialect, requests) => {
  it('sends legal, stable, idempotent views within the window, or says what is in the way', async () => {
    await fc.assert(
      fc.asyncProperty(requests, plots, async (request, plot) => {
        const events: CompactorEvent[] = []
        const { window, preset, thinkingBinding, strictAlternation } = plot
        const context = { thinkingBinding, strictAlternation }
        const compactor = createCompactor({ dialect, window, preset, ...context, onEvent: (one) => events.push(one) })
        let sent: readonly unknown[] = []
        for (const body of growing(dialect, request, plot)) {
          const outcome = await compactor.prepare(clone(body)).catch(asOverflow)
          if (outcome instanceof ContextOverflowError) {
            seen.refused++
            continue
          }
          seen.compacted += outcome.compacted ? 1 : 0
          expectLegal(dialect, outcome, context)
          const prints = printsOf(dialect, outcome.request)
          if (!outcome.compacted) expect(prints.slice(0, sent.length)).toEqual(sent)
          // where roles alternate, a user message behind another joins it, whatever the system says between the two
          const joins = strictAlternation || ALTERNATING.has(dialect.name) ? lastTurn(dialect, outcome.request) : -1
          sent = prints.map((print, at) => (at === joins ? expect.any(String) : print))
          const again = await compactor.prepare(clone(body))
          expect(again.compacted).toBe(false)
          expect(JSON.stringify(again.request)).toBe(JSON.stringify(outcome.request))
        }
        const last = growing(dialect, request, plot).at(-1)
        const roomy = createCompactor({ dialect, window: 1_000_000, preset, ...context })
        for (const one of last === undefined ? [] : [compactor, roomy]) {
          seen.recovered += await expectShrinking(dialect, one.prepare(clone(last)), context)
        }
        expectEnds(events)
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })
})

it('is put to the test: in all formats together some requests compact, some are refused, some recover', () => {
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(FORMATS.length)
})

/** Bodies that a client could have sent one after the other: what is open at the end leaves something to answer. */
function growing(
  dialect: Dialect<unknown, object>,
  request: unknown,
  {
    cuts,
    repeats,
    thinkingBinding,
    strictAlternation,
  }: {
    cuts: readonly number[]
    repeats: number
    thinkingBinding: 'none' | 'turn' | 'prefix'
    strictAlternation: boolean
  },
): readonly unknown[] {
  const conversation = dialect.open(clone(request))
  if (conversation.historyOnServer === true) return []
  const items = conversation.items.map((item) => longer(dialect, item, repeats))
  const context = { thinkingBinding, strictAlternation }
  const lengths = [...cuts, 1].map((cut) => {
    let end = Math.ceil(cut * items.length)
    while (end > 0 && dialect.check({ ...conversation, items: items.slice(0, end) }, context).length > 0) end--
    return end
  })
  const distinct = [...new Set(lengths)].filter((length) => length > 0).sort((a, b) => a - b)
  return distinct.map((length) => dialect.close(request, { ...conversation, items: items.slice(0, length) }))
}

/** Generated texts are shorter than any summary of them: they are said many times over. */
function longer(dialect: Dialect<unknown, object>, item: object, times: number): object {
  const edits = dialect.view(item).parts.flatMap((part, number): PartEdit[] => {
    if (!part.editable || (part.kind !== 'text' && part.kind !== 'tool-result') || part.injected) return []
    return part.text() === '' ? [] : [{ kind: 'replace-text', part: number, text: part.text().repeat(times) }]
  })
  return edits.length === 0 ? item : (dialect.edit(item, edits) ?? item)
}

function clone(value: unknown): unknown {
  return structuredClone(value)
}

function asOverflow(error: unknown): ContextOverflowError {
  if (error instanceof ContextOverflowError) return error
  throw error
}

function expectLegal(dialect: Dialect<unknown, object>, { request }: Prepared<unknown>, context: object): void {
  expect(dialect.check(dialect.open(request), context)).toEqual([])
}

/** Index of the last item that is a turn of somebody's. */
function lastTurn(dialect: Dialect<unknown, object>, request: unknown): number {
  return dialect.open(request).items.findLastIndex((item) => dialect.view(item).role !== 'system')
}

function printsOf(dialect: Dialect<unknown, object>, request: unknown): readonly string[] {
  return dialect.open(request).items.map((item) => dialect.fingerprint(item))
}

/** Refuses until the ladder ends: every retry is legal and smaller, and there are at most two. Gives how many there were. */
async function expectShrinking(
  dialect: Dialect<unknown, object>,
  first: Promise<Prepared<unknown>>,
  context: object,
): Promise<number> {
  let prepared = await first.catch(asOverflow)
  for (let retries = 0; ; retries++) {
    expect(retries).toBeLessThan(3)
    if (prepared instanceof ContextOverflowError) return retries
    const { tokens } = prepared.size
    const failure = refusal(
      `prompt is too long: ${Math.ceil(tokens * 1.1)} tokens > ${Math.ceil(tokens * 0.9)} maximum`,
    )
    const next: Prepared<unknown> | undefined | ContextOverflowError = await prepared.recover(failure).catch(asOverflow)
    if (next === undefined) throw new Error('An overflow was taken for something else.')
    if (next instanceof ContextOverflowError) return retries
    expectLegal(dialect, next, context)
    expect(next.size.tokens).toBeLessThan(tokens * 1.1)
    expect(JSON.stringify(next.request)).not.toBe(JSON.stringify(prepared.request))
    prepared = next
  }
}

function expectEnds(events: readonly CompactorEvent[]): void {
  const started = events.filter(({ type }) => type === 'compaction-started').map(({ id }) => id)
  const ended = events.filter(({ type }) => /^compaction-(applied|failed|cancelled)$/.test(type)).map(({ id }) => id)
  expect(ended).toEqual(started)
}
