import { type BriefingScope, type Section, scopeOf } from './briefing-scope.ts'
import { fileContentsSection } from './file-contents-section.ts'
import { FILES_HEADING, fileNamesSection, NAMES_HEADING } from './file-names-section.ts'
import type { Manifest } from './manifest.ts'
import { NEXT_HEADING, NOTES_HEADING, nextSection, notesSection, STEPS_HEADING, stepsSection } from './step-sections.ts'
import { type Estimate, fitTokens, wellFormed } from './text-cut.ts'
import { GOAL_HEADING, USER_HEADING, userWords } from './user-words.ts'
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

/** From this budget on, in tokens, the text of files is worth its place. */
const CONTENTS_FROM = 8_000

/**
 * How the sections share what names and file texts leave to them. What a section does not use goes to the others, in
 * this order, and then to the names.
 */
const SHARES = {
  user: 20,
  plan: 7,
  previous: 20,
  next: 2,
  notes: 10,
  commands: 8,
  errors: 5,
  steps: 8,
  instructions: 8,
}
const NAMES_SHARE = 0.45
/** Shares with the text of files: names do not need half of a large budget. */
const LARGE_NAMES_SHARE = 0.22
const CONTENTS_SHARE = 0.4

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
const WELL_USED = 0.93

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
  const others: Readonly<Record<keyof typeof SHARES, Section>> = {
    user: userWords(scope),
    plan: planSection(scope),
    previous: earlierSummary(scope, previous ?? ''),
    next: nextSection(scope),
    notes: notesSection(scope),
    commands: commandsSection(scope),
    errors: errorsSection(scope),
    steps: stepsSection(scope),
    instructions: standingInstructions(scope),
  }
  const contents = fileContentsSection(scope)
  let shown = ''
  const names = fileNamesSection(scope, () => shown)
  return (budget) => {
    const isLarge = budget >= CONTENTS_FROM
    const texts = fitShares(others, budget, isLarge, scope.estimate)
    const used = () =>
      scope.estimate(
        Object.values(texts)
          .filter((text) => text !== '')
          .join('\n\n'),
      )
    const namesShare = isLarge ? LARGE_NAMES_SHARE : 1
    shown = Object.values(texts).join('\n')
    const nameText = names.render(isLarge ? budget * namesShare : budget - used())
    const contentText = isLarge ? contents.render(budget - used() - scope.estimate(nameText)) : ''
    const order = [texts.user, texts.instructions, texts.previous, texts.plan, nameText, texts.commands, texts.errors]
    return wellFormed(
      [...order, texts.notes, texts.steps, texts.next, contentText].filter((text) => text !== '').join('\n\n'),
    )
  }
}

type Texts = Record<keyof typeof SHARES, string>

const NO_TEXTS = {
  user: '',
  plan: '',
  previous: '',
  next: '',
  notes: '',
  commands: '',
  errors: '',
  steps: '',
  instructions: '',
}

/** Each section within its share; then, in order, those that need more get what the others left. */
function fitShares(
  sections: Readonly<Record<keyof typeof SHARES, Section>>,
  budget: number,
  isLarge: boolean,
  estimate: Estimate,
): Texts {
  const total = budget * (1 - (isLarge ? LARGE_NAMES_SHARE + CONTENTS_SHARE : NAMES_SHARE))
  const keys = (Object.keys(SHARES) as (keyof typeof SHARES)[]).filter((key) => !sections[key].isEmpty)
  const unit = total / keys.reduce((sum, key) => sum + SHARES[key], 0)
  const texts: Texts = { ...NO_TEXTS }
  for (const key of keys) texts[key] = sections[key].render(unit * SHARES[key])
  const costs = new Map(keys.map((key) => [key, estimate(texts[key])]))
  for (const key of keys) {
    const used = [...costs.values()].reduce((sum, cost) => sum + cost, 0)
    if (used >= total) break
    texts[key] = sections[key].render((costs.get(key) ?? 0) + total - used)
    costs.set(key, estimate(texts[key]))
  }
  return texts
}

/** The same estimate, asked once per text: a briefing is measured line by line, several times. */
function remembered(estimate: Estimate): Estimate {
  const known = new Map<string, number>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const tokens = estimate(text)
    known.set(text, tokens)
    return tokens
  }
}
