import { derive, deriveList } from '../engine/json/derive.ts'
import { isObject } from './json-fields.ts'

/**
 * `next`, told as what was made of `origin`: what is equal in both is the original itself, what has the same shape is
 * derived from it. On the wire the spelling of everything that did not change survives (64-bit integers, `1.0`, escapes),
 * though `next` was parsed anew.
 */
export function derivedJson(origin: unknown, next: unknown): unknown {
  if (Array.isArray(origin) && Array.isArray(next)) {
    const elements = next.map((element, index) => derivedJson(origin[index], element))
    const isSame =
      elements.length === origin.length && elements.every((element, index) => Object.is(element, origin[index]))
    return isSame ? origin : deriveList(origin, elements)
  }
  return isObject(origin) && isObject(next) ? derivedRecord(origin, next) : next
}

function derivedRecord(origin: object, next: object): object {
  const before = new Map(Object.entries(origin))
  const after = Object.entries(next).map(([key, value]) => [key, derivedJson(before.get(key), value)] as const)
  const keys = [...before.keys()]
  const isSameShape = after.length === keys.length && after.every(([key], index) => key === keys[index])
  // Derived copies keep the order of their origin: another order is another object, with the same parts.
  if (!isSameShape) return Object.fromEntries(after)
  const changes = after.filter(([key, value]) => !Object.is(value, before.get(key)))
  return changes.length === 0 ? origin : derive(origin, Object.fromEntries(changes))
}

/**
 * Arguments from their JSON text, told as what was made of those before. Undefined where the text is no JSON, or JSON of
 * another kind: a call whose arguments are not what its tool takes is no call.
 */
export function derivedArguments(before: unknown, text: string): unknown {
  let next: unknown
  try {
    next = JSON.parse(text)
  } catch {
    return undefined
  }
  return kindOf(next) === kindOf(before ?? {}) ? derivedJson(before, next) : undefined
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}
