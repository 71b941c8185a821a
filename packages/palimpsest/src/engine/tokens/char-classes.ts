import type { FeatureName } from './feature-weights.ts'

/** The classes of ASCII text, which are the columns of the scan table. */
export const LOW = 0
export const UP = 1
export const PUN = 2
export const DIG = 3
export const SP = 4
export const NL = 5
export const TAB = 6
/** The column of the scan table for every class from here on, and for the end of the text. */
export const OTHER = 7
export const LATX = 8
export const MARK = 9
export const HSUR = 10
/** Classes from here on follow the plain rule: a cost per character and one per run. */
export const FIRST_PLAIN = 11

/** A class whose runs cost the same for every character, save that repeats may be cheaper. */
export interface PlainClass {
  readonly ranges: string
  readonly perCharacter: FeatureName
  readonly perRun?: FeatureName
  /** Does a character equal to the one before it cost `same` instead? */
  readonly repeats?: true
}

/** The plain classes; the class number is `FIRST_PLAIN` plus the place in this list. The first takes whatever no range names. */
export const PLAIN_CLASSES: readonly PlainClass[] = [
  { ranges: '', perCharacter: 'othl', repeats: true },
  { ranges: 'DC00-DFFF', perCharacter: 'astral' },
  { ranges: '00-08 0B-0C 0E-1F 7F-9F', perCharacter: 'ctl', repeats: true },
  { ranges: '370-3FF 1F00-1FFF', perCharacter: 'greek' },
  { ranges: '400-52F', perCharacter: 'cyr', perRun: 'cyr_w' },
  { ranges: '590-5FF', perCharacter: 'heb', perRun: 'heb_w' },
  { ranges: '600-8FF', perCharacter: 'arab', perRun: 'arab_w' },
  { ranges: '900-97F', perCharacter: 'deva', perRun: 'deva_w' },
  { ranges: '980-DFF', perCharacter: 'indic', perRun: 'indic_w' },
  { ranges: 'E00-E7F', perCharacter: 'thai', perRun: 'thai_w' },
  { ranges: 'E80-EFF', perCharacter: 'lao' },
  { ranges: '1780-17FF', perCharacter: 'khmer' },
  { ranges: '1000-109F', perCharacter: 'myan' },
  { ranges: '1200-139F', perCharacter: 'ethi' },
  { ranges: '530-58F 10A0-10FF', perCharacter: 'geo', perRun: 'geo_w' },
  { ranges: '1100-11FF 3130-318F AC00-D7FF', perCharacter: 'hangul', repeats: true },
  { ranges: '3040-312F', perCharacter: 'kana', repeats: true },
  { ranges: '2E80-2FFF 4E00-9FFF F900-FAFF', perCharacter: 'han', repeats: true },
  { ranges: '3000-303F FE10-FE4F FF00-FFEF', perCharacter: 'cjkp', repeats: true },
  { ranges: '2500-259F', perCharacter: 'box', repeats: true },
  { ranges: 'A0-BF D7 F7 2070-24FF 25A0-2BFF 3190-33FF', perCharacter: 'sym', repeats: true },
  { ranges: '2000-200B 2010-206F', perCharacter: 'gpun', repeats: true },
  { ranges: '200C-200F FE00-FE0F', perCharacter: 'join' },
]

const NAMED_RANGES: readonly (readonly [kind: number, ranges: string])[] = [
  [LOW, '61-7A'],
  [UP, '41-5A'],
  [LATX, 'C0-D6 D8-F6 F8-24F 1E00-1EFF'],
  [MARK, '300-36F'],
  [SP, '20'],
  [PUN, '21-2F 3A-40 5B-60 7B-7E'],
  [DIG, '30-39'],
  [NL, '0A 0D'],
  [TAB, '09'],
  [HSUR, 'D800-DBFF'],
]

let table: Uint8Array | undefined

/** The class of every UTF-16 code unit. Constant; built at the first call. */
export function charClasses(): Uint8Array {
  table ??= buildTable()
  return table
}

function buildTable(): Uint8Array {
  const classes = new Uint8Array(0x10000).fill(FIRST_PLAIN)
  for (const [kind, ranges] of NAMED_RANGES) fillRanges(classes, ranges, kind)
  PLAIN_CLASSES.forEach(({ ranges }, place) => {
    fillRanges(classes, ranges, FIRST_PLAIN + place)
  })
  return classes
}

function fillRanges(classes: Uint8Array, ranges: string, kind: number): void {
  for (const range of ranges.split(' ')) {
    if (range === '') continue
    const [first = '', last = first] = range.split('-')
    classes.fill(kind, Number.parseInt(first, 16), Number.parseInt(last, 16) + 1)
  }
}
