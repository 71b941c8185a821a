import { compactionLimits, PRESETS, type Preset } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { folderWith } from './folder-tree.test-data.ts'
import { presetOf, summarizerOf } from './policy-of.ts'

const windowOf = (window: number) => ({ window })

describe('A7 the policy of a configuration', () => {
  it('is ours where nothing is said, and the one that is named', () => {
    expect(presetOf({})).toEqual(PRESETS.palimpsest)
    expect(presetOf({ policy: 'hango' })).toEqual(PRESETS.hango)
    expect(() => presetOf({ policy: 'none' })).toThrow(/There is no policy "none"/)
  })

  it('comes from a file too', async () => {
    const folder = await folderWith({ 'p.json': '{"extends": "hango", "target": 0.4}', 'bad.json': '{"target": 4}' })
    expect(presetOf({ policy: `${folder}/p.json` })).toEqual({ ...PRESETS.hango, name: 'custom', target: 0.4 })
    expect(() => presetOf({ policy: `${folder}/bad.json` })).toThrow(/bad\.json: Not a policy: \/target must be/)
  })

  it.each(Object.keys(PRESETS))(
    'the trigger of %s is that share of the window, as far as reserve and margin allow',
    (policy) => {
      const triggerAt = (contextTriggerFrac: number) =>
        compactionLimits(presetOf({ policy, contextTriggerFrac }), {}, windowOf(100_000)).trigger
      expect(triggerAt(0.5)).toBe(50_000)
      expect(triggerAt(0.07)).toBe(7_000)
      expect(triggerAt(1)).toBe(100_000 - 8_192 - 5_000)
    },
  )

  it('a policy with a formula of its own has none once its trigger is another', async () => {
    const folder = await folderWith({ 'p.json': '{"ownFormula": true, "trigger": {"tokens": 99000}}' })
    const trigger = (more: object) =>
      compactionLimits(presetOf({ policy: `${folder}/p.json`, ...more }), {}, windowOf(100_000)).trigger
    expect(trigger({})).toBe(99_000)
    expect(trigger({ contextTriggerFrac: 0.99 })).toBe(100_000 - 8_192 - 5_000)
  })

  it.each(['palimpsest', 'hango', 'goclaw', 'deepagents'])('%s keeps that share of the window in tokens', (policy) => {
    const keep = (contextKeepFrac: number) =>
      compactionLimits(presetOf({ policy, contextKeepFrac }), {}, windowOf(100_000)).keep
    expect(keep(0.25)).toEqual({ tokens: 25_000 })
    expect(keep(0)).toEqual({ tokens: 0 })
  })

  it('beats the keep window of a rung; keen, by its form, keeps nothing', async () => {
    const rungs = [{ strategy: 'summarizeOlder', keep: { steps: 9 } }, { strategy: 'dropOldestTurns' }]
    const folder = await folderWith({ 'p.json': JSON.stringify({ rungs }) })
    const preset = presetOf({ policy: `${folder}/p.json`, contextKeepFrac: 0.25 })
    expect(preset.rungs).toEqual([{ strategy: 'summarizeOlder' }, { strategy: 'dropOldestTurns' }])
    expect(presetOf({ policy: 'keen', contextKeepFrac: 0.25 })).toEqual(PRESETS.keen)
  })

  it('without a window the numbers of the policy count', () => {
    const limits = compactionLimits(presetOf({ contextTriggerFrac: 0.1, contextKeepFrac: 0.5 }), {}, {})
    expect(limits).toMatchObject({ trigger: 170_000, keep: { messages: 6 } })
  })

  it('bounds old arguments in every rung that cuts them, and leaves the bound of results alone', () => {
    const cuts = ({ rungs }: Preset) => rungs.filter(({ strategy }) => strategy === 'truncateToolPayloads')
    for (const policy of ['palimpsest', 'hango', 'goclaw', 'deepagents']) {
      const before = cuts(presetOf({ policy }))
      expect(before).toHaveLength(1)
      const after = cuts(presetOf({ policy, toolArgMaxTokens: 77 }))
      expect(after).toEqual(before.map((rung) => ({ ...rung, maxArgTokens: 77 })))
    }
    expect(presetOf({ policy: 'keen', toolArgMaxTokens: 77 })).toEqual(PRESETS.keen)
  })

  it('leaves the presets as they are', () => {
    const before = structuredClone(PRESETS)
    presetOf({ contextTriggerFrac: 0.1, contextKeepFrac: 0.1, toolArgMaxTokens: 1 })
    expect(PRESETS).toEqual(before)
  })
})

describe('A5 profiles', () => {
  const modelProfiles = {
    'house-model': { window: 100_000, triggerFrac: 0.4, keepFrac: 0.3, summarizerModel: 'small' },
  }

  it('trigger and keep window of a profile count above what is said of all models', () => {
    const preset = presetOf({ contextTriggerFrac: 0.6, contextKeepFrac: 0.1 })
    const limits = compactionLimits(preset, { model: 'house-model' }, { profiles: modelProfiles })
    expect(limits).toMatchObject({ trigger: 40_000, keep: { tokens: 30_000 } })
  })

  it('C1 the summariser of a profile counts above that of all models', () => {
    const config = { modelProfiles, summarizerModel: 'extractive' }
    expect(summarizerOf(config, { id: 'house-model' })).toBe('small')
    expect(summarizerOf(config, { id: 'other' })).toBe('extractive')
    expect(summarizerOf({}, { id: 'other' })).toBeUndefined()
    expect(summarizerOf({ summarizerModel: 'model' }, { id: 'other' })).toBeUndefined()
  })
})
