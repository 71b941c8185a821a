import { describe, expect, it } from 'vitest'
import { decodePreset, presetByName } from './preset-codec.ts'
import { DEFAULT_PRESET, PRESETS } from './presets.ts'

describe('decodePreset', () => {
  it('lays a policy of the user over the one it extends', () => {
    const preset = decodePreset({ extends: 'hango', trigger: { tokens: 5000 }, keep: { steps: 3 } })
    expect(preset).toEqual({ ...PRESETS.hango, name: 'custom', trigger: { tokens: 5000 }, keep: { steps: 3 } })
    expect(decodePreset({})).toEqual({ ...DEFAULT_PRESET, name: 'custom' })
  })

  it('takes every preset that it gives', () => {
    for (const preset of Object.values(PRESETS))
      expect(decodePreset(JSON.parse(JSON.stringify(preset)))).toEqual(preset)
  })

  it.each<[unknown, string]>([
    [[], 'the value'],
    [{ toString: 1 }, '/toString'],
    [{ extends: 'nobody' }, 'no policy "nobody"'],
    [{ trigger: { tokens: 5000, fraction: 'x' } }, '/trigger/fraction'],
    [{ trigger: { fraction: 0.5, of: 'moon' } }, '/trigger/of'],
    [{ trigger: { fraction: 1.5, of: 'window' } }, '/trigger/fraction'],
    [{ target: 0 }, '/target'],
    [{ keep: { messages: 3, steps: -1 } }, '/keep/steps'],
    [{ keep: { messages: -3 } }, '/keep/messages'],
    [{ keep: { fraction: 0.1 } }, '/keep/of'],
    [{ keep: {} }, '/keep'],
    [{ rungs: [] }, '/rungs'],
    [{ rungs: [{ strategy: 'sumarize' }] }, '/rungs/0/strategy'],
    [{ rungs: [{ strategy: 'truncateToolPayloads', media: 'no' }] }, '/rungs/0/media'],
    [{ rungs: [{ strategy: 'truncateToolPayloads', maxArgToken: 1 }] }, '/rungs/0/maxArgToken'],
    [{ rungs: [{ strategy: 'summarizeOlder', focus: 5 }] }, '/rungs/0/focus'],
    [{ rungs: [{ strategy: 'summarizeOlder', keptStartsWith: 7 }] }, '/rungs/0/keptStartsWith'],
    [{ rungs: [{ strategy: 'summarizeOlder', summarizer: 'x' }] }, '/rungs/0/summarizer'],
    [{ rungs: [{ strategy: 'summarizeOlder', budget: { tokens: 0 } }] }, '/rungs/0/budget/tokens'],
    [{ rungs: [{ strategy: 'slidingWindow' }] }, '/rungs/0/keepLast'],
    [{ ownFormula: 'yes' }, '/ownFormula'],
  ])('says where %j is wrong', (json, where) => {
    expect(() => decodePreset(json)).toThrow(where)
  })

  it('names the policies there are', () => {
    expect(() => presetByName('constructor')).toThrow('There is no policy "constructor".')
  })
})
