import type { Plan } from 'palimpsest'
import type { WantedMessages } from './session-store.ts'

/** The positions of a transcript that a plan leaves in the view, as ranges [from, to) in order. */
export function shownPositions({ drop = [] }: Plan, length: number): WantedMessages['positions'] {
  const shown: { from: number; to: number }[] = []
  let from = 0
  for (const dropped of [...drop].sort((a, b) => a.from - b.from)) {
    const to = Math.min(dropped.from, length)
    if (from < to) shown.push({ from, to })
    from = Math.max(from, dropped.to)
  }
  if (from < length) shown.push({ from, to: length })
  return shown
}
