import { DIG, HSUR, LATX, LOW, MARK, OTHER, PUN, SP, UP } from './char-classes.ts'
import { type EstimatorModel, estimatorModel, LONG_DIGITS } from './estimator-model.ts'
import type { EstimateMode, TokenFamily } from './feature-weights.ts'
import { LONG_RUN } from './scan-table.ts'

/** Integer sums are kept in this fraction of a token. */
export const UNITS_PER_TOKEN = 1024

/** After a word with diacritics, this many further words count as foreign. */
const FOREIGN_WORDS = 8

/**
 * Tokens of a text for a tokenizer family, estimated: a multiple of 1/1024, 0 for the empty text, never negative.
 * Reads the text once; any string is allowed.
 *
 * @example estimateText('hello world', { family: 'o200k' }) // 2.0888671875
 */
export function estimateText(text: string, options: { family: TokenFamily; mode?: EstimateMode }): number {
  return estimateUnits(text, estimatorModel(options.family, options.mode ?? 'mean')) / UNITS_PER_TOKEN
}

/** The same in whole 1/1024 tokens, so that sums are exact in any order. */
export function estimateUnits(text: string, model: EstimatorModel): number {
  const scan: Scan = { text, model, at: 0, state: model.table.start, units: 0, lastDiacriticWord: 0 }
  while (scanAscii(scan)) {
    if (scan.state >= model.table.firstLong) restOfLongRun(scan)
    else beyondAscii(scan)
  }
  return scan.units + costOf(cellOf(scan, OTHER))
}

const { charCodeAt } = String.prototype

/**
 * `text.charCodeAt(at)`. Called this way because strings come in many representations (sliced, joined, one and two bytes):
 * after a few of them V8 gives the method call up as megamorphic, and the scan takes three times as long.
 */
function unitAt(text: string, at: number): number {
  return charCodeAt.call(text, at)
}

interface Scan {
  readonly text: string
  readonly model: EstimatorModel
  at: number
  /** A state of the scan table. */
  state: number
  /** The cost of the text before `at`; one space or punctuation mark there is still to be paid. */
  units: number
  /** Where the last word with diacritics ends. */
  lastDiacriticWord: number
}

/** Follows the table to the end of the text (then false), a character it has no column for, or a long run. */
function scanAscii(scan: Scan): boolean {
  const { text, model } = scan
  const { classes, pairs } = model
  const { cells, firstLong, asciiClasses } = model.table
  const size = text.length
  let { at, state, units } = scan
  let previous = 0
  while (at < size && state < firstLong) {
    const unit = unitAt(text, at)
    const kind = classes[unit] as number
    if (kind >= asciiClasses) break
    const cell = cells[(state << 3) | kind] as number
    units += (cell >> 8) + (pairs[(previous << 7) | unit] as number)
    state = cell & 0xff
    previous = unit
    at++
  }
  scan.at = at
  scan.state = state
  scan.units = units
  return at < size || state >= firstLong
}

/** A run that the table cannot count: the rest of it in one step. */
function restOfLongRun(scan: Scan): void {
  const { model, at, state } = scan
  const kind = classAt(scan, at - 1)
  const end = endOfRun(scan, at, kind)
  const run = { start: at - (LONG_RUN[kind] ?? 0), from: at, end }
  if (kind === UP) scan.units += restOfCapitals(scan, run)
  else if (kind === PUN) scan.units += restOfPunctuation(scan, run)
  else if (kind === DIG) scan.units += digitCost(model, end - run.start) - digitCost(model, at - run.start)
  else scan.units += (((end - run.start) >> 4) - (kind === SP ? 1 : 0)) * model.long.per16
  scan.at = end
  scan.state = model.table.shorter[state] as number
}

/** A run from `start` to `end` of which the part before `from` is paid for. */
interface LongRun {
  readonly start: number
  readonly from: number
  readonly end: number
}

function endOfRun({ text, model }: Scan, from: number, kind: number): number {
  const { classes } = model
  let end = from
  while (end < text.length && classes[unitAt(text, end)] === kind) end++
  return end
}

function restOfCapitals(scan: Scan, { start, from, end }: LongRun): number {
  const { long, pairs } = scan.model
  const units = (end - from) * (long.furtherCapital + long.wordCharacter) + pairCost(scan, from, end)
  const next = end < scan.text.length ? classAt(scan, end) : OTHER
  if (!isTail(next)) return units
  // A tail makes it a mixed word. The table takes back what the capitals before a long run cost, here goes the rest.
  const counted = from - start - 1
  const pair = next === LOW ? (pairs[(unitAt(scan.text, end - 1) << 7) | unitAt(scan.text, end)] as number) : 0
  return units - (end - start - counted) * long.furtherCapital + pair
}

/** Equal neighbours: the first eight cost more than those that follow. */
function restOfPunctuation({ text, model }: Scan, { start, from, end }: LongRun): number {
  const { same, sameFrom9 } = model.long
  let units = 0
  let equal = 0
  let previous = unitAt(text, start)
  for (let at = start + 1; at < end; at++) {
    const unit = unitAt(text, at)
    if (unit === previous) equal++
    if (at >= from) units += model.pairs[(previous << 7) | unit] as number
    previous = unit
  }
  const further = Math.max(0, equal - 8)
  return units - further * same + Math.round((further * sameFrom9) / 8)
}

function pairCost({ text, model }: Scan, from: number, end: number): number {
  let units = 0
  for (let at = from; at < end; at++) {
    units += model.pairs[(unitAt(text, at - 1) << 7) | unitAt(text, at)] as number
  }
  return units
}

function digitCost({ digits, furtherDigit }: EstimatorModel, length: number): number {
  return (digits[Math.min(length, LONG_DIGITS)] as number) + Math.max(0, length - LONG_DIGITS) * furtherDigit
}

function beyondAscii(scan: Scan): void {
  const kind = classAt(scan, scan.at)
  if (isTail(kind)) letterWithDiacritic(scan, kind)
  else {
    scan.units += costOf(cellOf(scan, OTHER))
    scan.state = scan.model.table.glued
    if (kind === HSUR) surrogatePair(scan)
    else plainRun(scan, kind)
  }
}

/** To the table it is a small letter; it makes its word, and the words after it, dearer. */
function letterWithDiacritic(scan: Scan, kind: number): void {
  const { diacritics } = scan.model
  const cell = cellOf(scan, LOW)
  scan.units += costOf(cell) + (kind === LATX ? diacritics.latx : diacritics.mark)
  scan.state = cell & 0xff
  scan.at++
  if (scan.at <= scan.lastDiacriticWord) return
  const end = endOfTail(scan, scan.at)
  scan.lastDiacriticWord = end
  scan.units += diacritics.word + foreignWords(scan, end)
}

/** What the words from `at` on cost more, up to the next one that has diacritics itself. */
function foreignWords(scan: Scan, from: number): number {
  const { text, model } = scan
  let units = 0
  let at = from
  for (let words = FOREIGN_WORDS; words > 0 && at < text.length; ) {
    const kind = classAt(scan, at)
    if (kind !== UP && !isTail(kind)) {
      at += kind === HSUR ? 2 : 1
      continue
    }
    const end = endOfPlainWord(scan, at)
    if (end === undefined) break
    units += model.diacritics.foreign + Math.max(0, end - at - 3) * model.diacritics.foreignCharacter
    at = end
    words--
  }
  return units
}

/** Where the word at `at` ends; undefined if it has diacritics. */
function endOfPlainWord(scan: Scan, at: number): number | undefined {
  const { text } = scan
  let end = at
  while (end < text.length && classAt(scan, end) === UP) end++
  while (end < text.length && classAt(scan, end) === LOW) end++
  return end < text.length && classAt(scan, end) !== UP && isTail(classAt(scan, end)) ? undefined : end
}

function endOfTail(scan: Scan, at: number): number {
  let end = at
  while (end < scan.text.length && isTail(classAt(scan, end))) end++
  return end
}

function isTail(kind: number): boolean {
  return kind === LOW || kind === LATX || kind === MARK
}

/** A high surrogate takes the next unit with it, whatever that is: a malformed text costs something and never throws. */
function surrogatePair(scan: Scan): void {
  scan.units += scan.model.astral
  scan.at = Math.min(scan.at + 2, scan.text.length)
}

function plainRun(scan: Scan, kind: number): void {
  const { text, model } = scan
  const fresh = model.plain.perCharacter[kind] as number
  const repeated = model.plain.repeated[kind] as number
  let units = model.plain.perRun[kind] as number
  let previous = -1
  let at = scan.at
  for (; at < text.length; at++) {
    const unit = unitAt(text, at)
    if (model.classes[unit] !== kind) break
    units += unit === previous ? repeated : fresh
    previous = unit
  }
  scan.units += units
  scan.at = at
}

function classAt({ text, model }: Scan, at: number): number {
  return model.classes[unitAt(text, at)] as number
}

function cellOf({ model, state }: Scan, kind: number): number {
  return model.table.cells[(state << 3) | kind] as number
}

function costOf(cell: number): number {
  return cell >> 8
}
