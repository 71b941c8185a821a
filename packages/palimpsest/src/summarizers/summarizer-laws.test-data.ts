import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../deep-freeze.test-data.ts'
import { boundedSummary } from '../engine/ladder/bounded-summary.ts'
import { quarter, slices } from '../engine/manifest/transcript.test-data.ts'
import { Transcript } from '../engine/messages/transcript.ts'
import type { SummaryRequest } from '../engine/plan/draft.ts'
import { UNITS_PER_TOKEN } from '../engine/tokens/ledger.ts'
import { type ToyItem, toyLens, toyMeter } from '../engine/toy-lens.test-data.ts'
import { anyView } from './arbitrary-transcript.test-data.ts'
import type { Summarizer, SummaryInput, SummaryOutcome } from './summarizer.ts'

/** What every summariser promises, whoever writes. `make` gives a fresh one. */
export function summarizerLaws(name: string, make: () => Summarizer): void {
  describe(`${name} keeps the laws of summarisers`, () => {
    it('gives an outcome for any input: a text within its budget and a quarter, or the reasons why there is none', async () => {
      await fc.assert(
        fc.asyncProperty(anyInput, async (input) => {
          const outcome = await make()(input, {})
          if (outcome.status === 'written') {
            expect(outcome.text.trim()).not.toBe('')
            expect(input.estimate(outcome.text)).toBeLessThanOrEqual(input.request.budget * 1.25)
          } else expect(outcome.rejected.length).toBeGreaterThan(0)
        }),
        { numRuns: 100 },
      )
    })

    it('gives the same outcome for the same input, from the same summariser and from a new one', async () => {
      await fc.assert(
        fc.asyncProperty(anyInput, async (input) => {
          const one = make()
          const outcome = await one(input, {})
          expect(await one(input, {})).toEqual(outcome)
          expect(await make()({ ...input, slices: [...input.slices] }, {})).toEqual(outcome)
        }),
        { numRuns: 25 },
      )
    })

    it('rejects with the reason of an aborted signal, and with nothing else', async () => {
      const reason = new Error('the user changed his mind')
      const [input] = fc.sample(anyInput, { numRuns: 1, seed: 7 })
      const outcome = make()(input as SummaryInput, { signal: AbortSignal.abort(reason) })
      await expect(outcome).rejects.toBe(reason)
    })

    it('TC-32 keeps constraints and their correction, in order and in bounds, through five compactions', async () => {
      const transcript = longSession()
      const read = Array.from({ length: transcript.length }, (_, position) => ({
        position,
        view: transcript.view(position),
      }))
      const estimate = (text: string) => toyMeter.text(text) / UNITS_PER_TOKEN
      const summarize = make()
      let previous: readonly string[] = []
      for (const upTo of [300, 450, 600, 750, 900]) {
        const request: SummaryRequest = { ranges: [{ from: 0, to: upTo }], budget: 4_000, previous }
        const outcome = await summarize({ slices: read, request, mode: 'automatic', estimate }, {})
        const text = boundedSummary(textOf(outcome), request, { transcript, current: {} })
        const port = text.indexOf(RULES)
        expect(port).toBeGreaterThanOrEqual(0)
        if (upTo > 361) expect(text.indexOf(CORRECTION)).toBeGreaterThan(port)
        expect(estimate(text)).toBeLessThanOrEqual(request.budget * 1.25)
        previous = [text]
      }
    })
  })
}

const RULES = 'port must stay 8443; never push to main; answer in French'
const CORRECTION = 'use 9443 instead'

function longSession(): Transcript<ToyItem> {
  const turns = Array.from({ length: 300 }, (_, at): readonly ToyItem[] => {
    const words = at === 0 ? RULES : at === 120 ? CORRECTION : `go on with part ${at}`
    const args = JSON.stringify({ file_path: `/repo/src/part${at % 7}.ts`, old_string: 'a', new_string: `part_${at}` })
    return [
      { role: 'user', parts: [{ kind: 'text', text: words }] },
      { role: 'assistant', parts: [{ kind: 'tool-call', text: args, id: `c${at}`, tool: 'Edit' }] },
      { role: 'tool', parts: [{ kind: 'tool-result', text: 'ok', id: `c${at}` }] },
    ]
  })
  return new Transcript<ToyItem>(toyLens, toyMeter, turns.flat())
}

function textOf(outcome: SummaryOutcome): string {
  return outcome.status === 'written' ? outcome.text : ''
}

const anyInput: fc.Arbitrary<SummaryInput> = fc
  .record({
    views: fc.array(anyView(), { maxLength: 20 }),
    from: fc.nat(20),
    length: fc.nat(20),
    budget: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 8_000 })),
    previous: fc.array(fc.constantFrom('We chose sqlite.', "## Goal, in the user's words\nGo", 'z '.repeat(9_000)), {
      maxLength: 2,
    }),
    last: fc.option(fc.nat(20), { nil: undefined }),
    mode: fc.constantFrom('automatic', 'manual'),
    estimate: fc.constantFrom(
      quarter,
      (text: string) => text.length,
      () => Number.NaN,
      () => Number.POSITIVE_INFINITY,
    ),
  })
  .map(({ views, from, length, budget, previous, last, ...rest }) => ({
    slices: deepFreeze(slices(...views)),
    request: deepFreeze({ ranges: [{ from, to: from + length }], budget, previous }),
    ...(last !== undefined && { lastUserMessage: last }),
    ...rest,
  }))
