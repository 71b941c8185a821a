import { join } from 'node:path'
import { sha256 } from '../engine/record/sha256.ts'
import { appendJsonLine, readJsonLines } from './json-lines.ts'
import { assertLimit, isLimit, type LimitMemory, lowers, lowestLimit, remembered } from './learned-limits.ts'
import type { LearnedLimit, LimitScope, LimitStore, StoreCall } from './ports.ts'
import { storing } from './private-files.ts'

/**
 * Keeps the limits of each scope as a small file of JSON lines, of which the lowest that is not forgotten counts: so two
 * processes that learn at once can only lower what both know, without a lock. A line is added only where it lowers.
 */
export class DirectoryLimits implements LimitStore {
  readonly #folder: string
  readonly #memory: LimitMemory

  constructor(folder: string, memory: LimitMemory = {}) {
    this.#folder = folder
    this.#memory = memory
  }

  async get(scope: LimitScope, call?: StoreCall): Promise<LearnedLimit | undefined> {
    const path = this.#path(scope)
    return storing(path, call, () => this.#known(path))
  }

  async learn(scope: LimitScope, limit: LearnedLimit, call?: StoreCall): Promise<void> {
    assertLimit(limit)
    const path = this.#path(scope)
    return storing(path, call, async () => {
      const known = await this.#known(path)
      call?.signal?.throwIfAborted()
      if (lowers(limit, known)) await appendJsonLine(path, { window: limit.window, at: limit.at })
    })
  }

  async #known(path: string): Promise<LearnedLimit | undefined> {
    const stated = (await readJsonLines<LearnedLimit>(path)).filter(isLimit) // a damaged line is none
    return lowestLimit(remembered(stated, this.#memory))
  }

  #path({ namespace, upstream, model }: LimitScope): string {
    return join(this.#folder, `${sha256(JSON.stringify([namespace, upstream, model]))}.jsonl`)
  }
}
