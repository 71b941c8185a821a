/**
 * Places (of calls, say) in ascending order, each of which is taken once, by whatever belongs to it. Taking costs hardly
 * more with many places than with few: a long session may give all its calls one id.
 */
export class OpenPlaces {
  readonly #places: number[] = []
  /** For each place, where to look for an open one: at itself while it is open, else before it. */
  readonly #nearest: number[] = []
  #firstOpen = 0

  /** Throws `RangeError` where a place at or behind this one was added before. */
  add(place: number): void {
    if (place <= (this.#places.at(-1) ?? -1)) throw new RangeError(`Place ${place} comes too late.`)
    this.#nearest.push(this.#places.length)
    this.#places.push(place)
  }

  /** Takes the last open place before `at`, else the first open one; undefined where none is open. */
  take(at: number): number | undefined {
    return this.takeBefore(at) ?? this.takeFirst()
  }

  /** Takes the last open place before `at`; undefined where there is none. */
  takeBefore(at: number): number | undefined {
    return this.#takeAt(this.#open(this.#countBefore(at) - 1))
  }

  /** Takes the first open place; undefined where none is open. */
  takeFirst(): number | undefined {
    while (this.#firstOpen < this.#places.length && this.#nearest[this.#firstOpen] !== this.#firstOpen) {
      this.#firstOpen += 1
    }
    return this.#takeAt(this.#firstOpen)
  }

  #takeAt(index: number): number | undefined {
    const place = this.#places[index]
    if (place !== undefined) this.#nearest[index] = index - 1
    return place
  }

  /** The last open one at or before `index`; -1 where there is none. What was passed over is passed at once next time. */
  #open(index: number): number {
    let found = index
    while (found >= 0 && this.#nearest[found] !== found) found = this.#nearest[found] ?? -1
    for (let at = index; at > found; ) {
      const next = this.#nearest[at] ?? -1
      this.#nearest[at] = found
      at = next
    }
    return found
  }

  #countBefore(at: number): number {
    let low = 0
    let high = this.#places.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#places[middle] ?? at) < at) low = middle + 1
      else high = middle
    }
    return low
  }
}
