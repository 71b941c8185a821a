/**
 * JSON text of a value with sorted keys, without nulls and without the named keys: what a client may write differently
 * in two requests though it says the same.
 */
export function canonicalJson(value: unknown, options: { readonly without?: readonly string[] } = {}): string {
  const without = new Set(options.without)
  const ordered = (_key: string, inner: unknown): unknown => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    const entries = Object.entries(inner).filter(([key, field]) => field !== null && !without.has(key))
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
  return JSON.stringify(value, ordered) ?? ''
}
