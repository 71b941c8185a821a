import type { Loss } from './exported-session.ts'

/** Notes one thing that is lost, of the item at hand. */
export type Lose = (what: string) => void

/** Counts what an export could not carry. */
export class LossTally {
  readonly #losses = new Map<string, { count: number; readonly positions: Set<number> }>()

  add(what: string, position?: number): void {
    const loss = this.#losses.get(what) ?? { count: 0, positions: new Set<number>() }
    loss.count += 1
    if (position !== undefined) loss.positions.add(position)
    this.#losses.set(what, loss)
  }

  /** Notes losses of one position; without one, of the session as a whole. */
  at(position?: number): Lose {
    return (what) => this.add(what, position)
  }

  list(): Loss[] {
    return [...this.#losses].map(([what, { count, positions }]) => ({
      what,
      count,
      positions: [...positions].sort((a, b) => a - b),
    }))
  }
}
