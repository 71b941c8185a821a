import { fieldsOf, stringOf } from '../json-fields.ts'
import type { ResponsesItem } from './items.ts'

/** What an item is to its neighbours. */
export type ItemKind =
  | 'message'
  | 'reasoning'
  /** Asks the client (or a server program) for something; an output item answers it by `call_id`. */
  | 'call'
  | 'output'
  | 'approval-request'
  | 'approval-response'
  /** The provider's own summary of everything before it. */
  | 'compaction'
  /** Points at an item that is stored at the provider. */
  | 'reference'
  /** Sets something up for the rest of the request and is no part of the talk: further tools, a trigger. */
  | 'setting'
  /** Everything that the model or the provider said in one piece: hosted calls, and kinds that are not known here. */
  | 'hosted'

interface CallFamily {
  readonly outputs: readonly string[]
  /** May it stand without an output (the provider writes it, perhaps later)? */
  readonly mayStayOpen?: true
}

/** Which output types answer which call type. */
const CALL_FAMILIES: ReadonlyMap<string, CallFamily> = new Map<string, CallFamily>([
  ['function_call', { outputs: ['function_call_output'] }],
  ['custom_tool_call', { outputs: ['custom_tool_call_output'] }],
  ['local_shell_call', { outputs: ['local_shell_call_output', 'function_call_output'] }],
  ['shell_call', { outputs: ['shell_call_output'] }],
  ['apply_patch_call', { outputs: ['apply_patch_call_output'] }],
  ['computer_call', { outputs: ['computer_call_output'] }],
  ['tool_search_call', { outputs: ['tool_search_output'], mayStayOpen: true }],
  ['program', { outputs: ['program_output'], mayStayOpen: true }],
])

const OUTPUT_TYPES: ReadonlySet<string> = new Set([...CALL_FAMILIES.values()].flatMap((family) => family.outputs))

const KINDS: ReadonlyMap<string, ItemKind> = new Map<string, ItemKind>([
  ['message', 'message'],
  ['reasoning', 'reasoning'],
  ['mcp_approval_request', 'approval-request'],
  ['mcp_approval_response', 'approval-response'],
  ['compaction', 'compaction'],
  ['compaction_summary', 'compaction'], // its name in earlier Codex clients
  ['item_reference', 'reference'],
  ['additional_tools', 'setting'],
  ['compaction_trigger', 'setting'],
])

export function kindOf(item: ResponsesItem): ItemKind {
  const { type, role, id, call_id: callId } = fieldsOf(item)
  if (typeof type !== 'string')
    return typeof role === 'string' ? 'message' : typeof id === 'string' ? 'reference' : 'hosted'
  const known = KINDS.get(type)
  if (known !== undefined) return known
  if (type === 'tool_search_call' || type === 'tool_search_output') return pairedKind(type, callId)
  if (CALL_FAMILIES.has(type)) return 'call'
  if (OUTPUT_TYPES.has(type)) return 'output'
  return pairedKind(type, callId)
}

/** Kinds that pair only where a call id says so; for types that are not known, their name tells which side they are. */
function pairedKind(type: string, callId: unknown): ItemKind {
  if (typeof callId !== 'string') return 'hosted'
  if (type.endsWith('_output')) return 'output'
  return type.endsWith('_call') ? 'call' : 'hosted'
}

/** The id that pairs a call with its output, or an approval with its request. */
export function pairIdOf(item: ResponsesItem): string | undefined {
  const fields = fieldsOf(item)
  switch (kindOf(item)) {
    case 'call':
      return stringOf(fields.call_id)
    case 'output':
      // The official type of this one output names the call in `id`; the guides write `call_id`.
      return stringOf(fields.call_id) ?? (fields.type === 'local_shell_call_output' ? stringOf(fields.id) : undefined)
    case 'approval-request':
      return stringOf(fields.id)
    case 'approval-response':
      return stringOf(fields.approval_request_id)
    default:
      return undefined
  }
}

/** Are the pairing rules of this call or output type known? */
export function isKnownFamily(item: ResponsesItem): boolean {
  const { type } = fieldsOf(item)
  return typeof type === 'string' && (CALL_FAMILIES.has(type) || OUTPUT_TYPES.has(type))
}

export function answers(output: ResponsesItem, call: ResponsesItem): boolean {
  const family = CALL_FAMILIES.get(stringOf(fieldsOf(call).type) ?? '')
  return family?.outputs.includes(stringOf(fieldsOf(output).type) ?? '') === true
}

export function mayStayOpen(call: ResponsesItem): boolean {
  return CALL_FAMILIES.get(stringOf(fieldsOf(call).type) ?? '')?.mayStayOpen === true
}

/** Reasoning, or a reference to stored reasoning. */
export function isReasoning(item: ResponsesItem): boolean {
  const kind = kindOf(item)
  return kind === 'reasoning' || (kind === 'reference' && idOf(item)?.startsWith('rs_') === true)
}

/** Ids of stored calls that the client answers: functions, custom tools, local shell, computer, patches. */
const CALL_ID = /^(fc|ctc|lsh|cu|apc)_/

/** A reference to a stored call: its call id is not told. */
export function isCallReference(item: ResponsesItem): boolean {
  return kindOf(item) === 'reference' && CALL_ID.test(idOf(item) ?? '')
}

/** A reference to a stored approval request: an approval answers it by this very id. */
export function isApprovalReference(item: ResponsesItem): boolean {
  return kindOf(item) === 'reference' && idOf(item)?.startsWith('mcpr_') === true
}

/** Reasoning that says nothing by itself: only the provider's copy, found by its id, has the content. */
export function isBareReasoning(item: ResponsesItem): boolean {
  return isReasoning(item) && idOf(item) !== undefined && !isSelfContained(item)
}

/** Reasoning that carries its content: encrypted, or open in the models that show it. */
export function isSelfContained(item: ResponsesItem): boolean {
  const { encrypted_content: sealed, content } = fieldsOf(item)
  return (typeof sealed === 'string' && sealed !== '') || (Array.isArray(content) && content.length > 0)
}

/** Did the model (or the provider on its behalf) say it, so that reasoning may belong to it? */
export function isModelSaid(item: ResponsesItem): boolean {
  const kind = kindOf(item)
  if (kind === 'message') return fieldsOf(item).role === 'assistant'
  return kind !== 'output' && kind !== 'approval-response' && kind !== 'setting'
}

/** Roles of messages whose content is read part by part; a message of any other role is one opaque part. */
export function isKnownRole(role: unknown): role is 'user' | 'assistant' | 'system' | 'developer' {
  return role === 'user' || role === 'assistant' || role === 'system' || role === 'developer'
}

/** An instruction of the application: a system or developer message, or tools that it adds. */
export function isInstruction(item: ResponsesItem): boolean {
  const { role, type } = fieldsOf(item)
  const speaks = role === 'system' || role === 'developer'
  return speaks && (kindOf(item) === 'message' || type === 'additional_tools')
}

export function idOf(item: ResponsesItem): string | undefined {
  return stringOf(fieldsOf(item).id)
}
