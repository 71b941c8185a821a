import { canonicalJson } from '../../engine/json/canonical-json.ts'
import { fieldsOf, isObject } from '../json-fields.ts'
import type { LangChainMessage } from './items.ts'

/** Cache marks in content entries, of Anthropic's API and of Bedrock. */
export const CACHE_MARKS = ['cache_control', 'cachePoint'] as const

/**
 * Fields that say nothing to the model, or differ between two readings of one message: ids are given anew to messages that
 * come without one; metadata, usage and artifacts are for the program; chunks and constructor arguments repeat the rest.
 */
export const UNSEEN = [
  'id',
  'response_metadata',
  'usage_metadata',
  'artifact',
  'metadata',
  'lc_kwargs',
  'lc_namespace',
  'lc_serializable',
  'lc_direct_tool_output',
  'invalid_tool_calls',
  'tool_call_chunks',
] as const

const UNSEEN_NAMES: ReadonlySet<string> = new Set(UNSEEN)

/** Text that is equal for messages that mean the same to the model: cache marks and the spelling of content aside. */
export function fingerprintMessage(message: LangChainMessage): string {
  const seen = Object.entries(fieldsOf(message)).filter(([name, value]) => !UNSEEN_NAMES.has(name) && !isNothing(value))
  const { content, ...rest } = Object.fromEntries(seen)
  return canonicalJson({ ...rest, ...(content !== undefined && { content: plainContent(content) }) })
}

/** Classes fill in what was not given. */
function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0
}

/** A string stands for one text entry, since a mark needs an entry to stand on. */
function plainContent(content: unknown): unknown {
  if (typeof content === 'string') return [content]
  return Array.isArray(content) ? content.map(plainEntry) : content
}

function plainEntry(entry: unknown): unknown {
  if (!isObject(entry)) return entry
  const fields: Record<string, unknown> = { ...entry }
  for (const mark of CACHE_MARKS) delete fields[mark]
  const isText = Object.keys(fields).length === 2 && fields.type === 'text' && typeof fields.text === 'string'
  return isText ? fields.text : fields
}
