import type { FeatureName, Weight } from './feature-weights.ts'
import { COMMON_PUNCTUATION_PAIRS, LETTER_PAIR_LEVELS } from './letter-pairs.ts'

/** How often each feature occurs in a text. Two features carry lengths of single runs, since each is rounded by itself. */
export interface CountedFeatures {
  readonly counts: ReadonlyMap<FeatureName, number>
  /** Per punctuation run with more than eight equal neighbours: how many more. */
  readonly furtherEquals: readonly number[]
  /** Per digit run: its length. */
  readonly digitRuns: readonly number[]
}

/** Sums the features of a text as the estimator must, in 1/1024 token. */
export function weigh({ counts, furtherEquals, digitRuns }: CountedFeatures, weight: Weight): number {
  let units = 0
  for (const [feature, count] of counts) {
    if (!['p_same8', 'd_run', 'd_ch', 'd_c3'].includes(feature)) units += count * weight(feature)
  }
  for (const further of furtherEquals) units += Math.round((further * weight('p_same8')) / 8)
  const further = Math.round(weight('d_ch') + weight('d_c3') / 3)
  for (const length of digitRuns) {
    const counted = Math.min(length, 63)
    units += weight('d_run') + counted * weight('d_ch') + Math.ceil(counted / 3) * weight('d_c3')
    units += (length - counted) * further
  }
  return units
}

const WORD = /[A-Z]*(?:[a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u024F\u1E00-\u1EFF]|[\u0300-\u036F])*/y
const DIACRITIC = /[\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u024F\u1E00-\u1EFF]|[\u0300-\u036F]/
const PUNCTUATION = /[!-/:-@[-`{-~]+/y
/** The classes without rules of their own: characters, the feature of a character, of a run, and whether repeats are `same`. */
const PLAIN: readonly (readonly [RegExp, FeatureName, FeatureName | undefined, boolean])[] = [
  [/[\uDC00-\uDFFF]+/y, 'astral', undefined, false],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are a class
  [/[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]+/y, 'ctl', undefined, true],
  [/[\u0370-\u03FF\u1F00-\u1FFF]+/y, 'greek', undefined, false],
  [/[\u0400-\u052F]+/y, 'cyr', 'cyr_w', false],
  [/[\u0590-\u05FF]+/y, 'heb', 'heb_w', false],
  [/[\u0600-\u08FF]+/y, 'arab', 'arab_w', false],
  [/[\u0900-\u097F]+/y, 'deva', 'deva_w', false],
  [/[\u0980-\u0DFF]+/y, 'indic', 'indic_w', false],
  [/[\u0E00-\u0E7F]+/y, 'thai', 'thai_w', false],
  [/[\u0E80-\u0EFF]+/y, 'lao', undefined, false],
  [/[\u1780-\u17FF]+/y, 'khmer', undefined, false],
  [/[\u1000-\u109F]+/y, 'myan', undefined, false],
  [/[\u1200-\u139F]+/y, 'ethi', undefined, false],
  [/[\u0530-\u058F\u10A0-\u10FF]+/y, 'geo', 'geo_w', false],
  [/[\u1100-\u11FF\u3130-\u318F\uAC00-\uD7FF]+/y, 'hangul', undefined, true],
  [/[\u3040-\u312F]+/y, 'kana', undefined, true],
  [/[\u2E80-\u2FFF\u4E00-\u9FFF\uF900-\uFAFF]+/y, 'han', undefined, true],
  [/[\u3000-\u303F\uFE10-\uFE4F\uFF00-\uFFEF]+/y, 'cjkp', undefined, true],
  [/[\u2500-\u259F]+/y, 'box', undefined, true],
  [/[\u00A0-\u00BF\u00D7\u00F7\u2070-\u24FF\u25A0-\u2BFF\u3190-\u33FF]+/y, 'sym', undefined, true],
  [/[\u2000-\u200B\u2010-\u206F]+/y, 'gpun', undefined, true],
  [/(?:[\u200C-\u200F]|[\uFE00-\uFE0F])+/y, 'join', undefined, false],
  [
    /[\u0250-\u02FF\u0F00-\u0FFF\u13A0-\u177F\u1800-\u1DFF\u2C00-\u2E7F\u3400-\u4DFF\uA000-\uABFF\uE000-\uF8FF\uFB00-\uFDFF\uFE50-\uFEFF\uFFF0-\uFFFF]+/y,
    'othl',
    undefined,
    true,
  ],
]

/**
 * The features of a text, counted as the model is written: run by run, with regular expressions. It shares nothing with the
 * estimator but the pair tables, and is there to check it.
 */
export function countFeatures(text: string): CountedFeatures {
  return new Counter(text).count()
}

class Counter {
  readonly #text: string
  readonly #counts = new Map<FeatureName, number>()
  readonly #furtherEquals: number[] = []
  readonly #digitRuns: number[] = []
  #at = 0
  #before: 'glued' | 'space' | 'spaces' | 'punct' = 'glued'
  #afterPunctuation = false
  #lineStart = true
  #foreign = 0

  constructor(text: string) {
    this.#text = text
  }

  count(): CountedFeatures {
    while (this.#at < this.#text.length) this.#run()
    return { counts: this.#counts, furtherEquals: this.#furtherEquals, digitRuns: this.#digitRuns }
  }

  #run(): void {
    const before = { before: this.#before, afterPunctuation: this.#afterPunctuation, lineStart: this.#lineStart }
    this.#before = 'glued'
    this.#afterPunctuation = false
    this.#lineStart = false
    const spaced = before.before === 'space' || before.before === 'spaces'
    const rules: readonly (readonly [RegExp, (run: string) => void])[] = [
      [WORD, (run) => this.#word(run, before.before)],
      [/ +/y, (run) => this.#spaces(run.length, before)],
      [PUNCTUATION, (run) => this.#punctuation(run, spaced)],
      [/[0-9]+/y, (run) => this.#digits(run.length, spaced)],
      [/[\r\n]+/y, (run) => this.#newlines(run.length, before.afterPunctuation)],
      [/\t+/y, (run) => this.#tabs(run.length)],
      [/[\uD800-\uDBFF][\s\S]?/y, () => this.#add('astral', 1)],
    ]
    for (const [pattern, rule] of rules) {
      const run = this.#take(pattern)
      if (run === '') continue
      rule(run)
      return
    }
    this.#plain()
  }

  /** The match of a sticky expression at this place, which becomes the past. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const run = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += run.length
    return run
  }

  #peek(pattern: RegExp): boolean {
    return pattern.test(this.#text.charAt(this.#at))
  }

  #add(feature: FeatureName, count: number): void {
    if (count !== 0) this.#counts.set(feature, (this.#counts.get(feature) ?? 0) + count)
  }

  #word(word: string, before: 'glued' | 'space' | 'spaces' | 'punct'): void {
    this.#add(before === 'punct' ? 'w_p1' : before === 'glued' ? 'w_gl' : 'w_sp', 1)
    this.#add('s1_w', before === 'space' ? 1 : 0)
    const capitals = /^[A-Z]*/.exec(word)?.[0].length ?? 0
    this.#add('w_title', capitals === 1 ? 1 : 0)
    this.#add('w_mixed', capitals >= 2 && capitals < word.length ? 1 : 0)
    this.#add('u_ch', capitals >= 2 && capitals === word.length ? word.length - 2 : 0)
    const marks = word.match(/[\u0300-\u036F]/g)?.length ?? 0
    const diacritics = [...word].filter((letter) => DIACRITIC.test(letter)).length
    this.#add('mark', marks)
    this.#add('latx', diacritics - marks)
    if (diacritics > 0) {
      this.#add('w_dia', 1)
      this.#foreign = 8
    } else if (this.#foreign > 0) {
      this.#foreign--
      this.#add('w_for', 1)
      this.#add('l_for', Math.max(0, word.length - 3))
    }
    this.#add('l5', Math.max(0, word.length - 4))
    this.#add('l8', Math.max(0, word.length - 7))
    for (let at = 1; at < word.length; at++) {
      const pair = word.slice(at - 1, at + 1).toLowerCase()
      if (/^[a-z]{2}$/.test(pair)) this.#letterPair(pair)
    }
  }

  #letterPair(pair: string): void {
    const index = 26 * (pair.charCodeAt(0) - 97) + pair.charCodeAt(1) - 97
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const value = alphabet.indexOf(LETTER_PAIR_LEVELS.charAt(Math.floor(index / 3)))
    const level = Math.floor(value / 4 ** (index % 3)) % 4
    if (level > 0) this.#add(`r${level}` as FeatureName, 1)
  }

  #spaces(length: number, was: { readonly afterPunctuation: boolean; readonly lineStart: boolean }): void {
    this.#afterPunctuation = was.afterPunctuation
    this.#before = length === 1 ? 'space' : 'spaces'
    if (length > 1) {
      this.#add(was.lineStart ? 'in_run' : 'si_run', 1)
      this.#add('s_16', Math.floor(length / 16))
    } else if (!this.#peek(/[A-Za-z!-/:-@[-`{-~0-9]/) && !this.#peek(DIACRITIC)) this.#add('s1_o', 1)
  }

  #punctuation(run: string, spaced: boolean): void {
    this.#afterPunctuation = true
    this.#add('p_sp', spaced ? 1 : 0)
    if (run.length === 1) {
      const beforeWord = !spaced && (this.#peek(/[A-Za-z]/) || this.#peek(DIACRITIC))
      this.#add(beforeWord ? 'p1_word' : 'p1', 1)
      if (beforeWord) this.#before = 'punct'
      return
    }
    this.#add('p_run', 1)
    let equal = 0
    for (let at = 1; at < run.length; at++) {
      const pair = run.slice(at - 1, at + 1)
      if (pair[0] === pair[1]) equal++
      else this.#add(COMMON_PAIRS.has(pair) ? 'p_common' : 'p_pair', 1)
    }
    this.#add('p_same', Math.min(equal, 8))
    this.#add('p_same8', Math.max(0, equal - 8) / 8)
    if (equal > 8) this.#furtherEquals.push(equal - 8)
  }

  #digits(length: number, spaced: boolean): void {
    this.#add('d_run', 1)
    this.#add('d_ch', length)
    this.#add('d_c3', Math.ceil(length / 3))
    this.#add('d_sp', spaced ? 1 : 0)
    this.#digitRuns.push(length)
  }

  #newlines(length: number, afterPunctuation: boolean): void {
    this.#lineStart = true
    this.#add(afterPunctuation ? 'n_p' : 'n_o', 1)
    this.#add('n_multi', length >= 2 ? 1 : 0)
    if (length < 3) return
    this.#add('n_ch', Math.min(length - 2, 6))
    this.#add('s_16', Math.floor(length / 16))
  }

  #tabs(length: number): void {
    this.#add('t_run', 1)
    this.#add('t_ch', Math.min(length - 1, 12))
    this.#add('s_16', Math.floor(length / 16))
  }

  #plain(): void {
    for (const [pattern, character, perRun, repeats] of PLAIN) {
      const run = this.#take(pattern)
      if (run === '') continue
      const same = repeats ? run.split('').filter((unit, at) => at > 0 && unit === run.charAt(at - 1)).length : 0
      this.#add(character, run.length - same)
      this.#add('same', same)
      if (perRun !== undefined) this.#add(perRun, 1)
      return
    }
    throw new Error(`no class for code unit ${this.#text.charCodeAt(this.#at)}`)
  }
}

const COMMON_PAIRS = new Set(
  Array.from({ length: COMMON_PUNCTUATION_PAIRS.length / 2 }, (_, pair) =>
    COMMON_PUNCTUATION_PAIRS.slice(2 * pair, 2 * pair + 2),
  ),
)
