import type { Conversation, Violation } from '../../engine/messages/message.ts'
import { isObject, stringOr } from '../json-fields.ts'
import { violation } from '../violation.ts'
import {
  type BedrockBlock,
  type BedrockMessage,
  clientCall,
  isBlockList,
  memberOf,
  partsOf,
  roleOf,
  serverCall,
  toolResult,
} from './items.ts'
import { BEDROCK_RULES } from './rules.ts'
import { guardedText } from './view.ts'

/** Rules that one message keeps or breaks by itself. */
export function checkMessages(view: Conversation<BedrockMessage>): readonly Violation[] {
  return view.items.flatMap((message, position) => {
    if (!isWellFormed(message)) {
      const text = `Message ${position} is no object with a role and a list of blocks.`
      return [violation(BEDROCK_RULES.malformed, { position }, text, 'Send messages as the API defines them.')]
    }
    const parts = partsOf(message)
    if (parts.length === 0) {
      const text = `Message ${position} has no content.`
      return [violation(BEDROCK_RULES.emptyContent, { position }, text, 'Leave the message out.')]
    }
    return [
      ...parts.flatMap((block, part) => checkBlock(message, block, position, part)),
      ...checkDocuments(message, parts, position),
    ]
  })
}

function isWellFormed(message: BedrockMessage): boolean {
  if (!['user', 'assistant', 'system'].includes(roleOf(message))) return false
  return isBlockList(message.content) && message.content.every((block) => memberOf(block) !== '')
}

function checkBlock(message: BedrockMessage, block: BedrockBlock, position: number, part: number): Violation[] {
  const place = { position, part }
  const found: Violation[] = []
  if (isBlank(block)) {
    const text = `Part ${part} of message ${position} holds a text that is blank.`
    found.push(violation(BEDROCK_RULES.blankText, place, text, 'Leave the text out or write something in it.'))
  }
  if (!mayStandIn(message, block, part)) {
    const text = `A "${memberOf(block)}" block stands in a message of role "${roleOf(message)}".`
    found.push(violation(BEDROCK_RULES.wrongRole, place, text, 'Move it to a message of the role that it belongs to.'))
  }
  const call = clientCall(block)
  if (call !== undefined && !isObject(call.input)) {
    const text = `The arguments of call ${stringOr(call.toolUseId, '')} are no JSON object.`
    found.push(violation(BEDROCK_RULES.callInput, place, text, 'Give the arguments as an object.'))
  }
  return found
}

function isBlank(block: BedrockBlock): boolean {
  if (memberOf(block) === 'text') return isBlankText(block.text)
  if (memberOf(block) === 'guardContent') return isBlankText(guardedText(block.guardContent) ?? 'a picture')
  const content = toolResult(block)?.content
  return isBlockList(content) && content.some((inner) => memberOf(inner) === 'text' && isBlankText(inner.text))
}

function isBlankText(text: unknown): boolean {
  return stringOr(text, '').trim() === ''
}

/** A result in an assistant message is right where the provider's own call stands before it. */
function mayStandIn(message: BedrockMessage, block: BedrockBlock, part: number): boolean {
  const role = roleOf(message)
  switch (memberOf(block)) {
    case 'toolUse':
    case 'reasoningContent':
      return role === 'assistant'
    case 'image':
    case 'document':
      return role === 'user'
    case 'toolResult': {
      if (role !== 'assistant') return role === 'user'
      const id = toolResult(block)?.toolUseId
      return partsOf(message)
        .slice(0, part)
        .some((before) => serverCall(before)?.toolUseId === id)
    }
    default:
      return true
  }
}

function checkDocuments(message: BedrockMessage, parts: readonly BedrockBlock[], position: number): Violation[] {
  const part = parts.findIndex((block) => memberOf(block) === 'document')
  const hasText = parts.some((block) => memberOf(block) === 'text' || guardedText(block.guardContent) !== undefined)
  if (part < 0 || hasText || roleOf(message) !== 'user') return []
  const text = `Message ${position} holds a file and no text.`
  return [violation(BEDROCK_RULES.bareDocument, { position, part }, text, 'Put a text beside the file.')]
}
