import { canonicalJson } from '../../engine/json/canonical-json.ts'
import { type Fields, fieldsOf } from '../json-fields.ts'
import { isTextEntry } from './editable-fields.ts'
import { isSelfContained, kindOf, pairIdOf } from './families.ts'
import type { ResponsesItem } from './items.ts'

/**
 * Text that is equal for items that mean the same to the model. Left out is what clients change between two calls:
 * - `status` (set when an item was streamed, absent when it was read back);
 * - `id`, where the content stands in the item itself: clients strip ids when they do not store. It stays where it is the
 *   content (references, bare reasoning), pairs items (approvals), or belongs to a kind that is not known here;
 * - cache breakpoints;
 * - the spelling of a message: `type` may be absent, and a string stands for one text part.
 */
export function fingerprintItem(item: ResponsesItem): string {
  const { status: _status, id, content, output, type: _type, ...rest } = fieldsOf(item)
  const kind = kindOf(item)
  return canonicalJson({
    ...rest,
    type: kind === 'message' ? 'message' : kind === 'reference' ? 'item_reference' : fieldsOf(item).type,
    ...(keepsId(item) && { id }),
    ...(content !== undefined && { content: kind === 'message' ? plainContent(content) : content }),
    ...(output !== undefined && { output: Array.isArray(output) ? output.map(plainEntry) : output }),
  })
}

function keepsId(item: ResponsesItem): boolean {
  switch (kindOf(item)) {
    case 'message':
    case 'compaction':
      return false
    case 'reasoning':
      return !isSelfContained(item)
    case 'call':
    case 'output':
      return pairIdOf(item) === undefined || pairIdOf(item) === fieldsOf(item).id
    default:
      return true
  }
}

function plainContent(content: unknown): unknown {
  if (typeof content === 'string') return [content]
  return Array.isArray(content) ? content.map(plainEntry) : content
}

/** A text part without annotations is its text: `annotations: []` comes and goes. */
function plainEntry(entry: unknown): unknown {
  const { prompt_cache_breakpoint: _mark, ...fields } = fieldsOf(entry) as Fields
  if (!isTextEntry(entry)) return Object.keys(fields).length === 0 ? entry : fields
  const { text, type: _type, annotations, logprobs: _logprobs, ...rest } = fields
  const cited = Array.isArray(annotations) && annotations.length > 0
  return Object.keys(rest).length === 0 && !cited ? text : { ...rest, text, ...(cited && { annotations }) }
}
