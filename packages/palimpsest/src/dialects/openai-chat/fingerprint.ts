import { canonicalJson } from '../../engine/json/canonical-json.ts'
import { fieldsOf } from '../json-fields.ts'
import type { ChatMessage } from './items.ts'

/** Cache marks: OpenAI's own, and the one that routers pass on to other providers. */
export const CACHE_MARKS = ['prompt_cache_breakpoint', 'cache_control'] as const

/**
 * Text that is equal for messages that mean the same to the model. Left out are cache marks, which clients move along, and
 * with them the spelling of content: a string stands for one text part, since a mark needs a part to stand on. Reasoning
 * stays in, though some clients strip it from earlier turns: part numbers count it.
 */
export function fingerprintMessage(message: ChatMessage): string {
  const { content, ...rest } = unmarked(message)
  return canonicalJson({ ...rest, ...(content !== undefined && { content: plainContent(content) }) })
}

function plainContent(content: unknown): unknown {
  if (typeof content === 'string') return [content]
  return Array.isArray(content) ? content.map(plainEntry) : content
}

/** A plain text part is its text. */
function plainEntry(entry: unknown): unknown {
  const fields = unmarked(entry)
  const keys = Object.keys(fields)
  if (keys.length === 0) return entry
  return keys.length === 2 && fields.type === 'text' && typeof fields.text === 'string' ? fields.text : fields
}

function unmarked(value: unknown): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = { ...fieldsOf(value) }
  for (const mark of CACHE_MARKS) delete fields[mark]
  return fields
}
