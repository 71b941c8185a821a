import type { Fields } from '../json-fields.ts'

/**
 * Places of the events that happened while another agent worked, between the action that called for it and the
 * observation that brings its outcome: the agent who delegated does not see them. One that never came back is none.
 */
export function delegatedEvents(events: readonly Fields[]): ReadonlySet<number> {
  const open: number[] = []
  const inside = new Set<number>()
  events.forEach(({ action, observation }, at) => {
    if (action === 'delegate') open.push(at)
    if (observation !== 'delegate') return
    const from = open.pop()
    for (let between = (from ?? at) + 1; between < at; between++) inside.add(between)
  })
  return inside
}
