import { writtenJson } from './json-text.ts'

/**
 * JSON text that is equal for equal values: keys sorted, keys in `omit` left out at every depth. Used for fingerprints,
 * where a cache mark or the order of keys must not matter.
 *
 * @example
 * canonicalJson({ b: 1, a: [] }) // '{"a":[],"b":1}'
 */
export function canonicalJson(value: unknown, omit: ReadonlySet<string> = NONE): string {
  const text = writtenJson(value, (record) => {
    const keys = Object.keys(record).sort()
    return omit.size === 0 ? keys : keys.filter((key) => !omit.has(key))
  })
  // a value without JSON has a fingerprint too
  return text ?? ''
}

const NONE: ReadonlySet<string> = new Set()
