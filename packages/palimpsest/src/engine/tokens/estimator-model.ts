import { charClasses, FIRST_PLAIN, PLAIN_CLASSES, PUN } from './char-classes.ts'
import { type EstimateMode, featureWeights, type TokenFamily, type Weight } from './feature-weights.ts'
import { COMMON_PUNCTUATION_PAIRS, LETTER_PAIR_LEVELS } from './letter-pairs.ts'
import { buildScanTable, type ScanTable } from './scan-table.ts'

/** Digit runs from this length on cost a fixed amount for every further digit. */
export const LONG_DIGITS = 63

/** The weights of one family and mode as tables for the scan. All numbers are 1/1024 token. */
export interface EstimatorModel {
  readonly family: TokenFamily
  readonly mode: EstimateMode
  readonly table: ScanTable
  /** Class of every code unit. */
  readonly classes: Uint8Array
  /** Cost of two adjacent ASCII characters of one word or punctuation run, at `first << 7 | second`. */
  readonly pairs: Uint16Array
  /** Cost of a digit run by its length, up to `LONG_DIGITS`. */
  readonly digits: Int32Array
  readonly furtherDigit: number
  readonly astral: number
  readonly plain: PlainCosts
  readonly long: LongRunCosts
  readonly diacritics: DiacriticCosts
}

/** Runs of one of the plain classes, by class; `repeated` is the cost of a character equal to the one before it. */
interface PlainCosts {
  readonly perCharacter: Int32Array
  readonly repeated: Int32Array
  readonly perRun: Int32Array
}

/** What runs cost that the scan table cannot count. */
interface LongRunCosts {
  readonly furtherCapital: number
  readonly mixed: number
  /** A further character of a word of eight or more. */
  readonly wordCharacter: number
  readonly per16: number
  readonly same: number
  readonly sameFrom9: number
}

/** What words with diacritics add, and the words near them. */
interface DiacriticCosts {
  readonly word: number
  readonly latx: number
  readonly mark: number
  readonly foreign: number
  readonly foreignCharacter: number
}

const models = new Map<string, EstimatorModel>()

/** The tables of a family and mode. Constant; built at the first call, about 35 kB each. */
export function estimatorModel(family: TokenFamily, mode: EstimateMode = 'mean'): EstimatorModel {
  const key = `${family}/${mode}`
  let model = models.get(key)
  if (model === undefined) {
    model = buildModel(family, mode)
    models.set(key, model)
  }
  return model
}

function buildModel(family: TokenFamily, mode: EstimateMode): EstimatorModel {
  const weight = featureWeights(family, mode)
  return {
    family,
    mode,
    table: buildScanTable(weight),
    classes: charClasses(),
    pairs: pairCosts(weight),
    digits: digitCosts(weight),
    furtherDigit: Math.round(weight('d_ch') + weight('d_c3') / 3),
    astral: weight('astral'),
    plain: plainCosts(weight),
    long: longRunCosts(weight),
    diacritics: diacriticCosts(weight),
  }
}

function pairCosts(weight: Weight): Uint16Array {
  const costs = new Uint16Array(128 * 128)
  const levels = [0, weight('r1'), weight('r2'), weight('r3')]
  for (let pair = 0; pair < 26 * 26; pair++) {
    const cost = levels[pairLevel(pair)] ?? 0
    const first = Math.floor(pair / 26)
    const second = pair % 26
    costs[((0x41 + first) << 7) | (0x41 + second)] = cost
    costs[((0x41 + first) << 7) | (0x61 + second)] = cost
    costs[((0x61 + first) << 7) | (0x61 + second)] = cost
    // A capital behind a small letter begins the next word: no pair.
  }
  const classes = charClasses()
  const marks = Array.from({ length: 128 }, (_, unit) => unit).filter((unit) => classes[unit] === PUN)
  for (const from of marks) {
    for (const to of marks) costs[(from << 7) | to] = weight(from === to ? 'p_same' : 'p_pair')
  }
  for (let at = 0; at < COMMON_PUNCTUATION_PAIRS.length; at += 2) {
    const pair = (COMMON_PUNCTUATION_PAIRS.charCodeAt(at) << 7) | COMMON_PUNCTUATION_PAIRS.charCodeAt(at + 1)
    costs[pair] = weight('p_common')
  }
  return costs
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** How rare a letter pair (26 × first + second, a = 0) is: 0 common to 3 rare. */
export function pairLevel(pair: number): number {
  const packed = BASE64.indexOf(LETTER_PAIR_LEVELS.charAt(Math.floor(pair / 3)))
  return (packed >> (2 * (pair % 3))) & 3
}

function digitCosts(weight: Weight): Int32Array {
  return Int32Array.from(
    { length: LONG_DIGITS + 1 },
    (_, length) => weight('d_run') + length * weight('d_ch') + Math.ceil(length / 3) * weight('d_c3'),
  )
}

function longRunCosts(weight: Weight): LongRunCosts {
  return {
    furtherCapital: weight('u_ch'),
    mixed: weight('w_mixed'),
    wordCharacter: weight('l5') + weight('l8'),
    per16: weight('s_16'),
    same: weight('p_same'),
    sameFrom9: weight('p_same8'),
  }
}

function diacriticCosts(weight: Weight): DiacriticCosts {
  return {
    word: weight('w_dia'),
    latx: weight('latx'),
    mark: weight('mark'),
    foreign: weight('w_for'),
    foreignCharacter: weight('l_for'),
  }
}

function plainCosts(weight: Weight): PlainCosts {
  const perCharacter = new Int32Array(FIRST_PLAIN + PLAIN_CLASSES.length)
  const repeated = new Int32Array(perCharacter.length)
  const perRun = new Int32Array(perCharacter.length)
  PLAIN_CLASSES.forEach((plain, place) => {
    const cost = weight(plain.perCharacter)
    perCharacter[FIRST_PLAIN + place] = cost
    repeated[FIRST_PLAIN + place] = plain.repeats ? weight('same') : cost
    perRun[FIRST_PLAIN + place] = plain.perRun === undefined ? 0 : weight(plain.perRun)
  })
  return { perCharacter, repeated, perRun }
}
