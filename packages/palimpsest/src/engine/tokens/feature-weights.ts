import { COEFFICIENTS, FEATURES } from './coefficients.ts'

/** A tokenizer family, or `generic` for a model whose tokenizer is not known. */
export type TokenFamily = keyof typeof COEFFICIENTS

/** `mean` is right on average; `upper` reads 2-4 % high, so that fewer texts are under. */
export type EstimateMode = 'mean' | 'upper'

/** What the estimator counts; `counted-features.test-data.ts` tells when. */
export type FeatureName =
  | WordFeature
  | 'd_run'
  | 'd_ch'
  | 'd_c3'
  | 'd_sp'
  | PunctuationFeature
  | SpaceFeature
  | PlainFeature
  | 'same'

type WordFeature =
  | ('w_sp' | 'w_p1' | 'w_gl' | 'w_title' | 'w_mixed' | 'w_dia' | 'w_for')
  | ('l_for' | 'l5' | 'l8' | 'r1' | 'r2' | 'r3' | 'u_ch' | 'latx' | 'mark')
type PunctuationFeature = 'p1_word' | 'p1' | 'p_run' | 'p_pair' | 'p_common' | 'p_same' | 'p_same8' | 'p_sp'
type SpaceFeature =
  | ('s1_w' | 's1_o' | 'si_run' | 'in_run' | 's_16')
  | ('n_p' | 'n_o' | 'n_multi' | 'n_ch' | 't_run' | 't_ch')
type PlainFeature =
  | ('greek' | 'cyr' | 'cyr_w' | 'heb' | 'heb_w' | 'arab' | 'arab_w' | 'deva' | 'deva_w' | 'indic' | 'indic_w')
  | ('thai' | 'thai_w' | 'lao' | 'khmer' | 'myan' | 'ethi' | 'geo' | 'geo_w')
  | ('hangul' | 'kana' | 'han' | 'cjkp' | 'box' | 'sym' | 'gpun' | 'othl' | 'astral' | 'join' | 'ctl')

/** Looks the weight of a feature up, in 1/1024 token. */
export type Weight = (feature: FeatureName) => number

/** All families there are weights for. */
export const TOKEN_FAMILIES = Object.keys(COEFFICIENTS) as readonly TokenFamily[]

/** The weight of each feature, in 1/1024 token. Throws `RangeError` for a family there are no weights for. */
export function featureWeights(family: TokenFamily, mode: EstimateMode): Weight {
  const modes = Object.hasOwn(COEFFICIENTS, family) ? COEFFICIENTS[family] : undefined
  if (modes === undefined) throw new RangeError(`no tokenizer family ${String(family)}; known: ${TOKEN_FAMILIES}`)
  const values = modes[mode].split(' ').map(Number)
  const weights = new Map(FEATURES.split(' ').map((name, place) => [name, values[place]]))
  return (feature) => {
    const weight = weights.get(feature)
    if (weight === undefined) throw new TypeError(`no weight for ${feature}`)
    return weight
  }
}
