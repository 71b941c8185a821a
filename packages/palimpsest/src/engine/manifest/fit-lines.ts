import type { Estimate } from './text-cut.ts'

/** A line that may stand in a section; lines are printed by `order`, ascending. */
export interface Line {
  readonly text: string
  readonly order: number
}

/** Lines that do not fit before the search for a shorter one ends. */
const MOST_MISSES = 30

/** A heading with as many of `lines` as fit, tried in the order given; empty when not one fits. */
export function fitLines(heading: string, lines: readonly Line[], budget: number, estimate: Estimate): string {
  let left = budget - estimate(`${heading}\n`)
  let misses = 0
  const taken: Line[] = []
  for (const line of lines) {
    const tokens = estimate(`${line.text}\n`)
    if (tokens <= left) {
      taken.push(line)
      left -= tokens
    } else misses += 1
    if (misses > MOST_MISSES || left <= 0) break
  }
  if (taken.length === 0) return ''
  taken.sort((a, b) => a.order - b.order)
  return [heading, ...taken.map((line) => line.text)].join('\n')
}
