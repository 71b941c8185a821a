import type { Conversation, Lens } from '../engine/messages/message.ts'

/** What a call is for, as far as it decides what may be done to it. */
export type CallPurpose =
  /** No answer of the model stands in it yet: there is nothing to compact. */
  | 'opening'
  /** A known client has its history summarised: whatever is done must not ask a model for another summary. */
  | 'summary'
  | 'turn'

/** By the items and the words that clients open their summary prompts with; history at the provider is no opening. */
export function callPurpose<Item>(conversation: Conversation<Item>, lens: Pick<Lens<Item>, 'view'>): CallPurpose {
  const hasAnswer = conversation.items.some((item) => lens.view(item).role === 'assistant')
  if (!hasAnswer && conversation.historyOnServer !== true) return 'opening'
  return lastUserTexts(conversation, lens).some(isSummaryPrompt) ? 'summary' : 'turn'
}

/** Texts of the message that the model is to answer: nothing unless it is the user's. */
function lastUserTexts<Item>({ items }: Conversation<Item>, lens: Pick<Lens<Item>, 'view'>): readonly string[] {
  for (let at = items.length - 1; at >= 0; at--) {
    const { role, parts } = lens.view(items[at] as Item)
    if (role === 'system') continue
    return role === 'user' ? parts.filter(({ kind }) => kind === 'text').map((part) => part.text()) : []
  }
  return []
}

function isSummaryPrompt(text: string): boolean {
  const opening = text.trimStart().slice(0, OPENING_CHARACTERS)
  return SUMMARY_OPENINGS.some((pattern) => pattern.test(opening))
}

/** How far into a prompt the telling words may stand, behind a preamble. */
const OPENING_CHARACTERS = 2_000

/** The least that tells them from a user's words; looked up in the clients' published sources and prompts. */
const SUMMARY_OPENINGS: readonly RegExp[] = [
  // Claude Code (with its preamble of newer releases), Cline and its relatives.
  /^(?:CRITICAL: Respond with TEXT ONLY\b.*\n\s*)?Your task is to create a (?:detailed|comprehensive detailed) summary of (?:the|this)(?: RECENT portion of the)? conversation\b/s,
  // Codex.
  /^You are performing a CONTEXT CHECKPOINT COMPACTION\b/,
  // opencode, older and newer.
  /^Provide a detailed (?:prompt|summary) for continuing our conversation above\b/,
  /^Summarize the older portion of the preceding conversation\b/,
  /^(?:Create a new|Update the) anchored summary\b/,
  // Gemini CLI, and the call with which it checks its own summary.
  /(?:^|\n)First, reason in your scratchpad\. Then, generate the (?:updated )?<state_snapshot>/,
  /^Critically evaluate the <state_snapshot>/,
]
