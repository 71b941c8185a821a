import { BoundedMap } from '../stores/bounded-map.ts'
import { isLimit } from '../stores/learned-limits.ts'
import type { LearnedLimit, LimitScope, LimitStore } from '../stores/ports.ts'

/** No model has a smaller window: a server that states less has miscounted, and must not lock everybody out. */
export const LEAST_LIMIT = 1_000
/** Scopes that are kept here: what falls out is looked up again. */
const REMEMBERED = 10_000
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000

/** The limits that providers stated, as the store knows them; looked up there once, and lowered in both. */
export class LearnedLimits {
  readonly #store: LimitStore
  readonly #now: () => number
  readonly #known = new BoundedMap<Promise<LearnedLimit | undefined>>(REMEMBERED)

  constructor(store: LimitStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** Tokens of the window; undefined where nothing was stated in the last 24 hours, or the store does not answer. */
  async window(scope: LimitScope): Promise<number | undefined> {
    const key = keyOf(scope)
    let known = this.#known.get(key)
    if (known === undefined) {
      known = this.#store.get(scope).catch(() => undefined)
      this.#known.set(key, known)
    }
    const limit = await known
    // a store's answer may be anything: what is no limit counts as none
    if (!isLimit(limit) || !isWindow(limit.window)) return undefined
    const age = this.#now() - limit.at
    return age > FORGOTTEN_AFTER_MS ? undefined : limit.window
  }

  async learn(scope: LimitScope, window: number): Promise<void> {
    if (!isWindow(window)) return
    const before = await this.window(scope)
    if (before !== undefined && before <= window) return
    const limit = { window: Math.floor(window), at: this.#now() }
    this.#known.set(keyOf(scope), Promise.resolve(limit))
    // what is known here holds for this process even where the store does not take it
    await this.#store.learn(scope, limit).catch(() => undefined)
  }
}

function isWindow(tokens: unknown): boolean {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= LEAST_LIMIT
}

function keyOf({ namespace, upstream, model }: LimitScope): string {
  return JSON.stringify([namespace, upstream, model])
}
