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
    const next = nextRecord(line, start + 1, isRecord)
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

/** The first whole record that begins at or after `from`: what a torn one before it left behind is passed over. */
function nextRecord(line: string, from: number, isRecord: (value: unknown) => boolean) {
  let start = from - 1
  for (let attempt = 0; attempt < RESCUE_ATTEMPTS; attempt++) {
    start = line.indexOf('{"', start + 1)
    if (start === -1) return undefined
    const end = endOfValue(line, start)
    const text = line.slice(start, end)
    const value = parsed(text)
    if (value !== undefined && isRecord(value.value)) return { value: value.value, text, end }
  }
  return undefined
}

/** A torn beginning rarely holds many objects; the bound keeps a long broken line from costing its square. */
const RESCUE_ATTEMPTS = 200
