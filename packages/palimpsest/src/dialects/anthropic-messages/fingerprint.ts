import { canonicalJson } from '../../engine/json/canonical-json.ts'
import { isObject } from '../json-fields.ts'
import { type AnthropicBlock, type AnthropicMessage, isBlockList, kindOf } from './items.ts'

/**
 * Stable text of a message: equal for messages that differ only in cache marks, in the order of keys, or in whether a
 * text stands as a string or as one block. A key of that name inside a tool's arguments is no mark.
 */
export function fingerprintMessage(message: AnthropicMessage): string {
  if (!isObject(message)) return canonicalJson(message)
  const { content } = message as AnthropicMessage
  return canonicalJson(isBlockList(content) ? { ...message, content: plainContent(content) } : message)
}

function plainContent(blocks: readonly AnthropicBlock[]): unknown {
  const plain = blocks.map(withoutMarks)
  const [only] = plain
  const isPlainText = plain.length === 1 && isObject(only) && Object.keys(only).length === 2 && only.type === 'text'
  return isPlainText && typeof only.text === 'string' ? only.text : plain
}

function withoutMarks(block: AnthropicBlock): unknown {
  if (!isObject(block)) return block
  const { cache_control: _, ...rest } = block as AnthropicBlock
  if (kindOf(block as AnthropicBlock) !== 'client-result' || !isBlockList(rest.content)) return rest
  return { ...rest, content: rest.content.map(withoutMarks) }
}
