import type { SkippedLines } from './imported-session.ts'

/** How many line numbers are named for each reason. */
const NAMED_LINES = 5

/** Counts what was not imported, by reason. */
export class SkipTally {
  readonly #reasons = new Map<string, { count: number; readonly lines: number[] }>()

  add(reason: string, line: number): void {
    const entry = this.#reasons.get(reason) ?? { count: 0, lines: [] }
    entry.count += 1
    if (entry.lines.length < NAMED_LINES) entry.lines.push(line)
    this.#reasons.set(reason, entry)
  }

  result(): SkippedLines {
    return Object.fromEntries([...this.#reasons].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
