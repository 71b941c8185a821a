import { type Fields, fieldsOf, isFields, listOf, textOf } from '../importers/json-fields.ts'

/**
 * A message of LangChain as the plain object that says the same, whether it is an instance of one of its classes or what
 * became of one as JSON; undefined for any other value, plain messages included.
 */
export function plainMessage(value: unknown): object | undefined {
  if (!isFields(value)) return undefined
  if (value.lc === 1 && value.type === 'constructor') return ofSerialized(value)
  const tell = value._getType ?? value.getType
  if (typeof tell !== 'function' || !('content' in value)) return undefined
  return ofFields(textOf(value.type) ?? String(tell.call(value)), value)
}

function ofSerialized({ id, kwargs }: Fields): object | undefined {
  const type = TYPES[String(listOf(id).at(-1)).replace(/Chunk$/, '')]
  return type === undefined ? undefined : ofFields(type, fieldsOf(kwargs))
}

function ofFields(type: string, fields: Fields): object {
  const said = SAID.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]] as const]))
  return { type, ...Object.fromEntries(said) }
}

const TYPES: Readonly<Record<string, string>> = {
  HumanMessage: 'human',
  AIMessage: 'ai',
  SystemMessage: 'system',
  ToolMessage: 'tool',
  FunctionMessage: 'function',
  ChatMessage: 'generic',
}

const SAID = [
  'content',
  'id',
  'name',
  'role',
  'tool_call_id',
  'status',
  'tool_calls',
  'invalid_tool_calls',
  'additional_kwargs',
  'response_metadata',
  'usage_metadata',
  'artifact',
] as const
