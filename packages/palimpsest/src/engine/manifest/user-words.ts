import type { BriefingScope, Section } from './briefing-scope.ts'
import { GOAL_HEADING } from './goal.ts'
import type { PlacedWords } from './manifest.ts'
import { cutMiddle, type Estimate, fitTokens } from './text-cut.ts'

export const USER_HEADING = '## User messages and constraints, oldest first'

/** The goal may take this much of the section when other messages wait. */
const GOAL_SHARE = 0.5
/** A message that is neither whole nor a rule is shortened to this many characters. */
const SHORTENED = 240
const KEPT_ELSEWHERE = 'The task is the last user message, kept verbatim outside this section.'

interface Message {
  readonly number: number
  readonly text: string
  readonly rules: readonly string[]
}

/**
 * The user's own words: the first task, then every message in order, whole where the budget allows. Rules and
 * corrections are placed first, the newest first, and then printed in the order in which they were said.
 */
export function userWords(scope: BriefingScope): Section {
  const messages = scope.said.map((said, at) => messageOf(said, at + 1))
  const spoken = messages.filter((_, at) => scope.said[at]?.position !== scope.lastUserMessage)
  const goal = messages[0]
  return {
    isEmpty: goal === undefined,
    render(budget) {
      if (goal === undefined) return ''
      const isElsewhere = goal !== spoken[0]
      const others = distinct(isElsewhere ? spoken : spoken.slice(1))
      const goalText = renderGoal(isElsewhere ? KEPT_ELSEWHERE : goal.text, others.length > 0, budget, scope.estimate)
      const isWhole = isElsewhere || goalText.includes(goal.text)
      const left = budget - (goalText === '' ? 0 : scope.estimate(`${goalText}\n\n`))
      const said = renderMessages(isWhole ? others : [goal, ...others], left, scope.estimate)
      return [goalText, said].filter((text) => text !== '').join('\n\n')
    },
  }
}

function messageOf(said: PlacedWords, number: number): Message {
  return { number, text: said.text.trim(), rules: said.rules }
}

/** Of messages that say the same, the last stands for all: what was said last counts. */
function distinct(messages: readonly Message[]): readonly Message[] {
  const last = new Map(messages.map((message) => [message.text, message.number]))
  return messages.filter((message) => last.get(message.text) === message.number)
}

function renderGoal(text: string, othersWait: boolean, budget: number, estimate: Estimate): string {
  const heading = `${GOAL_HEADING}\n`
  const room = budget * (othersWait ? GOAL_SHARE : 1) - estimate(heading)
  const goal = fitTokens(text, room, estimate)
  return goal === '' ? '' : `${heading}${goal}`
}

function renderMessages(messages: readonly Message[], budget: number, estimate: Estimate): string {
  const shown = new Map<Message, { text: string; tokens: number }>()
  let left = budget - estimate(`${USER_HEADING}\n`)
  const show = (message: Message, text: string) => {
    const line = `[${message.number}] ${text}`
    const before = shown.get(message)?.tokens ?? 0
    const tokens = estimate(`${line}\n`)
    if (tokens - before > left) return
    shown.set(message, { text: line, tokens })
    left -= tokens - before
  }
  const newest = messages.toReversed()
  const ruled = newest.filter((message) => message.rules.length > 0)
  for (const message of ruled) show(message, excerpt(message, left, estimate))
  for (const message of ruled) if (left > 0) show(message, message.text)
  for (const message of newest) if (left > 0 && !shown.has(message)) show(message, message.text)
  for (const message of newest) if (left > 0 && !shown.has(message)) show(message, cutMiddle(message.text, SHORTENED))
  if (shown.size === 0) return ''
  const lines = messages.flatMap((message) => shown.get(message)?.text ?? [])
  return [USER_HEADING, ...lines].join('\n')
}

/** The rules of a message alone, or the newest-written of them that fit. */
function excerpt(message: Message, budget: number, estimate: Estimate): string {
  const whole = message.rules.join('\n')
  if (whole.length >= message.text.length) return message.text
  const text = `(excerpt) ${whole}`
  if (estimate(text) <= budget) return text
  return `(excerpt) ${fitTokens(whole, budget * 0.5, estimate)}`
}
