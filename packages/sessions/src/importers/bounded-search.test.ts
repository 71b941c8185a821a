import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstAbove, lastAtMost } from './bounded-search.ts'

test('finds the first above a bound and the last within it, sorted or not', () => {
  const numbers = [1, 4, 2, 8, 3]
  expect([firstAbove(numbers)(2), firstAbove(numbers)(4), firstAbove(numbers)(8)]).toEqual([1, 3, undefined])
  expect([lastAtMost(numbers)(0), lastAtMost(numbers)(2), lastAtMost(numbers)(9)]).toEqual([undefined, 2, 4])
})

test('law: the same as going through the list', () => {
  const number = fc.oneof(
    fc.integer({ min: -5, max: 5 }),
    fc.constantFrom(1.5, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
  )
  fc.assert(
    fc.property(fc.array(number, { maxLength: 20 }), number, (numbers, bound) => {
      const first = numbers.findIndex((other) => other > bound)
      const last = numbers.findLastIndex((other) => other <= bound)
      expect(firstAbove(numbers)(bound)).toBe(first === -1 ? undefined : first)
      expect(lastAtMost(numbers)(bound)).toBe(last === -1 ? undefined : last)
    }),
    { numRuns: 200 },
  )
})
