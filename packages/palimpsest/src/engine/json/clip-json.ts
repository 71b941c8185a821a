import { derive, deriveList } from './derive.ts'
import { parseJson } from './json-source.ts'
import { spliceJson } from './splice.ts'
import { cutText } from './well-formed.ts'

/** How long strings in a JSON value are shortened. */
export interface ClipOptions {
  /** The most UTF-16 units of a string, marker included. */
  readonly maxStringChars: number
  /** What stands in a string where something is missing. */
  readonly marker: (cutChars: number) => string
  /** The share of a shortened string that comes from its beginning; a half by default. */
  readonly headShare?: number
  /** The most elements of an array, the first ones; all by default. */
  readonly maxItems?: number
}

/**
 * The value with its long strings cut, in the same shape: the same keys, the same types, numbers and short strings
 * untouched. What needs no cut is shared, what is cut is derived (`originOf`); a value without any is returned itself,
 * and so is one that nests more than `MAX_DEPTH` levels deep.
 *
 * @example clipJson({ path: 'a.ts', content: long }, { maxStringChars: 80, marker: (cut) => `[${cut} more]` })
 */
export function clipJson(value: unknown, options: ClipOptions): unknown {
  return isDeep(value) ? value : clipValue(value, options)
}

/** Levels of arrays and objects; a walk through many more, step by step, would overflow the stack. */
const MAX_DEPTH = 500

/**
 * JSON text with its long strings cut, for arguments that travel as text: what is not cut keeps its spelling (64-bit
 * integers, `1.0`, escapes). Undefined when `text` is no JSON; the same text when nothing is long, or it nests too deep.
 */
export function clipJsonText(text: string, options: ClipOptions): string | undefined {
  const source = tryParse(text)
  return source && spliceJson(source, clipJson(source.value, options))
}

function isDeep(value: unknown): boolean {
  let level = [value].filter(isContainer)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_DEPTH) return true
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
  return false
}

function isContainer(value: unknown): value is object {
  return value !== null && typeof value === 'object'
}

function clipValue(value: unknown, options: ClipOptions): unknown {
  if (typeof value === 'string') return clipString(value, options)
  if (!isContainer(value)) return value
  return Array.isArray(value) ? clipArray(value, options) : clipRecord(value, options)
}

function clipString(text: string, options: ClipOptions): string {
  const { maxStringChars: limit, marker, headShare = 0.5 } = options
  return text.length <= limit ? text : cutText(text, { limit, marker, headShare }).text
}

function clipArray(list: readonly unknown[], options: ClipOptions): unknown {
  const kept = list.slice(0, options.maxItems ?? list.length)
  const clipped = kept.map((element) => clipValue(element, options))
  const isSame = clipped.length === list.length && clipped.every((element, i) => Object.is(element, list[i]))
  return isSame ? list : deriveList(list, clipped)
}

function clipRecord(record: object, options: ClipOptions): object {
  const changes = Object.entries(record)
    .map(([key, inner]) => [key, clipValue(inner, options), inner] as const)
    .filter(([, clipped, inner]) => !Object.is(clipped, inner))
  return changes.length === 0 ? record : derive(record, Object.fromEntries(changes))
}

function tryParse(text: string): ReturnType<typeof parseJson> | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
