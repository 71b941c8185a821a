import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OpenPlaces } from './open-places.ts'

function openPlaces(places: readonly number[]): OpenPlaces {
  const open = new OpenPlaces()
  for (const place of places) open.add(place)
  return open
}

test('gives the last open place before, else the first one, and each once', () => {
  const open = openPlaces([2, 5, 9])
  expect([open.take(6), open.take(6), open.take(6), open.take(6)]).toEqual([5, 2, 9, undefined])
})

test('gives nothing where no place was added', () => {
  expect(new OpenPlaces().take(3)).toBeUndefined()
})

test('refuses a place that is not behind the others', () => {
  expect(() => openPlaces([3, 3])).toThrow(RangeError)
})

test('law: the same as looking through a list', () => {
  const places = fc.uniqueArray(fc.nat(30), { maxLength: 20 }).map((list) => list.toSorted((a, b) => a - b))
  const asked = fc.array(fc.tuple(fc.constantFrom('take', 'takeBefore', 'takeFirst'), fc.nat(32)), { maxLength: 30 })
  fc.assert(
    fc.property(places, asked, (list, questions) => {
      const open = openPlaces(list)
      const left = [...list]
      for (const [how, at] of questions) {
        const before = how === 'takeFirst' ? undefined : left.findLast((place) => place < at)
        const expected = before ?? (how === 'takeBefore' ? undefined : left[0])
        if (expected !== undefined) left.splice(left.indexOf(expected), 1)
        expect(how === 'takeFirst' ? open.takeFirst() : open[how as 'take' | 'takeBefore'](at)).toBe(expected)
      }
    }),
    { numRuns: 200 },
  )
})
