import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shownPositions } from './shown-positions.ts'

it('what a plan does not drop is shown, as few ranges', () => {
  const ranges = fc.array(fc.tuple(fc.nat(12), fc.nat(5)).map(([from, count]) => ({ from, to: from + count })))
  fc.assert(
    fc.property(ranges, fc.nat(15), (drop, length) => {
      const expected = Array.from({ length }, (_, at) => at).filter(
        (at) => !drop.some(({ from, to }) => from <= at && at < to),
      )
      const shown = shownPositions({ drop }, length)
      expect(shown.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n))).toEqual(expected)
    }),
  )
  expect(shownPositions({}, 3)).toEqual([{ from: 0, to: 3 }])
  expect(shownPositions({ drop: [{ from: 1, to: 2 }] }, 4)).toEqual([
    { from: 0, to: 1 },
    { from: 2, to: 4 },
  ])
})
