import { jsonBytes } from '../../engine/json/json-bytes.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import type { MessageView, PartView } from '../../engine/messages/message.ts'
import { isInjectedText } from '../injected-text.ts'
import { isObject, stringOr } from '../json-fields.ts'
import { viewOfParts } from '../message-view.ts'
import { type AnthropicBlock, type AnthropicMessage, blocksOf, isBlockList, kindOf, roleOf, typeOf } from './items.ts'
import { mediaInside, mediaOf, plainText } from './media.ts'

/** The message as the engine sees it: one part a block, in order. Never throws, whatever stands in the message. */
export function viewMessage(message: AnthropicMessage): MessageView {
  const ofUser = roleOf(message) !== 'assistant' && roleOf(message) !== 'system'
  const parts = blocksOf(message).map((block) => partOf(block, ofUser))
  const content: unknown = isObject(message) ? message.content : undefined
  if (typeof content === 'string' && parts[0] !== undefined) {
    parts[0] = { ...parts[0], bytes: () => jsonBytes(content) }
  }
  return viewOfParts(roleOf(message), parts)
}

function partOf(block: AnthropicBlock, ofUser: boolean): PartView {
  const bytes = () => jsonBytes(block)
  const type = typeOf(block)
  if (type === 'text') return textPart(block, ofUser, bytes)
  if (type === 'image' || type === 'document') return mediaPart(block, type, bytes)
  switch (kindOf(block)) {
    case 'client-call':
    case 'server-call':
      return callPart(block, bytes)
    case 'client-result':
      return resultPart(block, bytes)
    case 'server-result':
      return serverResultPart(block, bytes)
    case 'thinking':
      return { kind: 'reasoning', text: () => stringOr(block.thinking, ''), bytes, editable: false }
    default:
      return { kind: 'opaque', text: () => '', bytes, editable: false, ...(type === 'compaction' && { pinned: true }) }
  }
}

function textPart(block: AnthropicBlock, ofUser: boolean, bytes: () => number): PartView {
  const text = stringOr(block.text, '')
  const injected = ofUser && isInjectedText(text)
  return { kind: 'text', text: () => text, bytes, editable: true, ...(injected && { injected }) }
}

/** A document that carries its text is read and cut as text; any other is a picture or file. */
function mediaPart(block: AnthropicBlock, kind: 'image' | 'document', bytes: () => number): PartView {
  const text = kind === 'document' ? plainText(block.source) : undefined
  if (text === undefined) return { kind, text: () => '', media: mediaInside([block]), bytes, editable: false }
  const editable = isObject(block.source) && block.source.type === 'text'
  return { kind, text: () => text, bytes, editable }
}

function callPart(block: AnthropicBlock, bytes: () => number): PartView {
  return {
    kind: 'tool-call',
    ...(typeof block.id === 'string' && { callId: block.id }),
    ...(typeof block.name === 'string' && { toolName: block.name }),
    text: () => jsonText(block.input),
    bytes,
    editable: kindOf(block) === 'client-call',
  }
}

function resultPart(block: AnthropicBlock, bytes: () => number): PartView {
  const media = mediaInside(block.content)
  return {
    kind: 'tool-result',
    ...(typeof block.tool_use_id === 'string' && { callId: block.tool_use_id }),
    ...(block.is_error === true && { isError: true }),
    text: () => resultText(block.content),
    ...(media.length > 0 && { media }),
    bytes,
    editable: true,
  }
}

/** The text blocks of a tool result's content, joined by a newline. */
export function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!isBlockList(content)) return ''
  return content.flatMap((block) => (typeOf(block) === 'text' ? [stringOr(block.text, '')] : [])).join('\n')
}

/** What a server tool found is bound to the call beside it and partly encrypted: it is counted, never edited. */
function serverResultPart(block: AnthropicBlock, bytes: () => number): PartView {
  const { content } = block
  return {
    kind: 'tool-result',
    ...(typeof block.tool_use_id === 'string' && { callId: block.tool_use_id }),
    ...((block.is_error === true || isErrorContent(content)) && { isError: true }),
    text: () => (typeof content === 'string' ? content : jsonText(content)),
    bytes,
    editable: false,
  }
}

function isErrorContent(content: unknown): boolean {
  return isObject(content) && typeof content.type === 'string' && content.type.endsWith('_error')
}

/** Does the block carry a picture or file of this kind that a placeholder can stand for? */
export function isMediaOf(block: AnthropicBlock, kind: 'image' | 'document'): boolean {
  const media = mediaOf(block)
  return media !== undefined && media.kind === kind
}
