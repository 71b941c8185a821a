import { wellFormed } from '../json/well-formed.ts'
import { type BriefingScope, scopeOf } from './briefing-scope.ts'
import { costOf, fitLeft, fitShares, NO_TEXTS, type Sections, sharesOf, type Texts } from './briefing-shares.ts'
import { fileContentsSection } from './file-contents-section.ts'
import { FILES_HEADING, fileNamesSection, NAMES_HEADING } from './file-names-section.ts'
import { fileUses } from './file-uses.ts'
import { GOAL_HEADING } from './goal.ts'
import type { Manifest } from './manifest.ts'
import { NEXT_HEADING, NOTES_HEADING, nextSection, notesSection, STEPS_HEADING, stepsSection } from './step-sections.ts'
import { type Estimate, fitTokens, remembered } from './text-cut.ts'
import { USER_HEADING, userWords } from './user-words.ts'
import {
  COMMANDS_HEADING,
  commandsSection,
  ERRORS_HEADING,
  earlierSummary,
  errorsSection,
  INSTRUCTIONS_HEADING,
  PLAN_HEADING,
  planSection,
  standingInstructions,
} from './work-sections.ts'

/** What a briefing is to tell, and how long it may be. */
export interface BriefingOptions {
  /** Most tokens of the whole text, by `estimate`. */
  readonly budget: number
  readonly estimate: Estimate
  /** The briefing tells positions [from, upTo). Absent: from the beginning, to the manifest's end. */
  readonly from?: number
  readonly upTo?: number
  /** Position of the message that stands verbatim elsewhere in the view: it is not repeated. */
  readonly lastUserMessage?: number
  /** A summary that a model wrote earlier; it is carried within a share of the budget. */
  readonly previous?: string
}

/** Headings that a briefing may begin with. */
const HEADINGS: ReadonlySet<string> = new Set([
  GOAL_HEADING,
  USER_HEADING,
  INSTRUCTIONS_HEADING,
  PLAN_HEADING,
  FILES_HEADING,
  NAMES_HEADING,
  COMMANDS_HEADING,
  ERRORS_HEADING,
  NOTES_HEADING,
  STEPS_HEADING,
  NEXT_HEADING,
])

const MOST_ROUNDS = 4
const WELL_USED = 0.96

/**
 * The briefing of a range of the transcript, from its manifest alone: fixed headings, the user's words verbatim, no
 * reasoning, no preamble. Its estimate is at most `budget`; empty where not even one line fits. Never throws, whatever
 * the transcript holds, and the same manifest and options give the same text.
 */
export function renderBriefing(manifest: Manifest, options: BriefingOptions): string {
  const { budget } = options
  if (!(budget > 0)) return ''
  const estimate = remembered(options.estimate)
  const upTo = options.upTo ?? manifest.end
  const scope = scopeOf(manifest, { from: options.from ?? 0, upTo, lastUserMessage: options.lastUserMessage }, estimate)
  const draft = sectionsOf(scope, options.previous)
  let aim = budget
  let best = ''
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const text = draft(aim)
    const tokens = estimate(text)
    if (tokens <= budget) {
      if (text.length > best.length) best = text
      // Counting line by line costs a little more than counting the whole: use what that leaves, once.
      if (tokens >= budget * WELL_USED || round > 0) return best
      aim *= Math.min(1.25, budget / Math.max(1, tokens))
    } else aim *= Math.min(0.97, (budget / tokens) * 0.97)
    if (!(aim > 0)) break
  }
  return best !== '' ? best : fitTokens(draft(budget), budget, estimate)
}

/** Was this text rendered here? Such a text tells nothing that the manifest would not tell again. */
export function isBriefing(text: string): boolean {
  const end = text.indexOf('\n')
  return HEADINGS.has(end < 0 ? text : text.slice(0, end))
}

/** A function that writes the briefing for a budget; what does not hang on the budget is prepared once. */
function sectionsOf(scope: BriefingScope, previous: string | undefined): (budget: number) => string {
  const others: Sections = {
    user: userWords(scope),
    plan: planSection(scope),
    previous: earlierSummary(scope, [...scope.earlier.map(({ text }) => text), previous ?? ''].join('\n\n')),
    next: nextSection(scope),
    notes: notesSection(scope),
    commands: commandsSection(scope),
    errors: errorsSection(scope),
    steps: stepsSection(scope),
    instructions: standingInstructions(scope),
  }
  const uses = fileUses(scope)
  const contents = fileContentsSection(scope, uses)
  let shown = ''
  const names = fileNamesSection(scope, uses, () => shown)
  return (budget) => {
    const shares = sharesOf(budget)
    const first = fitShares(others, NO_TEXTS, budget * shares.others, scope.estimate)
    shown = Object.values(first).join('\n')
    const used = costOf(first, scope.estimate)
    const nameText = names.render(shares.contents > 0 ? budget * shares.names : budget - used)
    const nameCost = scope.estimate(nameText)
    const contentText = shares.contents > 0 ? contents.render(budget - used - nameCost) : ''
    const left = budget - used - nameCost - scope.estimate(contentText)
    return inOrder(fitLeft(others, first, left, scope.estimate), nameText, contentText)
  }
}

function inOrder(texts: Texts, names: string, contents: string): string {
  const { user, instructions, previous, plan, commands, errors, notes, steps, next } = texts
  const order = [user, instructions, previous, plan, names, commands, errors, notes, steps, next, contents]
  return wellFormed(order.filter((text) => text !== '').join('\n\n'))
}
