import type { ProfileOverrides } from 'palimpsest'
import { resolveProfile } from 'palimpsest/engine'

/** More than one step of an agent writes. */
const LARGEST_CAP = 32_000

/**
 * Tokens that a step may write: what the model can, at most 32,000 and a quarter of its window. Undefined where its profile is
 * not known: then the provider decides.
 */
export function outputCap(id: string, profiles: ProfileOverrides): number | undefined {
  const { maxOutput, window } = resolveProfile(id, profiles)
  if (maxOutput === undefined) return undefined
  return Math.min(maxOutput, LARGEST_CAP, window === undefined ? LARGEST_CAP : Math.floor(window / 4))
}

/** The same as a setting of calls. */
export function cappedOutput(id: string, profiles: ProfileOverrides): { readonly maxOutputTokens?: number } {
  const cap = outputCap(id, profiles)
  return cap === undefined ? {} : { maxOutputTokens: cap }
}
