import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Plan } from '../plan/plan.ts'
import { arbitraryToyItems, type ToyItem, toyItems, toyLens } from '../toy-lens.test-data.ts'
import { anchorPlan, type CompactionRecord, findRecord, keptFrom } from './compaction-record.ts'
import { PositionChain } from './position-chain.ts'

const SCOPE = { namespace: 'tenant', dialect: 'toy' }

function anchored(items: readonly ToyItem[]) {
  return {
    chain: new PositionChain(toyLens, items),
    view: (position: number) => toyLens.view(items[position] as ToyItem),
  }
}

function recordFor(items: readonly ToyItem[], plan: Plan): CompactionRecord {
  return {
    ...anchorPlan(plan, SCOPE, anchored(items)),
    length: items.length,
    plan,
    strategy: 'test',
    reason: 'threshold',
    at_turn: 1,
    kept_from: keptFrom(plan, items.length),
    tokens_before: 2,
    tokens_after: 1,
  }
}

const session = toyItems('user 4 | tools read:50 | say 5 | user 6 | tools grep:60 | say 7')
const plan: Plan = { drop: [{ from: 0, to: 4 }], summaries: [{ insert_after: 3, content: 's' }] }
const record = recordFor(session, plan)

function edited(position: number, change: Partial<ToyItem['parts'][number]>): readonly ToyItem[] {
  return session.map((item, index) =>
    index === position ? { ...item, parts: item.parts.map((part) => ({ ...part, ...change })) } : item,
  )
}

describe('findRecord', () => {
  it('applies to the same beginning, however it goes on', () => {
    expect(findRecord([record], SCOPE, anchored([...session, ...toyItems('user 9')]))?.reanchored).toBe(false)
    expect(findRecord([record], SCOPE, anchored(session.slice(0, 4)))?.reanchored).toBe(false)
  })

  it('does not apply to fewer items, another beginning, another tenant or another format', () => {
    expect(findRecord([record], SCOPE, anchored(session.slice(0, 3)))).toBeUndefined()
    expect(findRecord([record], SCOPE, anchored(edited(0, { id: 'other', kind: 'tool-call' })))).toBeUndefined()
    expect(findRecord([record], { ...SCOPE, namespace: 'other' }, anchored(session))).toBeUndefined()
    expect(findRecord([record], { ...SCOPE, dialect: 'other' }, anchored(session))).toBeUndefined()
  })

  it('anchors anew when a dropped result was blanked, and keeps the plan', () => {
    const found = findRecord([record], SCOPE, anchored(edited(2, { text: 'blanked' })))
    expect(found?.reanchored).toBe(true)
    expect(found?.record.plan).toEqual(plan)
    expect(found?.record.key).not.toBe(record.key)
  })

  it('does not anchor anew when call ids, roles or the number of items changed', () => {
    expect(findRecord([record], SCOPE, anchored(edited(2, { id: 'c9' })))).toBeUndefined()
    expect(findRecord([record], SCOPE, anchored([...session.slice(0, 1), ...session.slice(2)]))).toBeUndefined()
  })

  it('prefers the deepest record that applies', () => {
    const deeper = recordFor(session, { drop: [{ from: 0, to: 7 }], summaries: [{ insert_after: 6, content: 't' }] })
    expect(findRecord([record, deeper], SCOPE, anchored(session))?.record.plan).toEqual(deeper.plan)
    const rewound = anchored(session.slice(0, 5))
    expect(findRecord([record, deeper], SCOPE, rewound)?.record.plan).toEqual(plan)
  })
})

describe('PositionChain', () => {
  it('has an entry in common exactly as far as the items are equal', () => {
    fc.assert(
      fc.property(arbitraryToyItems, arbitraryToyItems, fc.nat(40), (a, b, shared) => {
        const common = a.slice(0, shared)
        const left = new PositionChain(toyLens, a)
        const right = new PositionChain(toyLens, [...common, ...b])
        const same = [...common, ...b].findIndex((item, i) => JSON.stringify(item) !== JSON.stringify(a[i]))
        const equal = same < 0 ? Math.min(left.length, right.length) : same
        for (let length = 0; length <= Math.min(left.length, right.length); length++) {
          expect(left.at(length) === right.at(length)).toBe(length <= equal)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
