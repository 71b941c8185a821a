import type { Branch, BranchScope } from './branch.ts'

/** A branch that a request continues, or those that it shares its beginning with. */
export type KnownBranch<Item extends object> =
  | { readonly kind: 'continued'; readonly branch: Branch<Item> }
  /** The nearest relative, if there is one: it has the longest beginning in common. */
  | { readonly kind: 'new'; readonly relative: Branch<Item> | undefined }

export interface MemoryBounds {
  readonly conversations: number
  readonly bytes: number
}

/**
 * The branches in memory, newest last. What falls out of the bounds is only forgotten here: its records are in the store, and
 * the next request reads it anew.
 */
export class KnownBranches<Item extends object> {
  readonly #bounds: MemoryBounds
  #branches: Branch<Item>[] = []

  constructor(bounds: MemoryBounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#branches.length
  }

  find(scope: BranchScope, items: readonly Item[]): KnownBranch<Item> {
    let continued: Branch<Item> | undefined
    let relative: { branch: Branch<Item>; common: number } | undefined
    for (const branch of this.#branches.toReversed()) {
      if (!sameScope(branch.scope, scope)) continue
      const common = branch.common(items)
      const { length } = branch.transcript
      if (common === length && length > (continued?.transcript.length ?? -1)) continued = branch
      else if (common > (relative?.common ?? 0)) relative = { branch, common }
    }
    return continued === undefined
      ? { kind: 'new', relative: relative?.branch }
      : { kind: 'continued', branch: continued }
  }

  ofSession(namespace: string, session: string): Branch<Item> | undefined {
    return this.#branches.findLast(({ scope }) => scope.namespace === namespace && scope.session === session)
  }

  /** Makes this the newest, and forgets the oldest that are too many. */
  touch(branch: Branch<Item>): void {
    this.#branches = [...this.#branches.filter((one) => one !== branch), branch]
    let bytes = this.#branches.reduce((sum, one) => sum + one.bytes, 0)
    while (
      this.#branches.length > 1 &&
      (this.#branches.length > this.#bounds.conversations || bytes > this.#bounds.bytes)
    ) {
      const oldest = this.#branches.find((one) => one !== branch && one.busy === undefined)
      if (oldest === undefined) return
      bytes -= oldest.bytes
      this.#branches = this.#branches.filter((one) => one !== oldest)
    }
  }
}

function sameScope(a: BranchScope, b: BranchScope): boolean {
  return a.namespace === b.namespace && a.session === b.session && a.family === b.family
}
