/** Whose model at which server. */
export interface WindowScope {
  readonly namespace: string
  readonly upstream: string
  readonly model: string
}

const MOST = 1_000

/**
 * The windows that models turned out to have, in tokens: a call for a summary must keep to what a refusal of the
 * conversation's own call stated.
 */
export class SeenWindows {
  readonly #windows = new Map<string, number>()

  see(scope: WindowScope, window: number | undefined): void {
    if (window === undefined) return
    const key = keyOf(scope)
    this.#windows.delete(key)
    this.#windows.set(key, window)
    const [oldest] = this.#windows.keys()
    if (this.#windows.size > MOST && oldest !== undefined) this.#windows.delete(oldest)
  }

  of(scope: WindowScope): number | undefined {
    return this.#windows.get(keyOf(scope))
  }
}

function keyOf({ namespace, upstream, model }: WindowScope): string {
  return JSON.stringify([namespace, upstream, model])
}
