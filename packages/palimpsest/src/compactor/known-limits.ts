import { BoundedMap } from '../stores/bounded-map.ts'
import { isLimit, type LimitMemory, lowestLimit, remembered } from '../stores/learned-limits.ts'
import type { LearnedLimit, LimitScope, LimitStore } from '../stores/ports.ts'

/** No model has a smaller window: a server that states less has miscounted, and must not lock everybody out. */
export const LEAST_LIMIT = 1_000
/** Scopes that are kept here: what falls out is looked up again. */
const REMEMBERED = 10_000
/** So long an answer of the store holds: other processes learn too. */
const ASKED_AGAIN_AFTER_MS = 60_000

interface Asked {
  readonly at: number
  readonly answer: Promise<LearnedLimit | undefined>
}

/** The limits that providers stated, to this process and, by the store, to others. Each forgets in its time. */
export class KnownLimits {
  readonly #store: LimitStore
  readonly #now: () => number
  readonly #stated = new BoundedMap<LearnedLimit>(REMEMBERED)
  readonly #asked = new BoundedMap<Asked>(REMEMBERED)

  constructor(store: LimitStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** Tokens of the window; undefined where nothing was stated in the last 24 hours. A store that does not answer says nothing. */
  async window(scope: LimitScope): Promise<number | undefined> {
    const memory: LimitMemory = { now: this.#now }
    const stated = this.#stated.get(keyOf(scope))
    const known = [await this.#ask(scope), ...(stated === undefined ? [] : remembered([stated], memory))]
    // a store's answer may be anything: what is no limit counts as none
    return lowestLimit(known.filter(isLimit).filter(({ window }) => isWindow(window)))?.window
  }

  async learn(scope: LimitScope, window: number): Promise<void> {
    if (!isWindow(window)) return
    const before = await this.window(scope)
    if (before !== undefined && before <= window) return
    const limit = { window: Math.floor(window), at: this.#now() }
    this.#stated.set(keyOf(scope), limit)
    // what was stated here holds for this process even where the store does not take it
    await this.#store.learn(scope, limit).catch(() => undefined)
  }

  #ask(scope: LimitScope): Promise<LearnedLimit | undefined> {
    const key = keyOf(scope)
    const asked = this.#asked.get(key)
    const age = this.#now() - (asked?.at ?? 0)
    if (asked !== undefined && age >= 0 && age < ASKED_AGAIN_AFTER_MS) return asked.answer
    const answer = this.#store.get(scope).catch(() => undefined)
    this.#asked.set(key, { at: this.#now(), answer })
    return answer
  }
}

function isWindow(tokens: number): boolean {
  return Number.isFinite(tokens) && tokens >= LEAST_LIMIT
}

function keyOf({ namespace, upstream, model }: LimitScope): string {
  return JSON.stringify([namespace, upstream, model])
}
