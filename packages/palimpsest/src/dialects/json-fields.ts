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
