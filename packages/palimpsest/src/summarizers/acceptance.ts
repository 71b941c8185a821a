import { wellFormed } from '../engine/json/well-formed.ts'
import { isBriefing } from '../engine/manifest/briefing.ts'
import type { Generated } from '../engine/summary/text-generation.ts'
import type { SummaryRejection } from './summarizer.ts'
import { SUMMARY_HEADINGS } from './summary-prompt.ts'

/** What an answer is judged against. */
export interface SummaryBasis {
  readonly estimate: (text: string) => number
  /** Tokens of what the summary takes the place of. */
  readonly replaced: number
  /** Tokens that it may take; a quarter more is let pass, because a writer cannot count tokens. */
  readonly budget: number
  /** The texts that the writer read, without an earlier summary: that one may well come back as it was. */
  readonly read: readonly string[]
  /** The assistant's last reply among them. */
  readonly lastReply?: string
  /** The mark of the prompt's delimiters: it stands in no text but the prompt. */
  readonly mark?: string
}

/** Of its budget, what a summary may take at most. */
export const BUDGET_SLACK = 1.25

export type Judgement =
  | { readonly accepted: true; readonly text: string }
  /** `text` only where it could be used when it is cut. */
  | { readonly accepted: false; readonly rejection: SummaryRejection; readonly text?: string }

/** Is this answer a summary? An accepted text is without tags and reasoning around it. */
export function judgeSummary(answer: Generated, basis: SummaryBasis): Judgement {
  const { text: own, isOpen } = summaryText(answer.text)
  const text = isBriefing(own) ? `${TITLE}\n${own}` : own
  const tokens = basis.estimate(text)
  const no = (reason: SummaryRejection['reason'], detail: string): Judgement => {
    return { accepted: false, rejection: { reason, detail }, ...(reason === 'too-long' && { text }) }
  }
  const isBlank = text === ''
  if (answer.finish === 'tool-call') return no('tool-call', 'The model called a tool instead of writing.')
  if (answer.finish === 'length' || (isOpen && !isBlank))
    return no('cut-by-length', 'The answer stopped before its end.')
  if (answer.finish === 'refusal') return no('refusal', 'The provider reports a refusal.')
  if (isBlank && (answer.reasoned === true || answer.text.trim() !== '')) {
    return no('reasoning-only', 'The answer holds reasoning and no text.')
  }
  if (isBlank) return no('empty', 'The answer is empty.')
  if (isRefusal(text)) return no('refusal', 'The answer declines.')
  if (saysNothing(text)) return no('nothing-said', 'The answer says that there is nothing to summarise.')
  if (repeatsInput(text, basis)) return no('repeats-input', 'The answer copies what it was to summarise.')
  if (!(tokens >= leastTokens(basis))) return no('too-short', `${tokens} tokens for ${Math.round(basis.replaced)}.`)
  if (!(tokens < basis.replaced)) return no('not-smaller', `${tokens} tokens for ${Math.round(basis.replaced)}.`)
  if (!(tokens <= basis.budget * BUDGET_SLACK))
    return no('too-long', `${tokens} tokens, ${basis.budget} were asked for.`)
  return { accepted: true, text }
}

/** Stands before a text that would else be taken for a deterministic briefing, which holds the user's rules by itself. */
const TITLE = '# Summary'

/** The answer without reasoning in front and without a tag around it; `isOpen` when such a tag is never closed. */
function summaryText(answer: string): { readonly text: string; readonly isOpen: boolean } {
  const text = wellFormed(withoutReasoning(answer)).trim()
  if (!text.startsWith(OPENING_TAG)) return { text, isOpen: false }
  const inner = text.slice(OPENING_TAG.length)
  // What stands behind the last closing tag is talk; data may hold one too, so it is the last that counts.
  const end = inner.lastIndexOf('</summary>')
  return end < 0 ? { text: inner.trim(), isOpen: true } : { text: inner.slice(0, end).trim(), isOpen: false }
}

const OPENING_TAG = '<summary>'

/** Some models write their reasoning in front of the text; what is never closed is all reasoning. */
function withoutReasoning(answer: string): string {
  let rest = answer
  for (let tag = REASONING_TAG.exec(rest); tag !== null; tag = REASONING_TAG.exec(rest)) {
    const closing = `</${tag[1]}>`
    const end = rest.indexOf(closing)
    rest = end < 0 ? '' : rest.slice(end + closing.length)
  }
  return rest
}

const REASONING_TAG = /^\s*<(think|thinking|reasoning|analysis)>/

/** A text under headings that were asked for is a summary, whatever its first words are. */
function hasHeadings(text: string): boolean {
  return SUMMARY_HEADINGS.filter((heading) => text.includes(heading)).length >= 2
}

/** Characters at the beginning in which a text says that it declines, or has nothing. */
const OPENING = 300

const DECLINES = new RegExp(
  [
    "^(?:i[’']m|i am)?\\s*(?:very |so |really )?sorry\\b.{0,80}\\b(?:can(?:no|[’'])t|unable|not able|won[’']t|will not|could(?: not|n[’']t))",
    "^(?:unfortunately,? )?i (?:can(?:no|[’'])t|won[’']t|will not|must decline|have to decline|am (?:not able|unable)|do not feel|don[’']t feel)\\b",
    "^i[’']m (?:not able|unable|not comfortable)\\b",
    '^i (?:must |have to |need to )?(?:apologi[sz]e|decline)\\b',
    "^as an ai\\b.{0,120}\\b(?:can(?:no|[’'])t|unable|not able|won[’']t)",
    "^(?:sorry|unfortunately),? (?:but )?(?:i|this|that) (?:can(?:no|[’'])t|am unable|is not possible)",
  ].join('|'),
  'is',
)

function isRefusal(text: string): boolean {
  return DECLINES.test(text.slice(0, OPENING)) && !hasHeadings(text)
}

const THING =
  '(?:events?|messages?|conversations?|transcripts?|records?|content|history|information|context|input|text|data)'
const NOTHING = new RegExp(
  [
    `\\bno (?:\\w+ ){0,2}${THING}(?: \\w+){0,3} (?:given|provided|found|available|supplied|shared|included|present|to summari[sz]e|to report)\\b`,
    `^no ${THING}(?: \\w+){0,3}[.!]?$`,
    '\\b(?:nothing|not anything) (?:\\w+ )?to (?:summari[sz]e|report|add|condense)\\b',
    `\\b${THING} (?:is|are|was|were|appears?|seems?)(?: to be)? (?:empty|missing|blank)\\b`,
    `\\b(?:please|could you|can you) (?:provide|share|paste|send|supply)\\b.{0,40}\\b${THING}\\b`,
  ].join('|'),
  'is',
)

/** Longer texts say something, even where they also say that something is missing. */
const MOST_CHARACTERS_OF_NOTHING = 600

function saysNothing(text: string): boolean {
  return text.length <= MOST_CHARACTERS_OF_NOTHING && NOTHING.test(text.slice(0, OPENING)) && !hasHeadings(text)
}

/** A line this long that stands in the input is copied, not met by chance. */
const LONG_LINE = 80
/** Share of a text that may be copied lines: a summary quotes rules, commands and errors. */
const MOST_COPIED = 0.7
/** Below this many characters a few quoted lines are all of a text. */
const LEAST_CHARACTERS_COPIED = 400

function repeatsInput(text: string, { read, lastReply, mark }: SummaryBasis): boolean {
  if (mark !== undefined && text.includes(mark)) return true
  const own = collapsed(text)
  if (lastReply !== undefined && isCopyOf(own, collapsed(lastReply))) return true
  // A whole text that stands in one place of the input.
  if (own.length >= LONG_LINE && read.some((one) => one.length >= text.length * 0.9 && collapsed(one).includes(own))) {
    return true
  }
  if (text.length < LEAST_CHARACTERS_COPIED) return false
  const lines = text.split('\n').map((line) => line.trim())
  const long = lines.filter((line) => line.length >= LONG_LINE)
  const copied = long.filter((line) => read.some((one) => one.includes(line)))
  return copied.reduce((sum, line) => sum + line.length, 0) > text.length * MOST_COPIED
}

/** Is the reply all of the text, or more than half of it? */
function isCopyOf(text: string, reply: string): boolean {
  if (reply === '') return false
  return text === reply || (reply.length >= LONG_LINE && text.includes(reply) && reply.length * 2 > text.length)
}

function collapsed(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Tokens below which a text says too little, whatever it replaces. */
const LEAST_TOKENS = 40
/** One token must stand for no more than this many, up to `LEAST_TOKENS`. */
const MOST_CONDENSED = 500

function leastTokens({ replaced, budget }: SummaryBasis): number {
  return Math.min(LEAST_TOKENS, replaced / MOST_CONDENSED, budget / 4)
}
