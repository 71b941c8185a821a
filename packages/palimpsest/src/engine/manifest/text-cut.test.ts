import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wellFormed } from '../json/well-formed.ts'
import { cutEnd, cutMiddle, fitTokens, oneLine } from './text-cut.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 300 }).map(wellFormed)

describe('cutting text', () => {
  it('keeps limits and never splits a pair', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 320 }), (text, limit) => {
        for (const cut of [cutEnd(text, limit), cutMiddle(text, limit), oneLine(text, limit)]) {
          expect(cut.length).toBeLessThanOrEqual(limit)
          expect(/\p{Surrogate}/u.test(cut)).toBe(false)
        }
        if (text.length <= limit) expect(cutMiddle(text, limit)).toBe(text)
      }),
      { numRuns: 1_000 },
    )
  })

  it('fits tokens for any estimate', () => {
    const estimates = [(text: string) => text.length, (text: string) => 5 + text.length / 3, () => Number.NaN]
    fc.assert(
      fc.property(
        anyText,
        fc.double({ min: -5, max: 200 }),
        fc.constantFrom(...estimates),
        (text, budget, estimate) => {
          const cut = fitTokens(text, budget, estimate)
          expect(cut === '' || estimate(cut) <= budget).toBe(true)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('makes one plain line of terminal output', () => {
    expect(oneLine('\u001b[31mred\u001b[0m\r\n\tnext\u0000', 40)).toBe('red next')
  })

  it('repairs half pairs only', () => {
    expect(wellFormed('a\ud83db🧑‍🚀\udc00')).toBe('a\ufffdb🧑‍🚀\ufffd')
  })
})
