/** A JSON object of which nothing is known yet. */
export type Fields = { readonly [key: string]: unknown }

/** The value as an object; undefined for lists, null and everything else. */
export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

/** The field of an object; undefined where the value is no object. */
export function field(value: unknown, key: string): unknown {
  return asFields(value)?.[key]
}

/** The field as a list; empty where it is none. */
export function listField(value: unknown, key: string): readonly unknown[] {
  const list = field(value, key)
  return Array.isArray(list) ? list : []
}

/** The field as a string; undefined where it is none. */
export function textField(value: unknown, key: string): string | undefined {
  const text = field(value, key)
  return typeof text === 'string' ? text : undefined
}
