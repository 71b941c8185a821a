import type { Conversation, Violation } from '../../engine/messages/message.ts'
import { fieldsOf, isJson, listOf, stringOf } from '../json-fields.ts'
import { idOf, isBareReasoning, isModelSaid, isReasoning, kindOf } from './families.ts'
import type { ResponsesItem } from './items.ts'
import { type PairingFault, pairingFaults } from './pairing.ts'

/** What a request says beside its items, where rules depend on it. */
export interface ResponsesSettings {
  readonly store?: boolean
  readonly stream?: boolean
  /** Uses explicit cache breakpoints (`prompt_cache_options`), so the upstream knows them. */
  readonly cacheBreakpoints?: boolean
}

/** An opened Responses request. Without `settings` (a session file) the rules about them are not checked. */
export interface ResponsesConversation extends Conversation<ResponsesItem> {
  readonly settings?: ResponsesSettings
}

/** Every rule with what is wrong and what to do about it. */
export const RESPONSES_RULES = {
  /** There is something to answer. */
  'responses/empty-input': ['The request has no items.', 'Keep at least the last user message.'],
  /** Each call is answered by an output of its family with its `call_id`. */
  'responses/call-without-output': ['A call has no output.', 'Append its output, or leave the call out.'],
  /** Each output answers a call that stands before it. */
  'responses/output-without-call': ['An output answers no call before it.', 'Keep the call, or leave the output out.'],
  /** A call id is used again only after its first call was answered. */
  'responses/duplicate-call': ['A call id is used again while its first call is open.', 'Give each call its own id.'],
  /** One call, one output. */
  'responses/duplicate-output': ['A call is answered a second time.', 'Keep one output for each call.'],
  /** Custom, shell, patch and computer calls have output types of their own. */
  'responses/output-of-other-kind': [
    'An output has not the type that its call asks for.',
    'Use the output type of the call.',
  ],
  /** Calls and outputs are paired by `call_id` and nothing else. */
  'responses/missing-call-id': ['A call or output has no call id.', 'Give call and output the same `call_id`.'],
  /** An MCP approval answers a request that stands before it. */
  'responses/approval-without-request': [
    'An approval answers no request.',
    'Keep the approval request, or leave both out.',
  ],
  /** Reasoning belongs to the item that follows it. */
  'responses/reasoning-without-successor': [
    'A reasoning item is not followed by what it led to.',
    'Keep both, or leave both out.',
  ],
  /** Stored reasoning is matched with its follower by their ids. */
  'responses/reasoning-successor-without-id': [
    'Stored reasoning is followed by an item without an id.',
    'Keep the id of the item, or leave the reasoning out.',
  ],
  /** With `store: false` nothing can be found by its id. */
  'responses/bare-reference': [
    'An id points at a stored item, but nothing is stored.',
    'Send the content (`encrypted_content` for reasoning), or set `store`.',
  ],
  /** A message says something. */
  'responses/empty-content': ['A message has no content.', 'Leave the message out.'],
  /** Function arguments are JSON text. */
  'responses/arguments-not-json': ['The arguments of a call do not parse as JSON.', 'Send JSON text as `arguments`.'],
  /** A compaction item is what the provider sealed, whole. */
  'responses/compaction-without-content': [
    'A compaction item has lost its content.',
    'Keep `encrypted_content` as the provider sent it.',
  ],
} as const satisfies Record<string, readonly [message: string, fix: string]>

export type ResponsesRule = keyof typeof RESPONSES_RULES

/** The rules of the Responses API that the conversation breaks. */
export function checkResponses(view: ResponsesConversation): readonly Violation[] {
  const { items } = view
  const unstored = view.settings?.store === false
  return [
    ...(hasNothing(view) ? [violation('responses/empty-input')] : []),
    ...pairingFaults(items).flatMap((fault) => pairingViolation(fault, view)),
    ...items.flatMap((item, position) => checkItem(item, position)),
    ...items.flatMap((item, position) => checkReasoning(items, item, position, unstored)),
    ...(unstored
      ? items.flatMap((item, position) => (isBareId(item) ? [violation('responses/bare-reference', position)] : []))
      : []),
  ].sort((a, b) => (a.position ?? -1) - (b.position ?? -1))
}

function hasNothing({ items, system, historyOnServer }: ResponsesConversation): boolean {
  return items.length === 0 && historyOnServer !== true && !system.some((entry) => typeof entry === 'object')
}

function pairingViolation({ index, fault }: PairingFault, view: ResponsesConversation): readonly Violation[] {
  // With the history at the provider, the call may stand there.
  const elsewhere = fault === 'output-without-call' || fault === 'approval-without-request'
  if (elsewhere && view.historyOnServer === true) return []
  return [violation(`responses/${fault}`, index)]
}

function checkItem(item: ResponsesItem, position: number): readonly Violation[] {
  const { type, arguments: args, content, encrypted_content: sealed } = fieldsOf(item)
  const kind = kindOf(item)
  if (kind === 'message' && content !== '' && isEmpty(content)) return [violation('responses/empty-content', position)]
  if (kind === 'compaction' && isEmpty(sealed)) return [violation('responses/compaction-without-content', position)]
  const text = type === 'function_call' ? (stringOf(args) ?? '{') : ''
  return text === '' || isJson(text) ? [] : [violation('responses/arguments-not-json', position)]
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'string' ? value === '' : listOf(value).length === 0
}

function checkReasoning(
  items: readonly ResponsesItem[],
  item: ResponsesItem,
  position: number,
  unstored: boolean,
): readonly Violation[] {
  if (!isReasoning(item)) return []
  const next = items[position + 1]
  if (next === undefined || !isModelSaid(next)) return [violation('responses/reasoning-without-successor', position)]
  const isMatchedById = isBareReasoning(item) && !unstored
  if (isMatchedById && !isReasoning(next) && idOf(next) === undefined) {
    return [violation('responses/reasoning-successor-without-id', position)]
  }
  return []
}

function isBareId(item: ResponsesItem): boolean {
  return kindOf(item) === 'reference' || isBareReasoning(item)
}

function violation(rule: ResponsesRule, position?: number): Violation {
  const [message, fix] = RESPONSES_RULES[rule]
  return { rule, message, fix, ...(position !== undefined && { position }) }
}

/** What the Codex backend asks for beyond the Responses API. */
export const CODEX_RULES = {
  /** Codex takes its system prompt in `instructions` and nowhere else. */
  'codex/instructions-required': ['The request has no instructions.', 'Send the system prompt as `instructions`.'],
  /** Codex stores nothing. */
  'codex/store-must-be-false': ['The request asks to be stored.', 'Set `store` to false.'],
  /** Codex only streams. */
  'codex/stream-required': ['The request does not stream.', 'Set `stream` to true.'],
  /** Codex has no output cap. */
  'codex/output-cap-refused': ['The request caps its output.', 'Leave `max_output_tokens` out.'],
} as const satisfies Record<string, readonly [message: string, fix: string]>

/** The rules of the Codex backend that the conversation breaks; those of the Responses API come with them. */
export function checkCodex(view: ResponsesConversation): readonly Violation[] {
  const { settings, system, outputCap } = view
  const broken: (keyof typeof CODEX_RULES)[] = []
  if (settings !== undefined) {
    if (!system.some((entry) => typeof entry === 'string' && entry !== '')) broken.push('codex/instructions-required')
    if (settings.store !== false) broken.push('codex/store-must-be-false')
    if (settings.stream !== true) broken.push('codex/stream-required')
    if (outputCap !== undefined) broken.push('codex/output-cap-refused')
  }
  const own = broken.map((rule): Violation => ({ rule, message: CODEX_RULES[rule][0], fix: CODEX_RULES[rule][1] }))
  return [...own, ...checkResponses(view)]
}
