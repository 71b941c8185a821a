import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutText, wellFormed } from './well-formed.ts'

const marker = (cut: number) => `[… ${cut} …]`
const LONE = /\p{Surrogate}/u

/** Texts of pairs, joined emoji, accents, half pairs and plain letters. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('🧑‍🚀', 'é', 'e\u0301', '漢', '𝔘', '👍🏽', '\ud83d', '\ude80', '\u200d', '\ufe0f'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(''))

describe('wellFormed', () => {
  test('replaces half pairs only', () => {
    expect(wellFormed('a\ud83db\ude80🚀')).toBe('a\ufffdb\ufffd🚀')
    fc.assert(
      fc.property(text, (any) => {
        const formed = wellFormed(any)
        expect(LONE.test(formed)).toBe(false)
        expect(formed).toHaveLength(any.length)
        if (!LONE.test(any)) expect(formed).toBe(any)
        expect(Buffer.from(formed).toString()).toBe(Buffer.from(any).toString())
      }),
      { numRuns: 1000 },
    )
  })
})

describe('cutText', () => {
  test('TC-36 every limit, for letters that a cut could split', () => {
    const long = '🧑‍🚀é漢𝔘'.repeat(40)
    for (let limit = 100; limit <= 116; limit++) {
      const { text: result, cut, head, tail } = cutText(long, { limit, marker })
      expect(result.length).toBeLessThanOrEqual(limit)
      expect(result).toContain(marker(cut))
      expect(result).not.toContain('\ufffd')
      expect(LONE.test(result)).toBe(false)
      expect(JSON.parse(JSON.stringify(result))).toBe(result)
      expect(result).toBe(long.slice(0, head) + marker(cut) + long.slice(long.length - tail))
      // No emoji is taken apart: what is left of the joined ones still has both halves.
      expect(result.match(/\u200d/g)).toEqual(result.match(/🧑‍🚀/g)?.map(() => '\u200d'))
    }
  })

  test('TC-36 a half pair in the input is repaired, whether or not the text is cut', () => {
    expect(cutText('a\ud83db', { limit: 100, marker }).text).toBe('a\ufffdb')
    expect(cutText(`\ud83d${'x'.repeat(200)}\ude80`, { limit: 100, marker }).text).toMatch(
      /^\ufffdx+\[… \d+ …\]x+\ufffd$/,
    )
  })

  test('length, parts and marker, for any text, limit and share', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(text, fc.integer({ min: 12, max: 120 }), share, (any, limit, headShare) => {
        const { text: result, cut, head, tail } = cutText(any, { limit, headShare, marker })
        expect(result.length).toBeLessThanOrEqual(limit)
        expect(LONE.test(result)).toBe(false)
        expect(head + cut + tail).toBe(any.length)
        expect(cut > 0).toBe(any.length > limit)
        const middle = cut > 0 ? marker(cut) : ''
        expect(result).toBe(wellFormed(any.slice(0, head)) + middle + wellFormed(any.slice(any.length - tail)))
        // Valid pairs stay whole: only half pairs of the input are replaced.
        expect(result.split('\ufffd').length).toBeLessThanOrEqual(wellFormed(any).split('\ufffd').length)
      }),
      { numRuns: 1000 },
    )
  })

  test('uses the room that there is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 400 }), fc.integer({ min: 401, max: 5000 }), (limit, length) => {
        const { text: result } = cutText('x'.repeat(length), { limit, marker })
        expect(result.length).toBeGreaterThanOrEqual(limit - 1)
      }),
      { numRuns: 1000 },
    )
  })

  test('the share of the beginning', () => {
    const kept = (headShare: number) => {
      const { head, tail } = cutText('x'.repeat(1000), { limit: 111, headShare, marker: () => '…' })
      return [head, tail]
    }
    expect(kept(0)).toEqual([0, 110])
    expect(kept(0.5)).toEqual([55, 55])
    expect(kept(0.9)).toEqual([99, 11])
    expect(kept(1)).toEqual([110, 0])
  })

  test('a marker longer than the limit is cut itself', () => {
    for (const limit of [0, 1, 2, 4]) {
      const result = cutText('x'.repeat(100), { limit, marker: (cut) => `🚀${cut}` })
      expect(result).toMatchObject({ cut: 100, head: 0, tail: 0 })
      expect(`🚀100`.startsWith(result.text)).toBe(true)
      expect(result.text.length).toBeLessThanOrEqual(limit)
    }
  })

  test('a marker that grows with every digit still fits', () => {
    const growing = (cut: number) => '.'.repeat(Math.ceil(cut / 20))
    const { text: result, cut } = cutText('x'.repeat(1000), { limit: 300, marker: growing })
    expect(result.length).toBeLessThanOrEqual(300)
    expect(result).toContain(growing(cut))
  })

  test('options that make no sense', () => {
    for (const limit of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => cutText('abc', { limit, marker })).toThrow(RangeError)
    }
    for (const headShare of [-0.1, 1.1, Number.NaN]) {
      expect(() => cutText('abc', { limit: 2, headShare, marker })).toThrow(RangeError)
    }
  })

  test('a run of accents without end is cut between code points', () => {
    const { text: result } = cutText(`e${'\u0301'.repeat(500)}${'\u{1e000}'.repeat(500)}`, { limit: 101, marker })
    expect(LONE.test(result)).toBe(false)
    expect(result).not.toContain('\ufffd')
    expect(result.length).toBeGreaterThan(90)
  })
})
