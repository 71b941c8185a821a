import { jsonText } from 'palimpsest/engine'

/** The value as a store gives it back. */
export function jsonCopy<Value>(value: Value): Value {
  return JSON.parse(jsonText(value))
}

/** A place in a value that JSON cannot hold, or would give back as something else. */
export interface ForeignValue {
  /** JSON pointer of the place. */
  readonly pointer: string
  /** What stands there: `Uint8Array`, `function`, `NaN` … */
  readonly what: string
}

/** A place where a value is no JSON; undefined where all of it is. A field that is undefined counts as absent. */
export function foreignValue(value: unknown): ForeignValue | undefined {
  const open: Place[] = [{ value, depth: 1 }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const what = foreignKind(place.value)
    if (what !== undefined) return { pointer: pointerOf(place), what }
    if (typeof place.value !== 'object' || place.value === null) continue
    if (place.depth % LOOKED_BACK_EVERY === 0 && isWithinItself(place)) return { pointer: '', what: 'a circle' }
    const isList = Array.isArray(place.value)
    for (const [key, child] of Object.entries(place.value)) {
      if (child === undefined && !isList) continue
      // most values are texts: they need no place of their own
      if (typeof child !== 'string') open.push({ value: child, depth: place.depth + 1, key, above: place })
    }
  }
  return undefined
}

interface Place {
  readonly value: unknown
  /** How many values it stands in, and itself. */
  readonly depth: number
  readonly key?: string
  readonly above?: Place
}

/** Levels after which it is looked whether a value holds itself: so that costs next to nothing. */
const LOOKED_BACK_EVERY = 1_000

function isWithinItself(place: Place): boolean {
  const values = new Set<unknown>()
  for (let at: Place | undefined = place; at !== undefined; at = at.above) {
    if (values.has(at.value)) return true
    values.add(at.value)
  }
  return false
}

function foreignKind(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined
    case 'number':
      return Number.isFinite(value) ? undefined : String(value)
    case 'object':
      return value === null || Array.isArray(value) || isPlain(value) ? undefined : value.constructor?.name || 'object'
    default:
      return typeof value
  }
}

/** An object of no class, of whatever realm, that JSON writes by its fields. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false
  return typeof (value as { readonly toJSON?: unknown }).toJSON !== 'function'
}

function pointerOf(place: Place): string {
  const keys: string[] = []
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.above) keys.unshift(at.key)
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
