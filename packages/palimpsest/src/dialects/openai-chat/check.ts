import type { Conversation, RenderContext, Violation } from '../../engine/messages/message.ts'
import { fieldsOf, isJson, listOf, stringOf } from '../json-fields.ts'
import { readCall, readFunctionCall } from './calls.ts'
import type { ChatMessage } from './items.ts'
import { isInstruction, isToolResult } from './slots.ts'

/** Every rule with what is wrong and what to do about it. */
export const CHAT_RULES = {
  /** There is something to answer. */
  'chat/empty-messages': ['The request has no messages.', 'Keep at least the last user message.'],
  /** Each call of an assistant message is answered directly behind it, before anything else. */
  'chat/call-without-result': [
    'A call has no tool message directly behind its assistant message.',
    'Put one tool message for each call behind it, or leave the step out.',
  ],
  /** A tool message answers a call of the assistant message that its block follows. */
  'chat/result-without-call': ['A tool message answers no call before it.', 'Keep the call, or leave the message out.'],
  /** One call, one tool message. */
  'chat/duplicate-result': ['A call is answered a second time.', 'Keep one tool message for each call.'],
  /** Calls of one message have different ids. */
  'chat/duplicate-call': ['Two calls of one message have the same id.', 'Give each call its own id.'],
  /** Calls and tool messages are paired by id and nothing else. */
  'chat/missing-call-id': ['A call or tool message has no call id.', 'Give call and tool message the same id.'],
  /** In the older form a function message answers the call directly before it, by name. */
  'chat/function-result-without-call': [
    'A function message answers no call directly before it.',
    'Keep the call, or leave the message out.',
  ],
  /** Function arguments are JSON text. */
  'chat/arguments-not-json': ['The arguments of a call do not parse as JSON.', 'Send JSON text as `arguments`.'],
  /** A list of calls has at least one. */
  'chat/empty-tool-calls': ['`tool_calls` is an empty list.', 'Leave the field out.'],
  /** Only calls, a refusal or a sound can stand in for content. */
  'chat/empty-content': ['A message has no content.', 'Leave the message out.'],
  /** Strict chat templates: user and assistant take turns, tool messages apart. */
  'chat/roles-must-alternate': ['Two neighbours have the same role.', 'Join them to one message.'],
  /** Strict chat templates: the user begins. */
  'chat/first-not-user': ['The first message is not from the user.', 'Begin with a user message or a summary.'],
  /** Strict chat templates: system messages only at the beginning. */
  'chat/system-not-first': ['A system message stands between the others.', 'Move it to the beginning.'],
} as const satisfies Record<string, readonly [message: string, fix: string]>

export type ChatRule = keyof typeof CHAT_RULES

/** The rules of Chat Completions that the conversation breaks; those of strict templates only where the context says so. */
export function checkChat(view: Conversation<ChatMessage>, context: Partial<RenderContext> = {}): readonly Violation[] {
  const { items, system } = view
  const isEmpty = items.length === 0 && system.length === 0
  return [
    ...(isEmpty ? [violation('chat/empty-messages')] : []),
    ...items.flatMap((message, position) => checkContent(message, position)),
    ...items.flatMap((message, position) => checkCalls(message, position)),
    ...checkPairs(items),
    ...(context.strictAlternation === true ? checkTemplate(items) : []),
  ].sort((a, b) => (a.position ?? -1) - (b.position ?? -1))
}

function checkContent(message: ChatMessage, position: number): readonly Violation[] {
  const { role, content, tool_calls: calls, function_call: call, refusal, audio } = fieldsOf(message)
  const isAbsent = content === undefined || content === null || (Array.isArray(content) && content.length === 0)
  const standIn = listOf(calls).length > 0 || call != null || stringOf(refusal) !== undefined || audio != null
  if (!isAbsent || role === 'function' || (role === 'assistant' && standIn)) return []
  // An empty list of calls is its own fault.
  return Array.isArray(calls) ? [] : [violation('chat/empty-content', position)]
}

function checkCalls(message: ChatMessage, position: number): readonly Violation[] {
  const { role, tool_calls: list, function_call: older } = fieldsOf(message)
  if (role !== 'assistant') return []
  const calls = listOf(list).map(readCall)
  const rules: ChatRule[] = []
  if (Array.isArray(list) && list.length === 0) rules.push('chat/empty-tool-calls')
  if (calls.some((call) => call.id === undefined)) rules.push('chat/missing-call-id')
  const ids = calls.flatMap((call) => call.id ?? [])
  if (new Set(ids).size < ids.length) rules.push('chat/duplicate-call')
  const all = older == null ? calls : [...calls, readFunctionCall(older)]
  if (all.some((call) => call.isJson && call.text !== '' && !isJson(call.text))) rules.push('chat/arguments-not-json')
  return rules.map((rule) => violation(rule, position))
}

/** Walks through the blocks of an assistant message and the tool messages behind it. */
function checkPairs(items: readonly ChatMessage[]): readonly Violation[] {
  const found: Violation[] = []
  let open = new Set<string>()
  let answered = new Set<string>()
  let caller = -1
  const closeBlock = () => {
    if (open.size > 0) found.push(violation('chat/call-without-result', caller))
  }
  items.forEach((message, position) => {
    if (!isToolResult(message)) {
      closeBlock()
      open = new Set(callIds(message))
      answered = new Set()
      caller = position
    } else if (message.role === 'function') {
      if (!followsFunctionCall(items, position)) found.push(violation('chat/function-result-without-call', position))
    } else {
      const id = stringOf(message.tool_call_id)
      if (id === undefined) found.push(violation('chat/missing-call-id', position))
      else if (open.delete(id)) answered.add(id)
      else found.push(violation(answered.has(id) ? 'chat/duplicate-result' : 'chat/result-without-call', position))
    }
  })
  closeBlock()
  return found
}

function callIds(message: ChatMessage): readonly string[] {
  const { role, tool_calls: calls } = fieldsOf(message)
  return role === 'assistant' ? listOf(calls).flatMap((call) => readCall(call).id ?? []) : []
}

function followsFunctionCall(items: readonly ChatMessage[], position: number): boolean {
  const { role, function_call: call } = fieldsOf(items[position - 1])
  return role === 'assistant' && call != null && readFunctionCall(call).name === items[position]?.name
}

function checkTemplate(items: readonly ChatMessage[]): readonly Violation[] {
  const first = items.findIndex((message) => !isInstruction(message))
  return items.flatMap((message, position) => {
    if (isInstruction(message)) return [violation('chat/system-not-first', position)]
    const { role } = fieldsOf(message)
    if (position === first && role !== 'user') return [violation('chat/first-not-user', position)]
    const isNeighbour = position > 0 && fieldsOf(items[position - 1]).role === role
    return isNeighbour && !isToolResult(message) ? [violation('chat/roles-must-alternate', position)] : []
  })
}

function violation(rule: ChatRule, position?: number): Violation {
  const [message, fix] = CHAT_RULES[rule]
  return { rule, message, fix, ...(position !== undefined && { position }) }
}
