/**
 * JSON text that is equal for equal values: keys sorted, keys in `omit` left out at every depth. Used for fingerprints,
 * where a cache mark or the order of keys must not matter.
 */
export function canonicalJson(value: unknown, omit: ReadonlySet<string> = NONE): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (omit.has(key)) return undefined
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner
    const record = inner as Record<string, unknown>
    return Object.fromEntries(
      Object.keys(record)
        .sort()
        .map((name) => [name, record[name]]),
    )
  })
}

const NONE: ReadonlySet<string> = new Set()
