import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryToyItems, toyLens, toyTranscript } from '../toy-lens.test-data.ts'
import { arbitraryPlan } from './plan.test-data.ts'
import { renderPlan } from './render.ts'
import { ShownPlan } from './shown-plan.ts'

describe('ShownPlan', () => {
  it('shows what renderPlan shows, however often and however far the transcript has grown', () => {
    const grown = arbitraryToyItems
      .filter((items) => items.length > 0)
      .chain((items) =>
        fc
          .integer({ min: 1, max: items.length })
          .chain((madeAt) => arbitraryPlan(madeAt).map((plan) => ({ items, madeAt, plan }))),
      )
    fc.assert(
      fc.property(grown, ({ items, madeAt, plan }) => {
        const shown = new ShownPlan(plan, madeAt)
        for (const length of [madeAt, items.length, items.length]) {
          const transcript = toyTranscript(items.slice(0, length))
          const expected = renderPlan(toyLens, transcript, plan, { madeAt })
          expect(shown.render(toyLens, transcript, {})).toEqual(expected)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
