import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergePlans } from './merge-plans.ts'
import { arbitraryPlan } from './plan.test-data.ts'
import { type Plan, planExtent } from './plan.ts'
import { applyPlan, wholeView } from './view.ts'

const LENGTH = 12
const plan = arbitraryPlan(LENGTH)
const RUNS = { numRuns: 2000 }

describe('mergePlans', () => {
  it('is the same as applying one plan after the other', () => {
    fc.assert(
      fc.property(plan, plan, (a, b) => {
        const inTurn = applyPlan(b, applyPlan(a, wholeView(LENGTH)))
        expect(applyPlan(mergePlans(a, b), wholeView(LENGTH))).toEqual(inTurn)
      }),
      RUNS,
    )
  })

  it('is the same as applying three plans in turn', () => {
    fc.assert(
      fc.property(plan, plan, plan, (a, b, c) => {
        const inTurn = [a, b, c].reduce((view, one) => applyPlan(one, view), wholeView(LENGTH))
        expect(applyPlan(mergePlans(a, b, c), wholeView(LENGTH))).toEqual(inTurn)
      }),
      RUNS,
    )
  })

  it('is associative, and the empty plan is neutral', () => {
    fc.assert(
      fc.property(plan, plan, plan, (a, b, c) => {
        expect(mergePlans(mergePlans(a, b), c)).toEqual(mergePlans(a, mergePlans(b, c)))
        expect(mergePlans({}, a)).toEqual(mergePlans(a))
        expect(mergePlans(a, {})).toEqual(mergePlans(a))
      }),
      RUNS,
    )
  })

  it('joins overlapping and touching ranges and keeps gaps', () => {
    const merged = mergePlans(
      { drop: [{ from: 0, to: 3 }] },
      {
        drop: [
          { from: 3, to: 5 },
          { from: 7, to: 8 },
        ],
      },
    )
    expect(merged.drop).toEqual([
      { from: 0, to: 5 },
      { from: 7, to: 8 },
    ])
  })

  it('takes an earlier summary away only when a later drop holds its site', () => {
    const earlier: Plan = { drop: [{ from: 0, to: 4 }], summaries: [{ insert_after: 3, content: 'first' }] }
    const beside: Plan = { drop: [{ from: 4, to: 6 }], summaries: [{ insert_after: 5, content: 'second' }] }
    const over: Plan = { drop: [{ from: 0, to: 6 }], summaries: [{ insert_after: 5, content: 'second' }] }
    expect(mergePlans(earlier, beside).summaries?.map((one) => one.content)).toEqual(['first', 'second'])
    expect(mergePlans(earlier, over).summaries?.map((one) => one.content)).toEqual(['second'])
  })

  it('lets drop beat removal beat offload beat the smallest truncation of one part', () => {
    const at = { message_index: 2, part: 0 }
    const long: Plan = { truncations: [{ ...at, kept_head: 50, kept_tail: 50, of: 900 }] }
    const short: Plan = { truncations: [{ ...at, kept_head: 10, kept_tail: 20, of: 900 }] }
    const stored: Plan = { offloads: [{ ...at, artifact_key: 'k', threshold: 1 }] }
    const removed: Plan = { removals: [at] }
    const dropped: Plan = { drop: [{ from: 2, to: 3 }] }
    expect(mergePlans(short, long)).toEqual(short)
    expect(mergePlans(long, short)).toEqual(short)
    expect(mergePlans(stored, short)).toEqual(stored)
    expect(mergePlans(removed, stored, long)).toEqual(removed)
    expect(mergePlans(removed, dropped, stored)).toEqual(dropped)
  })
})

describe('applyPlan', () => {
  it('refuses a plan that speaks of positions behind the end', () => {
    fc.assert(
      fc.property(plan, fc.integer({ min: 0, max: LENGTH }), (one, length) => {
        const apply = () => applyPlan(one, wholeView(length))
        if (planExtent(one) > length) expect(apply).toThrow(/the transcript has/)
        else expect(apply).not.toThrow()
      }),
      RUNS,
    )
  })

  it('puts a summary where the dropped range stood', () => {
    const view = applyPlan({ drop: [{ from: 1, to: 3 }], summaries: [{ insert_after: 1, content: 's' }] }, wholeView(4))
    expect(view.entries.map((entry) => (entry.kind === 'item' ? entry.position : entry.content))).toEqual([0, 's', 3])
  })

  it('shows everything or nothing of the transcript, each position once and in order', () => {
    fc.assert(
      fc.property(plan, (one) => {
        const { entries } = applyPlan(one, wholeView(LENGTH))
        const positions = entries.flatMap((entry) => (entry.kind === 'item' ? [entry.position] : []))
        const gone = (one.drop ?? []).flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i))
        expect([...new Set([...positions, ...gone])].sort((a, b) => a - b)).toEqual(
          Array.from({ length: LENGTH }, (_, i) => i),
        )
        expect(positions).toEqual([...positions].sort((a, b) => a - b))
        expect(positions.some((position) => gone.includes(position))).toBe(false)
      }),
      RUNS,
    )
  })
})
