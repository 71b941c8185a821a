/**
 * Are these two JSON-like values equal? Same objects and strings cost one comparison, so that a history whose texts are
 * shared from call to call is compared at the price of its structure.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  if (Array.isArray(a)) return Array.isArray(b) && sameList(a, b)
  return !Array.isArray(b) && sameFields(a as Fields, b as Fields)
}

type Fields = Readonly<Record<string, unknown>>

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (!sameJson(a[index], b[index])) return false
  return true
}

function sameFields(a: Fields, b: Fields): boolean {
  let fields = 0
  let isFull = true
  for (const key in a) {
    fields++
    isFull &&= a[key] !== undefined
    if (!sameJson(a[key], b[key])) return false
  }
  for (const _ in b) fields--
  return (isFull && fields === 0) || sameCount(a, b)
}

/** A field without a value is none, as in JSON. */
function sameCount(a: Fields, b: Fields): boolean {
  const count = (fields: Fields) => Object.values(fields).filter((value) => value !== undefined).length
  return count(a) === count(b)
}
