import { describe, expect, it } from 'vitest'
import { CONFIG_KEY_NAMES } from './config-keys.ts'
import { nearestWord } from './nearest-word.ts'

describe('the key that was meant', () => {
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
    expect(nearestWord(typed, CONFIG_KEY_NAMES)).toBe(meant)
  })

  it('takes no time for a text that is no word', () => {
    expect(nearestWord('model'.repeat(100_000), CONFIG_KEY_NAMES)).toBeUndefined()
  })
})
