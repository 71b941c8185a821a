import { endOfValue } from './read-lines.ts'

/** What stands on one line: JSON objects and lists, and whether anything on it could not be read. */
export interface ParsedLine {
  readonly values: readonly unknown[]
  /** The JSON text of each value, as it stands on the line. */
  readonly texts: readonly string[]
  readonly broken: boolean
}

/**
 * The JSON values of one line, in order. Values glued together (two writers, no line end between them) are taken apart;
 * behind a value that was torn in the middle, whole ones that `isRecord` accepts are found again. Never throws.
 */
export function parseLine(line: string, isRecord: (value: unknown) => boolean): ParsedLine {
  const whole = parsed(line)
  if (whole !== undefined) return { values: [whole.value], texts: [line], broken: false }
  const values: unknown[] = []
  const texts: string[] = []
  const rescue = new Rescue(line, isRecord)
  let broken = false
  let start = 0
  while (start < line.length) {
    const end = endOfValue(line, start)
    const piece = line.slice(start, end).trim()
    const value = parsed(piece)
    if (value !== undefined) {
      values.push(value.value)
      texts.push(piece)
    }
    if (value !== undefined || piece === '') {
      start = end
      continue
    }
    broken = true
    const next = rescue.nextRecord(start + 1, piece.length)
    if (next === undefined) break
    values.push(next.value)
    texts.push(next.text)
    start = next.end
  }
  return { values, texts, broken }
}

/** The parsed value in a box (JSON has `null`), or undefined where the text is no JSON. */
export function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

/** Looks for whole records behind torn ones. */
class Rescue {
  readonly #line: string
  readonly #isRecord: (value: unknown) => boolean
  /** Characters that may still be read in vain. */
  #left: number

  constructor(line: string, isRecord: (value: unknown) => boolean) {
    this.#line = line
    this.#isRecord = isRecord
    this.#left = line.length * RESCUE_PASSES
  }

  /**
   * The first whole record that begins at or after `from`: what a torn one before it left behind is passed over. `wasted`: how
   * many characters were read to find that it is torn.
   */
  nextRecord(from: number, wasted: number) {
    this.#left -= wasted
    let start = this.#line.indexOf('{"', from)
    while (start !== -1 && this.#left > 0) {
      const end = endOfValue(this.#line, start)
      const text = this.#line.slice(start, end)
      const value = parsed(text)
      if (value !== undefined && this.#isRecord(value.value)) return { value: value.value, text, end }
      this.#left -= text.length
      start = this.#line.indexOf('{"', start + 1)
    }
    return undefined
  }
}

/**
 * So often a line may be read over. Each torn object may cost the rest of the line, a whole one inside it costs little; the
 * bound keeps a long broken line from costing its square.
 */
const RESCUE_PASSES = 200
