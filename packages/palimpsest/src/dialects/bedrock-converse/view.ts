import { jsonText } from '../../engine/json/json-text.ts'
import type { MessageView, PartView } from '../../engine/messages/message.ts'
import { isInjectedText } from '../injected-text.ts'
import { type Fields, isObject, stringOr } from '../json-fields.ts'
import { viewOfParts } from '../message-view.ts'
import { type BedrockBlock, type BedrockMessage, clientCall, isBlockList, memberOf, partsOf, roleOf } from './items.ts'
import { documentText, mediaInside, mediaOf } from './media.ts'
import { wireBytes } from './wire-form.ts'

/** The message as the engine sees it: one part a block that is no cache point, in order. Never throws. */
export function viewMessage(message: BedrockMessage): MessageView {
  const role = roleOf(message)
  const parts = partsOf(message).map((block) => partOf(block, role))
  return viewOfParts(role, parts)
}

function partOf(block: BedrockBlock, role: string): PartView {
  const bytes = () => wireBytes(block)
  switch (memberOf(block)) {
    case 'text':
      return textPart(stringOr(block.text, ''), role, bytes)
    case 'guardContent':
      return guardPart(block, role, bytes)
    case 'citationsContent':
      return { kind: 'text', text: () => citedText(block.citationsContent), bytes, editable: false }
    case 'image':
      return { kind: 'image', text: () => '', media: mediaInside([block]), bytes, editable: false }
    case 'document':
      return documentPart(block, bytes)
    case 'toolUse':
      return callPart(block, bytes)
    case 'toolResult':
      return resultPart(block, role, bytes)
    case 'reasoningContent':
      return { kind: 'reasoning', text: () => reasoningText(block.reasoningContent), bytes, editable: false }
    default: {
      const media = mediaInside([block])
      return { kind: 'opaque', text: () => '', ...(media.length > 0 && { media }), bytes, editable: false }
    }
  }
}

function textPart(text: string, role: string, bytes: () => number): PartView {
  const ofUser = role !== 'assistant' && role !== 'system'
  const injected = ofUser && isInjectedText(text)
  return { kind: 'text', text: () => text, bytes, editable: true, ...(injected && { injected }) }
}

/** Content that a guardrail looks at is the user's own text or picture. */
function guardPart(block: BedrockBlock, role: string, bytes: () => number): PartView {
  const media = mediaOf(block)
  if (media !== undefined) return { kind: 'image', text: () => '', media: [media], bytes, editable: false }
  return textPart(guardedText(block.guardContent) ?? '', role, bytes)
}

/** The text of guarded content; undefined for a picture. */
export function guardedText(content: unknown): string | undefined {
  return isObject(content) && isObject(content.text) ? stringOr(content.text.text, '') : undefined
}

function citedText(content: unknown): string {
  if (!isObject(content) || !isBlockList(content.content)) return ''
  return content.content.flatMap((block) => (isObject(block) ? [stringOr(block.text, '')] : [])).join('')
}

/** A document that carries its text is read and cut as text; any other is a file. */
function documentPart(block: BedrockBlock, bytes: () => number): PartView {
  const text = documentText(block)
  if (text === undefined) {
    return { kind: 'document', text: () => '', media: mediaInside([block]), bytes, editable: false }
  }
  const { document } = block
  const editable = isObject(document) && isObject(document.source) && typeof document.source.text === 'string'
  return { kind: 'document', text: () => text, bytes, editable }
}

function callPart(block: BedrockBlock, bytes: () => number): PartView {
  const call: Fields = isObject(block.toolUse) ? block.toolUse : {}
  return {
    kind: 'tool-call',
    ...(typeof call.toolUseId === 'string' && { callId: call.toolUseId }),
    ...(typeof call.name === 'string' && { toolName: call.name }),
    text: () => jsonText(call.input),
    bytes,
    editable: clientCall(block) !== undefined,
  }
}

/** A result in an assistant message is the provider's own: bound to the call beside it, never edited. */
function resultPart(block: BedrockBlock, role: string, bytes: () => number): PartView {
  const result: Fields = isObject(block.toolResult) ? block.toolResult : {}
  const media = mediaInside(result.content)
  return {
    kind: 'tool-result',
    ...(typeof result.toolUseId === 'string' && { callId: result.toolUseId }),
    ...(result.status === 'error' && { isError: true }),
    text: () => resultText(result.content),
    ...(media.length > 0 && { media }),
    bytes,
    editable: role !== 'assistant',
  }
}

/** Text and JSON blocks of a tool result's content, joined by a newline. */
export function resultText(content: unknown): string {
  if (!isBlockList(content)) return ''
  return content
    .flatMap((block) => {
      const member = memberOf(block)
      if (member === 'text') return [stringOr(block.text, '')]
      return member === 'json' ? [jsonText(block.json)] : []
    })
    .join('\n')
}

function reasoningText(content: unknown): string {
  return isObject(content) && isObject(content.reasoningText) ? stringOr(content.reasoningText.text, '') : ''
}
