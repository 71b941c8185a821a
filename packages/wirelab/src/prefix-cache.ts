import type { PromptBlock } from './format.ts'
import { chainHash } from './signature.ts'

/** A prompt's block with its size. */
export interface SizedBlock {
  readonly block: PromptBlock
  readonly tokens: number
}

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

/**
 * The prompt cache of a provider: remembers which prefixes it has seen, block by block, and tells what of a new prompt it
 * need not read again. Time comes from `now` (milliseconds).
 */
export class PrefixCache {
  readonly #minTokens: number
  readonly #seconds: number
  readonly #now: () => number
  /** End of life by hash of the prefix. */
  readonly #entries = new Map<string, number>()

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
    const hits = marks.flatMap((mark) => prefixes.slice(Math.max(0, mark.index - LOOK_BACK), mark.index + 1))
    const read = this.#longestLive(hits)
    for (const mark of marks) this.#keep(mark.hash, mark.seconds === DEFAULT_SECONDS ? this.#seconds : mark.seconds)
    const end = marks.at(-1)?.tokens ?? 0
    return { read, write: Math.max(0, end - read) }
  }

  /** Read: the longest prefix seen before, in whole steps. Written without a charge. */
  #useAutomatic(prefixes: readonly Prefix[]): { readonly read: number; readonly write: number } {
    const seen = this.#longestLive(prefixes)
    for (const prefix of prefixes) this.#keep(prefix.hash, this.#seconds)
    const read = seen < this.#minTokens ? 0 : Math.floor(seen / STEP) * STEP
    return { read, write: 0 }
  }

  #longestLive(prefixes: readonly Prefix[]): number {
    const live = prefixes.filter((prefix) => (this.#entries.get(prefix.hash) ?? 0) > this.#now())
    // A hit starts the entry's time anew; marks do that by being kept, and what lies before them here.
    return live.reduce((most, prefix) => Math.max(most, prefix.tokens), 0)
  }

  #keep(hash: string, seconds = this.#seconds): void {
    this.#entries.set(hash, Math.max(this.#entries.get(hash) ?? 0, this.#now() + seconds * 1000))
  }
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
