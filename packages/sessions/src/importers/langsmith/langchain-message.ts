import { type Fields, fieldsOf, isFields, listOf } from '../json-fields.ts'

/**
 * A LangChain message as plain fields, as the dialect `langchain` reads it, from any form in which runs hold one: what a
 * class serialises to, a stored message, the fields alone, a message in OpenAI's form, or a pair of type and text. Undefined
 * for anything else. The fields are those of the file.
 */
export function langChainMessage(value: unknown): Fields | undefined {
  if (Array.isArray(value)) return pair(value)
  if (!isFields(value)) return undefined
  if (value.lc !== undefined) return serialised(value)
  if (isFields(value.data) && typeof value.type === 'string') return typed(value.type, value.data)
  if (!('content' in value) && !('tool_calls' in value)) return undefined
  if (typeof value.type === 'string' && typeOf(value.type) !== undefined) return typed(value.type, value)
  return typeof value.role === 'string' ? inOpenAiForm(value.role, value) : undefined
}

/** Could this be a message, whatever its type? Lists are searched by it. */
export function looksLikeMessage(value: unknown): boolean {
  if (langChainMessage(value) !== undefined) return true
  return isFields(value) && value.lc !== undefined && String(listOf(value.id).at(-1)).includes('Message')
}

/** `{ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: { … } }` */
function serialised({ type, id, kwargs }: Fields): Fields | undefined {
  const name = listOf(id).at(-1)
  if (type !== 'constructor' || typeof name !== 'string' || !isFields(kwargs)) return undefined
  return name.includes('Message') ? typed(name, kwargs) : undefined
}

/** Names of types and of classes, of messages and of pieces of a stream. */
function typed(name: string, fields: Fields): Fields | undefined {
  const type = typeOf(name)
  return type === undefined ? undefined : { ...fields, type }
}

function typeOf(name: string): string | undefined {
  return TYPES.get(name.replace(/(?:MessageChunk|Message|Chunk)$/, '').toLowerCase())
}

/** Calls of OpenAI's form stand where LangChain keeps what a provider wrote. */
function inOpenAiForm(role: string, { role: _, tool_calls: calls, ...fields }: Fields): Fields | undefined {
  const type = TYPES.get(role)
  if (type === undefined) return undefined
  const raw = listOf(calls)
  if (raw.length === 0) return { ...fields, type }
  if (!raw.some((call) => isFields(fieldsOf(call).function))) return { ...fields, type, tool_calls: raw }
  return { ...fields, type, additional_kwargs: { ...fieldsOf(fields.additional_kwargs), tool_calls: raw } }
}

function pair(value: readonly unknown[]): Fields | undefined {
  const [name, content] = value
  if (value.length !== 2 || typeof name !== 'string') return undefined
  return typeof content === 'string' || Array.isArray(content) ? typed(name, { content }) : undefined
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['human', 'human'],
  ['user', 'human'],
  ['ai', 'ai'],
  ['assistant', 'ai'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool'],
  ['function', 'function'],
  ['chat', 'generic'],
  ['generic', 'generic'],
])
