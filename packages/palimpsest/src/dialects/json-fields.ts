/** An object of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>

/** The fields of a JSON object; nothing for anything that is none. Never throws. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

/** The elements of a JSON array; nothing for anything that is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The string, or the fallback for anything that is none. */
export function stringOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback
}

/** `value` if it is a finite number. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** A reported number of tokens; 0 for anything that is no positive number. */
export function tokenCount(value: unknown): number {
  return Math.max(0, numberOf(value) ?? 0)
}

/** An own property of an object; undefined when it is absent, null, or `value` is no object. */
export function property(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined
}

/** Do two lists hold the same elements in the same order? */
export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one === other || (one.length === other.length && one.every((element, index) => element === other[index]))
}

/** Is it a JSON object (no array, not null)? */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Does the text parse as JSON? */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
