import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIG_KEY_NAMES } from './config-keys.ts'
import { nearestNames } from './nearest-names.ts'

describe('the names that were meant', () => {
  it.each([
    ['modle', 'model'],
    ['context_trigger_frac', 'contextTriggerFrac'],
    ['TRIGGER_FRAC', 'contextTriggerFrac'],
    ['baseUrl', 'baseUrls'],
    ['max-steps', 'maxSteps'],
    ['summariserModel', 'summarizerModel'],
    ['profiles', 'modelProfiles'],
    ['temperature', undefined],
    ['x', undefined],
    ['', undefined],
    ['__proto__', undefined],
  ])('%s: %s', (typed, meant) => {
    expect(nearestNames(typed, CONFIG_KEY_NAMES)[0]).toBe(meant)
  })

  it.each([
    ['compress', ['compact', 'count', 'config'], []],
    ['compct', ['compact', 'count', 'config'], ['compact']],
    ['sesions', ['sessions', 'run'], ['sessions']],
    ['2026', ['20261130-aa', 'x'], ['20261130-aa']],
    ['co', ['run', 'compact', 'count', 'config', 'corpus'], ['compact', 'count', 'config']],
  ])('%s, of %s', (word, names, expected) => {
    expect(nearestNames(word, names)).toEqual(expected)
  })

  it('one slip is always forgiven, and a name is nearest to itself', () => {
    const name = fc.stringMatching(/^[a-z]{3,20}$/)
    fc.assert(
      fc.property(name, fc.array(name), fc.nat(), (word, others, at) => {
        const place = at % word.length
        expect(nearestNames(word, [...others, word])[0]).toBe(word)
        expect(nearestNames(word.slice(0, place) + word.slice(place + 1), [word])).toEqual([word])
        expect(nearestNames(`${word.slice(0, place)}q${word.slice(place)}`, [word])).toEqual([word])
      }),
    )
  })

  it('takes no time for a text that is no word', () => {
    expect(nearestNames('model'.repeat(100_000), CONFIG_KEY_NAMES)).toEqual([])
  })
})
