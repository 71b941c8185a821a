/** A map that stays within a weight: what was not touched for longest leaves first. The newest entry always stays. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly weight: number }>()
  readonly #most: number
  readonly #weigh: (value: Value) => number
  #weight = 0

  /** @throws RangeError when `most` is no number above 0. */
  constructor(most: number, weigh: (value: Value) => number = () => 1) {
    if (!(most > 0)) throw new RangeError(`The bound of a map must be above 0, not ${most}.`)
    this.#most = most
    this.#weigh = weigh
  }

  /** Reading touches. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Also weighs anew a value that has grown since. */
  set(key: string, value: Value): void {
    this.#remove(key)
    const weight = this.#weigh(value)
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#most || oldest === key) return
      this.#remove(oldest)
    }
  }

  #remove(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }
}
