import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PalimpsestError } from '../errors.ts'
import {
  type Calibration,
  decodeCalibration,
  forgetViews,
  growthScale,
  observeUsage,
  predictSize,
  UNCALIBRATED,
  wholeScale,
} from './calibration.ts'

/** A conversation whose prefixes are named by their length, and a branch of it from `branch` on. */
function keys(length: number, branch = Number.POSITIVE_INFINITY) {
  return (items: number) => (items > length ? undefined : items > branch ? `branch ${items}` : `main ${items}`)
}

function request(mean: number, items: number, more: { tools?: string; branch?: number } = {}) {
  return { mean, upper: Math.round(mean * 1.04), tools: more.tools ?? 'tools', keyAt: keys(items, more.branch) }
}

function answered(input: number, estimate: number, items: number, tools = 'tools') {
  return { input, estimate, tools, view: { items, key: `main ${items}` } }
}

/** After requests that grow by `growth` estimated tokens each, of which `ratio` are measured, on top of `unseen` ones. */
function taught(options: { ratio: number; requests: number; growth?: number; unseen?: number }): Calibration {
  const { ratio, requests, growth = 2_000, unseen = 0 } = options
  return Array.from({ length: requests }, (_, at) => at + 1).reduce(
    (calibration, at) =>
      observeUsage(calibration, answered(Math.round(unseen + ratio * growth * at), growth * at, 2 * at)),
    UNCALIBRATED,
  )
}

describe('the size of a request', () => {
  it('is the upper estimate as long as nothing was measured', () => {
    expect(predictSize(UNCALIBRATED, request(10_000, 5))).toEqual({ tokens: 10_400, basis: 'estimated' })
  })

  it('is the usage of the view that it extends, and κ × what came since', () => {
    const calibration = observeUsage(UNCALIBRATED, answered(50_000, 48_000, 10))
    expect(predictSize(calibration, request(49_000, 12))).toEqual({ tokens: 51_000, basis: 'measured' })
    expect(predictSize(calibration, request(48_000, 10))).toEqual({ tokens: 50_000, basis: 'measured' })
  })

  it('takes the longest such view, also after going back', () => {
    const calibration = [
      answered(50_000, 48_000, 10),
      answered(60_000, 58_000, 14),
      answered(70_000, 68_000, 18),
    ].reduce(observeUsage, UNCALIBRATED)
    expect(predictSize(calibration, request(68_500, 20)).tokens).toBe(70_500)
    // a branch behind position 14
    expect(predictSize(calibration, request(59_000, 20, { branch: 16 })).tokens).toBe(61_000)
  })

  it('learns how estimates grow, and goes by it for what came since', () => {
    const calibration = taught({ ratio: 1.35, requests: 8, growth: 5_000, unseen: 0 })
    expect(growthScale(calibration)).toBeCloseTo(1.35, 5)
    expect(predictSize(calibration, request(50_000, 17)).tokens).toBe(Math.round(1.35 * 50_000))
  })

  it('small steps are pooled: framing and rounding do not teach', () => {
    const calibration = taught({ ratio: 3, requests: 8, growth: 60 })
    expect(calibration.slopes).toEqual([1])
  })

  it('scales all of it where no sent view is a prefix: by the ratio of whole requests', () => {
    const calibration = taught({ ratio: 1.25, requests: 6 })
    const size = predictSize(calibration, request(20_000, 30, { branch: 0 }))
    expect(size).toEqual({ tokens: 25_000, basis: 'estimated' })
  })
})

describe('law 9', () => {
  it('the ratio is the median of the last five', () => {
    const samples = [2_000, 2_200, 2_400, 2_600, 2_800, 9_000, 3_000].map((input, at) =>
      answered(input, 2_000 + at, 2 * at),
    )
    const calibration = samples.reduce(observeUsage, UNCALIBRATED)
    expect(calibration.ratios).toHaveLength(5)
    expect(wholeScale(calibration)).toBeCloseTo(1.4, 2)
  })

  it('both ratios stay within [0.7, 1.6]', () => {
    expect(wholeScale(taught({ ratio: 0.5, requests: 12 }))).toBe(0.7)
    expect(growthScale(taught({ ratio: 0.5, requests: 12 }))).toBe(0.7)
    expect(wholeScale(taught({ ratio: 2.2, requests: 12 }))).toBe(1.6)
    expect(growthScale(taught({ ratio: 2.2, requests: 12 }))).toBe(1.6)
  })

  it('BB 5 usage from before the newest compaction is no base', () => {
    const calibration = observeUsage(UNCALIBRATED, answered(150_000, 148_000, 40))
    const size = predictSize(forgetViews(calibration), request(30_000, 40))
    expect(size.basis).toBe('estimated')
    expect(size.tokens).toBeLessThan(33_000)
  })

  it('A1 other tools reset the base, and what was learned stays an assumption', () => {
    const calibration = taught({ ratio: 1.3, requests: 8 })
    const bigger = request(40_000, 17, { tools: 'more tools' })
    expect(predictSize(calibration, bigger)).toEqual({ tokens: 52_000, basis: 'estimated' })
    const other = observeUsage(calibration, answered(48_000, 40_000, 17, 'more tools'))
    expect(other.sent).toHaveLength(1)
    expect(wholeScale(other)).toBeCloseTo(1.25, 5)
    expect(predictSize(other, bigger)).toEqual({ tokens: 48_000, basis: 'measured' })
  })

  it('usage after an edit by the provider teaches nothing', () => {
    const before = taught({ ratio: 1, requests: 3 })
    expect(observeUsage(before, { ...answered(3_000, 30_000, 9), serverEdited: true })).toBe(before)
  })
})

describe('one bad sample cannot disarm or inflate', () => {
  const TRIGGER = 90_000

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1.5, 5, 1e15])(
    'TC-21 a usage of %d leaves the size an estimate',
    (input) => {
      const first = observeUsage(UNCALIBRATED, answered(input, 115_000, 40))
      const large = predictSize(first, request(120_000, 42))
      expect(large.basis).toBe('estimated')
      expect(large.tokens).toBeGreaterThanOrEqual(TRIGGER)
      expect(large.tokens).toBeLessThan(150_000)
      expect(predictSize(first, request(3_000, 42, { branch: 0 })).tokens).toBeLessThan(TRIGGER)
    },
  )

  it('TC-21 nor in the middle of a session, though all good ones were near', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.8, max: 1.45, noNaN: true }),
        fc.integer({ min: 3, max: 12 }),
        fc.oneof(fc.integer({ min: -10, max: 100_000_000 }), fc.double()),
        (ratio, requests, input) => {
          const good = taught({ ratio, requests, growth: 8_000 })
          const estimate = 8_000 * (requests + 1)
          const bad = observeUsage(good, answered(input, estimate, 2 * requests + 2))
          const next = estimate + 1_000
          const size = predictSize(bad, request(next, 2 * requests + 4)).tokens
          const truth = ratio * next
          // As a base only what could be true is taken.
          expect(size).toBeGreaterThan(0.55 * truth)
          expect(size).toBeLessThan(1.9 * truth + 40_000)
          expect(wholeScale(bad) / wholeScale(good)).toBeGreaterThan(0.85)
          expect(wholeScale(bad) / wholeScale(good)).toBeLessThan(1.2)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('a usage far from what was expected is a base once the next one grows with it', () => {
    // 20 pictures that the estimate takes for larger than they are
    const first = observeUsage(UNCALIBRATED, answered(12_000, 40_000, 10))
    expect(predictSize(first, request(41_000, 12)).basis).toBe('estimated')
    const second = observeUsage(first, answered(13_000, 41_000, 12))
    expect(predictSize(second, request(42_000, 14))).toEqual({ tokens: 14_000, basis: 'measured' })
  })

  it('system and tools that the estimate does not see are no reason for distrust', () => {
    const calibration = observeUsage(UNCALIBRATED, answered(21_000, 1_200, 1))
    expect(predictSize(calibration, request(2_200, 3))).toEqual({ tokens: 22_000, basis: 'measured' })
  })

  it('TC-20 what the cache served counts: a usage of 305,003 is the size', () => {
    const calibration = observeUsage(UNCALIBRATED, answered(305_003, 300_000, 80))
    expect(predictSize(calibration, request(300_000, 80))).toEqual({ tokens: 305_003, basis: 'measured' })
  })
})

describe('the calibration as JSON', () => {
  it('comes back as it was', () => {
    for (const calibration of [
      UNCALIBRATED,
      taught({ ratio: 1.1, requests: 9 }),
      forgetViews(taught({ ratio: 1, requests: 2 })),
    ]) {
      expect(decodeCalibration(JSON.parse(JSON.stringify(calibration)))).toEqual(calibration)
    }
  })

  it('never keeps more than the last few views and ratios', () => {
    const long = taught({ ratio: 1, requests: 200 })
    expect([long.ratios.length, long.slopes.length, long.sent.length]).toEqual([5, 5, 16])
  })

  it.each([
    [null, /the value/],
    [{ ...UNCALIBRATED, ratios: [] }, /ratios/],
    [{ ...UNCALIBRATED, ratios: ['1'] }, /ratios/],
    [{ ...UNCALIBRATED, slopes: [1, 1, 1, 1, 1, 1] }, /slopes/],
    [{ ...UNCALIBRATED, seen: 1 }, /seen/],
    [{ ...UNCALIBRATED, sent: [{ items: 1, key: 2, input: 3, estimate: 4 }] }, /sent\.0\.key/],
    [{ ...UNCALIBRATED, sent: [{ items: 1, key: 'a', input: -3, estimate: 4 }] }, /sent\.0\.input/],
    [{ ...UNCALIBRATED, last: { input: 3 } }, /last\.estimate/],
  ])('%j is refused', (json, message) => {
    expect(() => decodeCalibration(json)).toThrow(PalimpsestError)
    expect(() => decodeCalibration(json)).toThrow(message)
  })
})
