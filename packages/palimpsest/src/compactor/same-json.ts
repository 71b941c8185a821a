import { canonicalJson } from '../engine/json/canonical-json.ts'

/**
 * Are these two JSON-like values equal? Same objects and strings cost one comparison, so that a history whose texts are
 * shared from call to call is compared at the price of its structure.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  return isSame(a, b, 0)
}

/** Levels that are gone down step by step: much deeper, the stack would overflow. */
const MAX_DEPTH = 200

function isSame(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  if (depth === MAX_DEPTH) return canonicalJson(a) === canonicalJson(b)
  if (Array.isArray(a)) return Array.isArray(b) && sameList(a, b, depth + 1)
  return !Array.isArray(b) && sameFields(a as Fields, b as Fields, depth + 1)
}

type Fields = Readonly<Record<string, unknown>>

function sameList(a: readonly unknown[], b: readonly unknown[], depth: number): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (!isSame(a[index], b[index], depth)) return false
  return true
}

function sameFields(a: Fields, b: Fields, depth: number): boolean {
  let fields = 0
  let isFull = true
  for (const key in a) {
    fields++
    isFull &&= a[key] !== undefined
    if (!isSame(a[key], b[key], depth)) return false
  }
  for (const _ in b) fields--
  return (isFull && fields === 0) || sameCount(a, b)
}

/** A field without a value is none, as in JSON. */
function sameCount(a: Fields, b: Fields): boolean {
  const count = (fields: Fields) => Object.values(fields).filter((value) => value !== undefined).length
  return count(a) === count(b)
}
