import { field, textField } from '../../json-fields.ts'

/** A kind of call that the client carries out and answers with an item of its own. */
export interface CallFamily {
  readonly call: string
  readonly output: string
  /** What the API calls it in its refusals. */
  readonly words: string
}

const FAMILIES: readonly CallFamily[] = [
  { call: 'function_call', output: 'function_call_output', words: 'function call' },
  { call: 'custom_tool_call', output: 'custom_tool_call_output', words: 'custom tool call' },
  { call: 'local_shell_call', output: 'local_shell_call_output', words: 'local shell call' },
  { call: 'computer_call', output: 'computer_call_output', words: 'computer call' },
  { call: 'shell_call', output: 'shell_call_output', words: 'shell call' },
  { call: 'apply_patch_call', output: 'apply_patch_call_output', words: 'apply patch call' },
  { call: 'tool_search_call', output: 'tool_search_output', words: 'tool search call' },
]

/** A call or an output of the input, with the id that ties the two. */
export interface CallEnd {
  readonly end: 'call' | 'output'
  readonly family: CallFamily
  readonly id: string
}

/** What an item is in the pairing of calls and outputs; undefined: neither, or the server answers the call itself. */
export function callEnd(item: unknown): CallEnd | undefined {
  const type = textField(item, 'type')
  const family = FAMILIES.find((one) => one.call === type || one.output === type)
  if (family === undefined || answeredByServer(item, family)) return undefined
  const id = callId(item) ?? ''
  return { end: family.call === type ? 'call' : 'output', family, id }
}

function answeredByServer(item: unknown, family: CallFamily): boolean {
  return family.call === 'tool_search_call' && field(item, 'execution') !== 'client'
}

/** The SDK types a local shell output with `id`; the API itself reads `call_id`. Either names the call. */
function callId(item: unknown): string | undefined {
  const named = textField(item, 'type') === 'local_shell_call_output' ? textField(item, 'id') : undefined
  return textField(item, 'call_id') ?? named
}

const MODEL_ITEMS = new Set([
  ...FAMILIES.map((family) => family.call),
  'reasoning',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'program',
  'compaction',
  'compaction_summary',
  'item_reference',
])

/** Did (or could) the model write this item? */
export function isModelItem(item: unknown): boolean {
  const type = itemType(item)
  return type === 'message' ? field(item, 'role') === 'assistant' : MODEL_ITEMS.has(type)
}

const CLIENT_ITEMS = new Set([
  ...FAMILIES.map((family) => family.output),
  'message',
  'mcp_approval_response',
  'additional_tools',
  'compaction_trigger',
  'program_output',
])

/** Does the API know items of this type? */
export function isKnownItem(item: unknown): boolean {
  return MODEL_ITEMS.has(itemType(item)) || CLIENT_ITEMS.has(itemType(item))
}

/** The type of an item; a message may leave it out, and so may a reference. */
export function itemType(item: unknown): string {
  const type = textField(item, 'type')
  if (type !== undefined) return type
  if (field(item, 'role') !== undefined) return 'message'
  return textField(item, 'id') === undefined ? '' : 'item_reference'
}
