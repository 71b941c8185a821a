import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countFeatures, weigh } from './counted-features.test-data.ts'
import { estimateText, estimateUnits, UNITS_PER_TOKEN } from './estimate-text.ts'
import { estimatorModel, pairLevel } from './estimator-model.ts'
import { anyText } from './estimator-texts.test-data.ts'
import { type EstimateMode, featureWeights, TOKEN_FAMILIES, type TokenFamily } from './feature-weights.ts'

const MODES: readonly EstimateMode[] = ['mean', 'upper']
const anyFamily = fc.constantFrom<TokenFamily>(...TOKEN_FAMILIES)

/** Text, its features, and its cost in 1/1024 token for o200k mean and claude47 upper. */
const EXAMPLES: readonly (readonly [string, string, number, number])[] = [
  ['hello world', 'w_sp w_gl l5×2 r1×2 r2 s1_w', 2139, 3699],
  ['Hello, world!', 'w_sp w_gl w_title l5×2 r1×2 r2 p1×2 s1_w', 3837, 6278],
  ['getHTMLElementById', 'w_gl×4 w_title×2 w_mixed l5×7 l8×4 r1 r2×3', 5056, 11276],
  ['HTTP XY I', 'w_sp×2 w_gl w_title r1×3 r3 u_ch×2 s1_w×2', 3688, 6821],
  ['a  b', 'w_sp w_gl si_run', 2221, 2755],
  ['  indented\n    twice', 'w_sp×2 l5×5 l8 r1 r2 in_run×2 n_o', 4841, 7269],
  ['x = 1;\n', 'w_gl d_run d_ch d_c3 d_sp p1×2 p_sp n_p', 4892, 6125],
  ['; \n\n\n', 'p1 s1_o n_p n_multi n_ch', 1540, 1483],
  ['foo.bar(baz)', 'w_p1×2 w_gl r1×2 r2 p1_word×2 p1', 4627, 7512],
  ["don't", 'w_p1 w_gl r1 p1_word', 2114, 3339],
  ['"key": "value",\n', 'w_p1 w_gl l5 r1×4 p1_word p1 p_run×2 p_common×2 p_sp n_p', 5514, 9082],
  ['=====================', 'p_run p_same×8 p_same8×1.5', 2030, 5480],
  ['a + b', 'w_sp w_gl p1 p_sp s1_w', 2644, 3402],
  ['1234567 42', 'd_run×2 d_ch×9 d_c3×4 d_sp', 5429, 5372],
  ['0'.repeat(70), 'd_run d_ch×70 d_c3×24', 23715, 22362],
  ['\r\n\r\n', 'n_o n_multi n_ch×2', 2267, 1585],
  ['\t\t\tif', 'w_gl r1 t_run t_ch×2', 2210, 2352],
  ['café au lait', 'w_sp×2 w_gl w_dia w_for×2 l_for r1 r2 latx s1_w×2', 3151, 5305],
  ['naïve one two', 'w_sp×2 w_gl w_dia w_for×2 l5 r1 r2 latx s1_w×2', 3144, 5254],
  ['Việt Nam', 'w_sp w_gl w_title×2 w_dia w_for r1 latx s1_w', 1948, 4920],
  ['e\u0301té', 'w_gl w_dia latx mark', 3012, 2155],
  ['日本語のテスト', 'kana×4 han×3', 5647, 7995],
  ['한국어 텍스트', 's1_o hangul×6', 4278, 8874],
  ['Привет мир', 's1_o cyr×9 cyr_w×2', 3255, 4479],
  ['😀😀 ok', 'w_sp r1 s1_w astral×2', 4980, 7364],
  ['────────────', 'box same×11', 2532, 6633],
  ['…', 'gpun', 895, 833],
  [' ', 's1_o', 0, 0],
  ['\ud83d', 'astral', 2044, 3076],
]

describe('examples of the model', () => {
  it.each(EXAMPLES)('%j', (text, features, o200k, claude47) => {
    expect(notation(text)).toEqual(features.split(' ').sort())
    expect(estimateUnits(text, estimatorModel('o200k', 'mean'))).toBe(o200k)
    expect(estimateUnits(text, estimatorModel('claude47', 'upper'))).toBe(claude47)
    expect(estimateText(text, { family: 'o200k' })).toBe(o200k / UNITS_PER_TOKEN)
    expect(estimateText(text, { family: 'claude47', mode: 'upper' })).toBe(claude47 / UNITS_PER_TOKEN)
  })

  it('letter pairs unpack to their levels', () => {
    const level = (pair: string) => pairLevel(26 * (pair.charCodeAt(0) - 97) + pair.charCodeAt(1) - 97)
    expect([level('th'), level('qu'), level('rl'), level('zz')]).toEqual([0, 1, 2, 3])
    const sizes = [0, 0, 0, 0]
    for (let pair = 0; pair < 676; pair++) sizes[pairLevel(pair)] = (sizes[pairLevel(pair)] ?? 0) + 1
    expect(sizes).toEqual([97, 132, 153, 294])
  })

  it('a family without weights is a RangeError', () => {
    expect(() => estimatorModel('toString' as TokenFamily)).toThrow(RangeError)
    expect(TOKEN_FAMILIES).toHaveLength(10)
  })
})

function notation(text: string): readonly string[] {
  return [...countFeatures(text).counts].map(([name, count]) => (count === 1 ? name : `${name}×${count}`)).sort()
}

describe('laws of the estimate', () => {
  it('equals the features counted run by run, for every family and mode', () => {
    fc.assert(
      fc.property(anyText(), anyFamily, fc.constantFrom(...MODES), (text, family, mode) => {
        const counted = weigh(countFeatures(text), featureWeights(family, mode))
        expect(estimateUnits(text, estimatorModel(family, mode))).toBe(counted)
      }),
      { numRuns: 5000 },
    )
  })

  it('is a whole number of units, never negative, and the same every time', () => {
    fc.assert(
      fc.property(anyText(), anyFamily, fc.constantFrom(...MODES), (text, family, mode) => {
        const units = estimateUnits(text, estimatorModel(family, mode))
        expect(Number.isSafeInteger(units)).toBe(true)
        expect(units).toBeGreaterThanOrEqual(0)
        // the same characters in another representation: a joined string instead of a flat one
        const half = text.length >> 1
        expect(estimateUnits(text.slice(0, half) + text.slice(half), estimatorModel(family, mode))).toBe(units)
      }),
      { numRuns: 1000 },
    )
  })

  it('A3 appending text lowers it by less than one token', () => {
    fc.assert(
      fc.property(anyText(12), anyText(3), anyFamily, fc.constantFrom(...MODES), (text, more, family, mode) => {
        const model = estimatorModel(family, mode)
        // Two things that a last word may have cost go when more letters join it, by its length: what a word of capitals
        // costs as such, and what a word near one with diacritics costs until it has some itself.
        const capitals = /[A-Z]*$/.exec(text)?.[0].length ?? 0
        const letters = /[A-Za-z]*$/.exec(text)?.[0].length ?? 0
        const { foreign, foreignCharacter } = model.diacritics
        const joined = Math.max(0, capitals - 2) * model.long.furtherCapital + foreign + letters * foreignCharacter
        const less = UNITS_PER_TOKEN + (letters > 0 && /^\p{L}|^\p{M}/u.test(more) ? joined : 0)
        expect(estimateUnits(text + more, model)).toBeGreaterThan(estimateUnits(text, model) - less)
      }),
      { numRuns: 5000 },
    )
  })

  it('cutting a text in two changes the sum by a few tokens at most', () => {
    fc.assert(
      fc.property(anyText(12), anyText(12), anyFamily, (left, right, family) => {
        const model = estimatorModel(family, 'mean')
        const sum = estimateUnits(left, model) + estimateUnits(right, model)
        // The run at the cut counts as two (newlines pay up to eight times for their length), and up to eight foreign words behind it are not known as such.
        const words = right.match(/[A-Za-z]+/g)?.slice(0, 9) ?? []
        const foreign = words.reduce(
          (units, word) => units + model.diacritics.foreign + word.length * model.diacritics.foreignCharacter,
          0,
        )
        const capitals = /[A-Z]*$/.exec(left)?.[0].length ?? 0
        const slack = 16 * UNITS_PER_TOKEN + foreign + capitals * model.long.furtherCapital
        expect(Math.abs(sum - estimateUnits(left + right, model))).toBeLessThan(slack)
      }),
      { numRuns: 2000 },
    )
  })

  it('code units of every kind cost something in a long run', () => {
    for (const family of TOKEN_FAMILIES) {
      const model = estimatorModel(family, 'mean')
      for (let unit = 0; unit < 0x10000; unit += unit < 0x500 ? 1 : 7) {
        expect(estimateUnits(String.fromCharCode(unit).repeat(64), model), `${family} ${unit}`).toBeGreaterThan(0)
      }
    }
  })

  it('is linear: the same bit again and again adds the same amount each time', () => {
    fc.assert(
      fc.property(anyText(6), anyFamily, (bit, family) => {
        const model = estimatorModel(family, 'mean')
        // A line of its own, so that bits meet in the same way; three foreign words settle before the counting starts.
        const repeated = (times: number) => estimateUnits(`x${bit}\n`.repeat(times), model)
        const step = repeated(41) - repeated(40)
        expect(repeated(400) - repeated(40)).toBe(360 * step)
      }),
      { numRuns: 300 },
    )
  })

  it.each(['a', 'Z', ' ', '-', '\n', '\t', '資', '\0', '─', '7'])(
    'runs of %j grow by the same amount from 480 to 480',
    (unit) => {
      const model = estimatorModel('claude47', 'mean')
      const at = (blocks: number) => estimateUnits(unit.repeat(480 * blocks), model)
      expect(Math.abs(at(400) - at(200) - 200 * (at(3) - at(2)))).toBeLessThanOrEqual(200)
      expect(at(400)).toBeGreaterThan(at(200))
    },
  )
})
