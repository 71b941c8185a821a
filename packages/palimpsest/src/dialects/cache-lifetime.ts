/** How long what a cache mark stands behind is kept. */
export type CacheLifetime = '5m' | '1h'

/**
 * The time to live of one more mark among those of a request. Providers refuse a longer one behind a shorter one: it lives
 * an hour where a later mark does; undefined where that would be longer than an earlier one lives.
 */
export function lifetimeBetween(
  earlier: readonly CacheLifetime[],
  later: readonly CacheLifetime[],
): CacheLifetime | undefined {
  if (!later.includes('1h')) return '5m'
  return earlier.includes('5m') ? undefined : '1h'
}
