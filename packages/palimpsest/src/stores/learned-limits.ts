import type { LearnedLimit } from './ports.ts'

/** How long a limit that a provider stated is believed. */
export interface LimitMemory {
  /** Milliseconds; 24 hours by default. */
  readonly forgetAfter?: number
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/** Milliseconds after which a limit is forgotten where nothing else is said: 24 hours. */
export const FORGET_AFTER = 24 * 60 * 60 * 1000

/** The statements that are not forgotten yet. */
export function remembered(
  statements: readonly LearnedLimit[],
  { forgetAfter = FORGET_AFTER, now = Date.now }: LimitMemory,
): readonly LearnedLimit[] {
  const oldest = now() - forgetAfter
  return statements.filter(({ at }) => at > oldest)
}

/** The lowest of these, and of equal ones the latest: the order in which they were stored does not matter. */
export function lowestLimit(statements: readonly LearnedLimit[]): LearnedLimit | undefined {
  return [...statements].sort((a, b) => a.window - b.window || b.at - a.at)[0]
}

/** Does this statement lower what is known? */
export function lowers(limit: LearnedLimit, known: LearnedLimit | undefined): boolean {
  return known === undefined || limit.window < known.window
}

/** Is this a limit, whatever a store gave? */
export function isLimit(value: unknown): value is LearnedLimit {
  if (typeof value !== 'object' || value === null) return false
  const { window, at } = value as LearnedLimit
  return Number.isFinite(window) && window > 0 && Number.isFinite(at)
}

/**
 * @throws RangeError for what no provider can have stated.
 *
 * @example
 * assertLimit({ window: 131_072, at: Date.now() })
 */
export function assertLimit({ window, at }: LearnedLimit): void {
  if (!(Number.isFinite(window) && window > 0)) throw new RangeError(`A window has a size above 0, not ${window}.`)
  if (!Number.isFinite(at)) throw new RangeError(`A limit was stated at some time, not ${at}.`)
}
