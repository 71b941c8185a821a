import type { Conversation, Violation } from '../../engine/messages/message.ts'
import { isObject, stringOr } from '../json-fields.ts'
import { violation } from '../violation.ts'
import {
  type AnthropicBlock,
  type AnthropicMessage,
  blocksOf,
  isBlockList,
  isDirective,
  isThinking,
  kindOf,
  roleOf,
  typeOf,
} from './items.ts'
import { ANTHROPIC_RULES } from './rules.ts'

/** Rules that one message keeps or breaks by itself. */
export function checkMessages(view: Conversation<AnthropicMessage>): readonly Violation[] {
  const last = view.items.length - 1
  return view.items.flatMap((message, position) => {
    if (!isWellFormed(message)) {
      const text = `Message ${position} is no object with a role and content.`
      return violation(ANTHROPIC_RULES.malformed, { position }, text, 'Send messages as the API defines them.')
    }
    return [
      ...checkContent(message, position, last),
      ...blocksOf(message).flatMap((block, part) => checkBlock(message, block, position, part)),
      ...checkThinkingOrder(message, position),
      ...(position === last ? checkEnd(message, position) : []),
    ]
  })
}

function isWellFormed(message: AnthropicMessage): boolean {
  if (!['user', 'assistant', 'system'].includes(roleOf(message))) return false
  const { content } = message
  if (content === undefined) return isDirective(message)
  return typeof content === 'string' || (isBlockList(content) && content.every((block) => typeOf(block) !== ''))
}

function checkContent(message: AnthropicMessage, position: number, last: number): readonly Violation[] {
  const isEmpty = message.content === '' || blocksOf(message).length === 0
  // An empty last assistant message asks for an answer from its start.
  if (!isEmpty || isDirective(message) || (position === last && roleOf(message) === 'assistant')) return []
  const text = `Message ${position} has no content.`
  return [violation(ANTHROPIC_RULES.emptyContent, { position }, text, 'Leave the message out.')]
}

function checkBlock(
  message: AnthropicMessage,
  block: AnthropicBlock,
  position: number,
  part: number,
): readonly Violation[] {
  const place = { position, part }
  const found: Violation[] = []
  if (isEmptyText(message, block)) {
    const text = `Text ${part} of message ${position} is empty.`
    found.push(violation(ANTHROPIC_RULES.emptyText, place, text, 'Leave the block out or write something in it.'))
  }
  const role = roleOf(message)
  if (role === 'system' && !SYSTEM_BLOCKS.has(typeOf(block))) {
    const text = `System message ${position} holds a block of type "${typeOf(block)}".`
    found.push(violation(ANTHROPIC_RULES.systemContent, place, text, 'Keep text and tool changes in it, nothing else.'))
  } else if (!mayStandWith(role, block)) {
    const text = `A "${typeOf(block)}" block stands in a message of role "${role}".`
    found.push(
      violation(ANTHROPIC_RULES.wrongRole, place, text, 'Move it to a message of the role that it belongs to.'),
    )
  }
  if (isUnsigned(block)) {
    const text = `Thinking ${part} of message ${position} carries no signature.`
    found.push(violation(ANTHROPIC_RULES.unsigned, place, text, 'Leave the thinking block out.'))
  }
  if (kindOf(block) === 'client-call' && !isObject(block.input)) {
    const text = `The arguments of call ${stringOr(block.id, '')} are no JSON object.`
    found.push(violation(ANTHROPIC_RULES.callInput, place, text, 'Give the arguments as an object.'))
  }
  return found
}

const SYSTEM_BLOCKS: ReadonlySet<string> = new Set(['text', 'tool_addition', 'tool_removal'])

/** White space alone counts as empty, except inside a result, where only "" is refused. A string message "" has no content at all. */
function isEmptyText(message: AnthropicMessage, block: AnthropicBlock): boolean {
  if (typeOf(block) === 'text') return message.content !== '' && stringOr(block.text, '').trim() === ''
  if (kindOf(block) !== 'client-result' || !isBlockList(block.content)) return false
  return block.content.some((inner) => typeOf(inner) === 'text' && inner.text === '')
}

function mayStandWith(role: string, block: AnthropicBlock): boolean {
  const kind = kindOf(block)
  if (kind === 'client-call' || kind === 'thinking') return role === 'assistant'
  return kind !== 'client-result' || role === 'user'
}

function isUnsigned(block: AnthropicBlock): boolean {
  const type = typeOf(block)
  if (type === 'thinking') return stringOr(block.signature, '') === ''
  return type === 'redacted_thinking' && stringOr(block.data, '') === ''
}

function checkThinkingOrder(message: AnthropicMessage, position: number): readonly Violation[] {
  const blocks = blocksOf(message)
  const call = blocks.findIndex((block) => kindOf(block) === 'client-call')
  const part = blocks.findLastIndex(isThinking)
  if (call < 0 || part < call) return []
  const text = `Thinking stands behind a tool call in message ${position}.`
  return [violation(ANTHROPIC_RULES.thinkingOrder, { position, part }, text, 'Send the blocks in their first order.')]
}

function checkEnd(message: AnthropicMessage, position: number): readonly Violation[] {
  const blocks = blocksOf(message)
  const part = blocks.length - 1
  const block = blocks[part]
  if (roleOf(message) !== 'assistant' || block === undefined) return []
  if (isThinking(block)) {
    const text = `The last message, ${position}, ends in thinking.`
    return [violation(ANTHROPIC_RULES.thinkingLast, { position, part }, text, 'Leave that thinking out.')]
  }
  const words = stringOr(block.text, '')
  if (typeOf(block) !== 'text' || words.trimEnd() === words || words.trim() === '') return []
  const text = `The last message, ${position}, is the assistant's and ends in white space.`
  return [violation(ANTHROPIC_RULES.trailingSpace, { position, part }, text, 'Trim the end of the text.')]
}
