import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BudgetInput, contextBudget, loweredOutputCap } from './budget.ts'

const OF_WINDOW = { trigger: { fraction: 0.85, of: 'window' }, targetShare: 0.5 } as const
const OF_EFFECTIVE = { trigger: { fraction: 0.9, of: 'effective' }, targetShare: 0.5 } as const

describe('A6 window, reserve and margin', () => {
  it('the margin is 5 %, at least 4,096, at most a quarter', () => {
    const margin = (window: number) => contextBudget({ window, ...OF_WINDOW }).margin
    expect([1_000_000, 200_000, 131_072, 32_000, 16_384, 8_192, 4_096].map(margin)).toEqual([
      50_000, 10_000, 6_553, 4_096, 4_096, 2_048, 1_024,
    ])
  })

  it('the effective budget leaves room for all that is asked for, the ceiling for what is planned', () => {
    const budget = contextBudget({ window: 200_000, requestedOutput: 64_000, ...OF_WINDOW })
    expect(budget).toMatchObject({ requested: 64_000, reserve: 40_000, effective: 126_000, ceiling: 150_000 })
    expect(contextBudget({ window: 200_000, ...OF_WINDOW })).toMatchObject({ requested: 8_192, effective: 181_808 })
  })

  it('a format without an output cap keeps all of it free', () => {
    const budget = contextBudget({ window: 200_000, requestedOutput: 64_000, hasOutputCap: false, ...OF_WINDOW })
    expect(budget).toMatchObject({ reserve: 64_000, ceiling: 126_000, trigger: 126_000 })
  })
})

describe('A7 trigger and target', () => {
  it('is the share of the window, or what the planned reserve leaves', () => {
    expect(contextBudget({ window: 200_000, ...OF_WINDOW }).trigger).toBe(170_000)
    expect(contextBudget({ window: 200_000, requestedOutput: 64_000, ...OF_WINDOW }).trigger).toBe(150_000)
    expect(contextBudget({ window: 200_000, requestedOutput: 64_000, ownFormula: true, ...OF_WINDOW }).trigger).toBe(
      170_000,
    )
  })

  it('is the share of the effective budget', () => {
    expect(contextBudget({ window: 200_000, ...OF_EFFECTIVE }).trigger).toBe(163_628)
    expect(contextBudget({ window: 200_000, requestedOutput: 64_000, ...OF_EFFECTIVE }).trigger).toBe(113_400)
  })

  it('BB 6 a number above the window is clamped', () => {
    const at = (tokens: number) => contextBudget({ window: 200_000, trigger: { tokens }, targetShare: 0.5 }).trigger
    expect([170_000, 190_000, 1_000_000].map(at)).toEqual([170_000, 181_808, 181_808])
  })

  it('shares are whole numbers: the smallest that is no less', () => {
    const at = (fraction: number, window: number) =>
      contextBudget({
        window,
        requestedOutput: 0,
        trigger: { fraction, of: 'window' },
        targetShare: 0.5,
        ownFormula: true,
      }).trigger
    expect(at(0.07, 100)).toBe(7)
    expect(at(0.29, 100)).toBe(29)
    expect(at(0.81, 1000)).toBe(810)
    expect(at(0.85, 131_072)).toBe(111_412)
  })

  it('CF-02 four messages of 200 tokens in a window of 1,000 reach 0.80 and not 0.81', () => {
    const at = (fraction: number) =>
      contextBudget({
        window: 1000,
        requestedOutput: 0,
        trigger: { fraction, of: 'window' },
        targetShare: 0.5,
        ownFormula: true,
      })
    expect(at(0.8).trigger).toBe(800)
    expect(at(0.81).trigger).toBe(810)
  })
})

describe('TC-24 every window with every output', () => {
  const WINDOWS = [4_096, 8_192, 16_384, 32_768, 131_072, 1_000_000]
  const cells = WINDOWS.flatMap((window) =>
    [undefined, 0, 4_000, 32_000, window].map((requestedOutput) => ({ window, requestedOutput })),
  )

  it.each(cells)(
    'window $window, output $requestedOutput: a quarter at least is usable',
    ({ window, requestedOutput }) => {
      const input: BudgetInput = { window, ...(requestedOutput !== undefined && { requestedOutput }), ...OF_WINDOW }
      for (const budget of [contextBudget(input), contextBudget({ ...input, ...OF_EFFECTIVE })]) {
        expect(budget.effective).toBeGreaterThanOrEqual(window / 4)
        expect(budget.ceiling).toBeGreaterThanOrEqual(budget.effective)
        expect(budget.trigger).toBeGreaterThanOrEqual(Math.floor(0.9 * (window / 4)))
        expect(budget.trigger).toBeLessThanOrEqual(budget.ceiling)
        expect(budget.target).toBeLessThan(budget.trigger)
        expect(budget.target).toBeGreaterThan(0)
      }
    },
  )

  it.each(cells)(
    'window $window, output $requestedOutput: below the trigger, input and output cap fit',
    ({ window, requestedOutput }) => {
      if (requestedOutput === undefined) return
      const budget = contextBudget({ window, requestedOutput, ...OF_WINDOW })
      for (const size of [1, Math.floor(budget.trigger / 2), budget.trigger - 1]) {
        const cap = loweredOutputCap(budget, size, requestedOutput) ?? requestedOutput
        expect(size + cap).toBeLessThanOrEqual(window)
        expect(cap).toBeLessThanOrEqual(requestedOutput)
      }
    },
  )

  it('16k without a stated output leaves half of the window', () => {
    expect(contextBudget({ window: 16_384, ...OF_WINDOW }).trigger).toBe(8_192)
  })

  it('input 99,073 in 131,072 with 32,000 output gets a lower cap', () => {
    const budget = contextBudget({ window: 131_072, requestedOutput: 32_000, ...OF_WINDOW })
    expect(loweredOutputCap(budget, 99_073, 32_000)).toBe(25_446)
    expect(loweredOutputCap(budget, 60_000, 32_000)).toBeUndefined()
  })
})

describe('the lowered output cap', () => {
  const budget = { window: 100_000, margin: 5_000, reserve: 20_000 }

  it('is never below the smaller of what is asked for and 4,096', () => {
    expect(loweredOutputCap(budget, 94_000, 32_000)).toBe(4_096)
    expect(loweredOutputCap(budget, 94_000, 2_000)).toBeUndefined()
  })

  it('is never below the thinking budget and 1,024, nor above what is asked for', () => {
    expect(loweredOutputCap(budget, 90_000, 32_000, 16_000)).toBe(17_024)
    expect(loweredOutputCap(budget, 90_000, 10_000, 16_000)).toBeUndefined()
  })
})

it('divides every window that there could be', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4_000_000 }),
      fc.option(fc.integer({ min: 0, max: 4_000_000 }), { nil: undefined }),
      fc.boolean(),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      fc.constantFrom('window' as const, 'effective' as const),
      (window, requestedOutput, hasOutputCap, fraction, of) => {
        const budget = contextBudget({
          window,
          ...(requestedOutput !== undefined && { requestedOutput }),
          hasOutputCap,
          trigger: { fraction, of },
          targetShare: 0.5,
        })
        expect(Object.values(budget).every((tokens) => Number.isSafeInteger(tokens) && tokens >= 0)).toBe(true)
        expect(budget.trigger).toBeGreaterThan(0)
        expect(budget.trigger).toBeLessThanOrEqual(budget.ceiling)
        expect(budget.ceiling + budget.reserve + budget.margin).toBe(window)
        expect(budget.effective).toBeLessThanOrEqual(budget.ceiling)
      },
    ),
    { numRuns: 1000 },
  )
})
