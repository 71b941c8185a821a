import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nearestNames } from './nearest-names.ts'

it.each([
  ['compress', ['compact', 'count', 'config'], []],
  ['compct', ['compact', 'count', 'config'], ['compact']],
  ['sesions', ['sessions', 'run'], ['sessions']],
  ['2026', ['20261130-aa', 'x'], ['20261130-aa']],
])('the names nearest to %s', (word, names, expected) => {
  expect(nearestNames(word, names)).toEqual(expected)
})

it('one slip is always forgiven, and a name is nearest to itself', () => {
  const name = fc.stringMatching(/^[a-z]{3,20}$/)
  fc.assert(
    fc.property(name, fc.array(name), fc.nat(), (word, others, at) => {
      const place = at % word.length
      const names = [...others.filter((other) => !other.startsWith(word)), word]
      expect(nearestNames(word, names)[0]).toBe(word)
      expect(nearestNames(word.slice(0, place) + word.slice(place + 1), [word])).toEqual([word])
      expect(nearestNames(`${word.slice(0, place)}_${word.slice(place)}`, [word])).toEqual([word])
    }),
  )
})
