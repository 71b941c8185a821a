import type { PromptBlock } from './format.ts'
import { chainHash } from './hash-text.ts'

/** A prompt's block with its size. */
export interface SizedBlock {
  readonly block: PromptBlock
  readonly tokens: number
}

/** How the simulated prompt cache behaves. */
export interface CacheOptions {
  /** Prompts shorter than this are not cached. Default 1,024. */
  readonly minTokens?: number
  /** How long an entry lives after its last use: of marks without a time of their own, and of automatic caches. Default 300. */
  readonly seconds?: number
}

/** Blocks before a mark at which an older entry is looked for. */
const LOOK_BACK = 20
/** Automatic caches grow in steps of this many tokens. */
const STEP = 128
/** The time to live of a mark that names none, in seconds. */
const DEFAULT_SECONDS = 300

/** Entries from which on those that ended are cleared away. */
const CROWDED = 50_000

/**
 * The prompt cache of a provider: remembers which prefixes it has seen, block by block, and tells what of a new prompt it
 * need not read again. Time comes from `now` (milliseconds).
 */
export class PrefixCache {
  readonly #minTokens: number
  readonly #seconds: number
  readonly #now: () => number
  /** By hash of the prefix. */
  readonly #entries = new Map<string, Entry>()

  constructor(options: CacheOptions & { readonly now: () => number }) {
    this.#minTokens = options.minTokens ?? 1024
    this.#seconds = options.seconds ?? DEFAULT_SECONDS
    this.#now = options.now
  }

  /** What the cache serves of this prompt and what it takes in. `scope` keeps models and APIs apart. */
  use(
    prompt: readonly SizedBlock[],
    by: { readonly scope: string; readonly caches: 'marks' | 'automatic' },
  ): { readonly read: number; readonly write: number } {
    const prefixes = prefixesOf(prompt, by.scope)
    return by.caches === 'marks' ? this.#useMarks(prefixes) : this.#useAutomatic(prefixes)
  }

  /** Read: the longest live entry at a mark or up to 20 blocks before it. Written: from there to the last mark. */
  #useMarks(prefixes: readonly Prefix[]): { readonly read: number; readonly write: number } {
    const marks = prefixes.filter((prefix) => prefix.seconds !== undefined && prefix.tokens >= this.#minTokens)
    const near = marks.flatMap((mark) => prefixes.slice(Math.max(0, mark.index - LOOK_BACK), mark.index + 1))
    const read = this.#readLongest(near)
    for (const { hash, seconds } of marks) this.#keep(hash, seconds === DEFAULT_SECONDS ? this.#seconds : seconds)
    return { read, write: Math.max(0, (marks.at(-1)?.tokens ?? 0) - read) }
  }

  /** Read: the longest prefix seen before, in whole steps. What is written costs nothing, and is not reported. */
  #useAutomatic(prefixes: readonly Prefix[]): { readonly read: number; readonly write: number } {
    const seen = this.#readLongest(prefixes)
    for (const { hash } of prefixes) this.#keep(hash)
    return { read: seen < this.#minTokens ? 0 : Math.floor(seen / STEP) * STEP, write: 0 }
  }

  /** Tokens of the longest live entry among these, whose time starts anew; 0: there is none. */
  #readLongest(prefixes: readonly Prefix[]): number {
    const now = this.#now()
    const live = prefixes.filter(({ hash }) => (this.#entries.get(hash)?.until ?? 0) > now)
    const longest = live.reduce<Prefix | undefined>(
      (a, b) => (a === undefined || b.tokens > a.tokens ? b : a),
      undefined,
    )
    if (longest === undefined) return 0
    this.#keep(longest.hash, this.#entries.get(longest.hash)?.seconds)
    return longest.tokens
  }

  #keep(hash: string, seconds = this.#seconds): void {
    const now = this.#now()
    if (this.#entries.size >= CROWDED) {
      for (const [old, { until }] of this.#entries) if (until <= now) this.#entries.delete(old)
    }
    // A mark of five minutes does not shorten the hour of an entry that is there.
    const longer = Math.max(seconds, liveSeconds(this.#entries.get(hash), now))
    this.#entries.set(hash, { until: now + longer * 1000, seconds: longer })
  }
}

interface Entry {
  /** Milliseconds. */
  readonly until: number
  readonly seconds: number
}

function liveSeconds(entry: Entry | undefined, now: number): number {
  return entry !== undefined && entry.until > now ? entry.seconds : 0
}

interface Prefix {
  readonly index: number
  readonly hash: string
  readonly tokens: number
  readonly seconds: number | undefined
}

function prefixesOf(prompt: readonly SizedBlock[], scope: string): readonly Prefix[] {
  let hash = scope
  let tokens = 0
  return prompt.map(({ block, tokens: size }, index) => {
    hash = chainHash(hash, block.text)
    tokens += size
    return { index, hash, tokens: Math.round(tokens), seconds: block.cacheSeconds }
  })
}
