import type { BriefingScope, Section } from './briefing-scope.ts'
import { fitLines, type Line } from './fit-lines.ts'
import type { PlacedCall } from './manifest.ts'
import { cutMiddle, fitTokens, oneLine } from './text-cut.ts'
import { nameOf, outcomeOf } from './work-sections.ts'

export const NOTES_HEADING = '## What the assistant last said'
export const STEPS_HEADING = '## Recent steps, oldest first'
export const NEXT_HEADING = '## Open calls and next action'

/** Assistant texts that are looked at: older ones are told by what was done. */
const MOST_NOTES = 12
/** The last text in full as far as it fits, older ones shortened. */
const OLDER_NOTE = 400
const MOST_STEPS = 60
/** Calls without a result this many steps back are still open; older ones were abandoned. */
const OPEN_WITHIN = 1

/** The assistant's last messages: reasons and decisions are there or nowhere. The very last comes first in the budget. */
export function notesSection(scope: BriefingScope): Section {
  const texts = scope.texts.slice(-MOST_NOTES)
  return {
    isEmpty: texts.length === 0,
    render(budget) {
      const last = texts.at(-1)
      if (last === undefined) return ''
      const room = budget - scope.estimate(`${NOTES_HEADING}\n`)
      const lastLine = { text: `- ${fitTokens(last.text.trim(), room * 0.6 - 2, scope.estimate)}`, order: texts.length }
      if (lastLine.text === '- ') return ''
      const older = texts
        .slice(0, -1)
        .map(({ text }, order): Line => ({ text: `- ${cutMiddle(oneLine(text, 2_000), OLDER_NOTE)}`, order }))
      return fitLines(NOTES_HEADING, [lastLine, ...older.toReversed()], budget, scope.estimate)
    },
  }
}

/** One line per step: which tools, on what, with what outcome. */
export function stepsSection(scope: BriefingScope): Section {
  const steps = new Map<number, PlacedCall[]>()
  for (const placed of scope.calls.slice(-MOST_STEPS * 4)) {
    const known = steps.get(placed.step)
    if (known) known.push(placed)
    else steps.set(placed.step, [placed])
  }
  const lines = [...steps]
    .slice(-MOST_STEPS)
    .map(([step, calls]): Line => ({ text: stepLine(calls, scope), order: step }))
  const newest = lines.toReversed()
  return { isEmpty: lines.length === 0, render: (budget) => fitLines(STEPS_HEADING, newest, budget, scope.estimate) }
}

/** Calls that wait for a result. */
export function nextSection(scope: BriefingScope): Section {
  const open = scope.calls.filter(
    (placed) => placed.result === undefined && scope.lastStep - placed.step <= OPEN_WITHIN,
  )
  const lines = open.map((placed, order): Line => ({ text: `- waiting for: ${nameOf(placed, scope)}`, order }))
  return { isEmpty: lines.length === 0, render: (budget) => fitLines(NEXT_HEADING, lines, budget, scope.estimate) }
}

function stepLine(calls: readonly PlacedCall[], scope: BriefingScope): string {
  const shown = calls.slice(0, 4).map((placed) => `${nameOf(placed, scope)} → ${stepOutcome(placed)}`)
  const more = calls.length > 4 ? [`${calls.length - 4} more calls`] : []
  return `- ${[...shown, ...more].join('; ')}`
}

function stepOutcome(placed: PlacedCall): string {
  const outcome = placed.result?.outcome
  const told = outcomeOf(placed)
  if (outcome === undefined) return told
  if (outcome.failed) return `${told}: ${oneLine(outcome.errors[0] ?? outcome.first, 120)}`
  if (placed.call.action === 'change' || placed.call.action === 'plan') return told
  const isShort = outcome.lines === 1 && placed.call.action !== 'read'
  return isShort ? oneLine(outcome.first, 80) : `${outcome.lines} lines`
}
