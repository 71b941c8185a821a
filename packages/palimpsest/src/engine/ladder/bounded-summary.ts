import { isBriefing } from '../manifest/briefing.ts'
import { constraintSentences } from '../manifest/constraints.ts'
import { fitTokens } from '../manifest/text-cut.ts'
import type { MessageGroup } from '../messages/groups.ts'
import type { SummaryRequest } from '../plan/draft.ts'
import { hasPosition } from '../plan/position-set.ts'
import { projectUnits } from '../plan/projected-units.ts'
import { type Ledger, UNITS_PER_TOKEN } from '../tokens/ledger.ts'
import type { CompactionTask } from './compaction-task.ts'

/** A writer cannot count tokens: so much longer than asked for, a summary still stays whole. */
const SLACK = 1.25
/** Of its budget, what rules that the summary left out may take. */
const RULES_SHARE = 0.5
const RULES_HEADING = '## Constraints and corrections of the user, oldest first'

/**
 * A summary as it enters the view, whoever wrote it: the user's rules that it left out stand behind it word for word, and
 * what is far above its budget is cut to it. One that is not smaller than what it replaces stays as it is: the ladder
 * refuses it.
 */
export function boundedSummary<Item extends object>(
  summary: string,
  request: SummaryRequest,
  task: Pick<CompactionTask<Item>, 'transcript' | 'current'>,
): string {
  const { ledger } = task.transcript
  const estimate = (text: string) => ledger.meter.text(text) / UNITS_PER_TOKEN
  const size = estimate(summary)
  if (size > request.budget * SLACK && size >= replacedTokens(request, task)) return summary
  const rulesBeside = (text: string) => (isBriefing(summary) ? '' : leftOutRules(text, request, task, estimate))
  const whole = joined(summary, rulesBeside(summary))
  if (estimate(whole) <= request.budget * SLACK) return whole
  // the cut may take rules away that the summary did hold: room is left for all of them
  const kept = fitTokens(summary, request.budget - estimate(rulesBeside('')), estimate)
  return joined(kept, rulesBeside(kept))
}

function joined(summary: string, rules: string): string {
  return [summary, rules].filter((text) => text !== '').join('\n\n')
}

/** Tokens of the view that the summary takes the place of. */
function replacedTokens<Item extends object>(
  { ranges, previous }: SummaryRequest,
  { transcript, current }: Pick<CompactionTask<Item>, 'transcript' | 'current'>,
): number {
  const projected = projectUnits(current, transcript.ledger)
  let units = previous.reduce((sum, text) => sum + transcript.ledger.meter.text(text), 0)
  for (const { from, to } of ranges) {
    for (let position = from; position < to; position++) units += projected.at(position)
  }
  return units / UNITS_PER_TOKEN
}

/** Rules and corrections that leave with the ranges and that the summary does not repeat; the newest, where room is short. */
function leftOutRules<Item extends object>(
  summary: string,
  { ranges, budget, lastUserMessage = '' }: SummaryRequest,
  { transcript }: Pick<CompactionTask<Item>, 'transcript'>,
  estimate: (text: string) => number,
): string {
  const leaves = (group: MessageGroup) =>
    group.ownWords && group.slices.every((slice) => hasPosition(ranges, slice.position))
  const said = transcript.groups
    .filter(leaves)
    .flatMap((group) => constraintSentences(wordsOf(group, transcript.ledger)))
  const missing = new Set(
    said.toReversed().filter((rule) => ![summary, lastUserMessage].some((text) => text.includes(rule))),
  )
  let left = budget * RULES_SHARE - estimate(RULES_HEADING)
  const carried = [...missing].filter((rule) => {
    const tokens = estimate(`- ${rule}\n`)
    if (tokens > left) return false
    left -= tokens
    return true
  })
  return carried.length === 0 ? '' : [RULES_HEADING, ...carried.toReversed().map((rule) => `- ${rule}`)].join('\n')
}

/** What the user wrote in this group, beside pictures and files too. */
function wordsOf({ slices }: MessageGroup, ledger: Ledger): string {
  const parts = slices.flatMap(({ position, parts: numbers }) =>
    ledger.message(position).view.parts.filter((_, number) => numbers === 'all' || numbers.includes(number)),
  )
  return parts.flatMap((part) => (part.kind === 'text' && part.injected !== true ? [part.text()] : [])).join('\n')
}
