import type { Usage } from 'palimpsest'

/** Tokens of one call, or of several; `input` is the whole prompt, cached or not. */
export interface UsageJson {
  readonly input: number
  readonly cache_read: number
  readonly cache_write: number
  readonly output: number
}

export function usageJson({ input, cacheRead, cacheWrite, output }: Usage): UsageJson {
  return { input, cache_read: cacheRead, cache_write: cacheWrite, output }
}
