/** A JSON object, nothing known about its fields. */
export type Fields = Readonly<Record<string, unknown>>

/** Is this value a JSON object (not a list, not null)? */
export function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** The value, if it is a JSON object; otherwise an empty one, so that reading on is safe. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NO_FIELDS
}

/** The value as a list; anything else is an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NO_ELEMENTS
}

/** A string that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A number that can be a count: finite, not negative. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Milliseconds since the epoch, from an ISO text or from a number of milliseconds. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : value
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined
}

/** The same fields without those that are undefined (an absent fact has no key). */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
}

type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

const NO_FIELDS: Fields = {}
const NO_ELEMENTS: readonly unknown[] = []
