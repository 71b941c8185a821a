import { isObject } from '../json-fields.ts'
import { obsoleteBefore } from '../obsolete-before.ts'
import { type AnthropicBlock, type AnthropicMessage, blocksOf, kindOf, roleOf, typeOf } from './items.ts'

/** @see Lens.obsoleteBefore: what stands before the message with the newest `compaction` block. */
export function obsoleteMessagesBefore(messages: readonly AnthropicMessage[]): number {
  return obsoleteBefore(messages, {
    isCompaction: (message) => blocksOf(message).some(isCompaction),
    asks: (message) => blocksOf(message).flatMap((block) => (kindOf(block).endsWith('-call') ? idIn(block.id) : [])),
    answers: (message) =>
      blocksOf(message).flatMap((block) => (kindOf(block).endsWith('-result') ? idIn(block.tool_use_id) : [])),
    mayBegin: (all, index) => {
      const message = all[index]
      if (message === undefined) return false
      const [first] = blocksOf(message)
      if (roleOf(message) === 'user') return !blocksOf(message).some((block) => kindOf(block) === 'client-result')
      return first !== undefined && isCompaction(first)
    },
  })
}

/** Without content it tells of a compaction that failed: the provider reads on as if it were not there. */
function isCompaction(block: AnthropicBlock): boolean {
  return typeOf(block) === 'compaction' && isObject(block) && typeof block.content === 'string'
}

function idIn(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : []
}
