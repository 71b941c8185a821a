import { type Fields, isFields } from '../json-fields.ts'

/** A whole request body, whatever its dialect: it has a list of messages, contents or input items. */
export function isRequestBody(value: unknown): value is Fields {
  if (!isFields(value)) return false
  if (typeof value.input === 'string') return typeof value.model === 'string'
  return ['messages', 'contents', 'prompt', 'input'].some((key) => isMessageList(value[key], key))
}

/** One message, content or input item on its own. */
export function isMessage(value: unknown): value is Fields {
  if (!isFields(value)) return false
  if (typeof value.role === 'string') return 'content' in value || 'parts' in value || 'tool_calls' in value
  return typeof value.call_id === 'string' && typeof value.type === 'string'
}

/** A message as LangChain writes it to JSON: its type says who speaks. */
export function isLangChainMessage(value: unknown): value is Fields {
  return isFields(value) && value.role === undefined && LANGCHAIN_TYPES.has(value.type) && 'content' in value
}

const LANGCHAIN_TYPES: ReadonlySet<unknown> = new Set(['human', 'ai', 'system', 'developer', 'tool', 'function'])

/** A message in a list of its own; contents may have no role. */
export function isListedMessage(value: unknown): boolean {
  return isMessage(value) || (isFields(value) && Array.isArray(value.parts) && !('info' in value))
}

/** Input items need no role (reasoning, calls, results), contents may do without one. */
function isMessageList(value: unknown, key: string): boolean {
  if (!Array.isArray(value)) return false
  const [first] = value as readonly unknown[]
  if (first === undefined || isMessage(first)) return true
  if (!isFields(first)) return false
  if (key === 'messages') return isLangChainMessage(first)
  return key === 'input' ? typeof first.type === 'string' : key === 'contents' && Array.isArray(first.parts)
}
