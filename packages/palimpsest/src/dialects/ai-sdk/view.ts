import type { MessageView, PartView } from '../../engine/messages/message.ts'
import { isCheckpointText } from '../../engine/summary/checkpoint-text.ts'
import { isInjectedText } from '../injected-text.ts'
import { property, stringOf } from '../json-fields.ts'
import type { AiSdkMessage, AiSdkPart } from './items.ts'
import {
  isProviderCompaction,
  isProviderRun,
  isReasoning,
  isSigned,
  mediaOf,
  outputOf,
  partsOf,
  type ToolOutput,
  typeOf,
  wordsOf,
} from './part-data.ts'
import { jsonText, wireBytes } from './wire-json.ts'

/** A message as the engine sees it. Total: any value has a view, and the same message always has the same parts. */
export function viewMessage(message: AiSdkMessage): MessageView {
  const role = ROLES.has(property(message, 'role')) ? message.role : 'user'
  const parts = partsOf(message)
  return {
    role,
    parts: parts.map((part) => viewPart(part, message, role)),
    ...(role === 'user' && parts.length > 0 && parts.every(isCheckpoint) && { checkpoint: true }),
  }
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool'])

function isCheckpoint(part: AiSdkPart): boolean {
  return isCheckpointText(wordsOf(part) ?? '')
}

function viewPart(part: AiSdkPart, message: AiSdkMessage, role: AiSdkMessage['role']): PartView {
  const bytes = () => wireBytes(part)
  if (isProviderCompaction(part)) return { ...opaquePart(part, bytes), pinned: true }
  if (isProviderRun(part, message)) return { ...opaquePart(part, bytes), ...pairing(part) }
  if (isReasoning(part)) return reasoningPart(part, bytes)
  const words = wordsOf(part)
  if (words !== undefined) return wordsPart(part, words, role, bytes)
  const media = mediaOf(part)
  if (media !== undefined) {
    const kind = media.kind === 'document' ? 'document' : 'image'
    return { kind, text: () => '', media: [media], bytes, editable: false }
  }
  switch (typeOf(part)) {
    case 'tool-call':
      return { kind: 'tool-call', ...pairing(part), text: () => inputText(part), bytes, editable: !isSigned(part) }
    case 'tool-result':
      return resultPart(part, bytes)
    case 'tool-approval-request':
      return { kind: 'approval-request', ...approval(part), text: () => '', bytes, editable: false }
    case 'tool-approval-response': {
      const reason = stringOf(property(part, 'reason')) ?? ''
      return { kind: 'approval-response', ...approval(part), text: () => reason, bytes, editable: false }
    }
    default:
      return opaquePart(part, bytes)
  }
}

function opaquePart(part: AiSdkPart, bytes: () => number): PartView {
  return { kind: 'opaque', text: () => opaqueText(part), bytes, editable: false }
}

/** What the provider shows its model: the input, the outcome, the words. For a part nobody here knows, its JSON. */
function opaqueText(part: AiSdkPart): string {
  switch (typeOf(part)) {
    case 'tool-call':
      return inputText(part)
    case 'tool-result':
      return resultText(outputOf(part))
    default:
      return wordsOf(part) ?? jsonText(part)
  }
}

function reasoningPart(part: AiSdkPart, bytes: () => number): PartView {
  const media = mediaOf(part)
  const text = stringOf(property(part, 'text')) ?? ''
  return { kind: 'reasoning', text: () => text, ...(media && { media: [media] }), bytes, editable: false }
}

function wordsPart(part: AiSdkPart, words: string, role: AiSdkMessage['role'], bytes: () => number): PartView {
  const injected = role !== 'assistant' && isInjectedText(words)
  // A system message speaks with authority: a half of one could say the opposite.
  const editable = role !== 'system' && !isSigned(part)
  return { kind: 'text', text: () => words, bytes, editable, ...(injected && { injected }) }
}

function inputText(part: AiSdkPart): string {
  return jsonText(property(part, 'input') ?? {})
}

function resultPart(part: AiSdkPart, bytes: () => number): PartView {
  const output = outputOf(part)
  const media = output.kind === 'content' ? output.blocks.flatMap((block) => mediaOf(block) ?? []) : []
  return {
    kind: 'tool-result',
    ...pairing(part),
    ...(isFailure(output) && { isError: true }),
    text: () => resultText(output),
    ...(media.length > 0 && { media }),
    bytes,
    editable: output.kind !== 'denied' && output.kind !== 'unknown' && !isSigned(part),
  }
}

function isFailure(output: ToolOutput): boolean {
  return output.kind === 'denied' || ((output.kind === 'text' || output.kind === 'json') && output.failed)
}

function resultText(output: ToolOutput): string {
  switch (output.kind) {
    case 'text':
      return output.text
    case 'content':
      return output.blocks.flatMap((block) => wordsOf(block) ?? []).join('\n')
    case 'denied':
      return output.reason
    default:
      return output.value === undefined ? '' : jsonText(output.value)
  }
}

function pairing(part: AiSdkPart): Pick<PartView, 'callId' | 'toolName'> {
  const callId = stringOf(property(part, 'toolCallId'))
  const toolName = stringOf(property(part, 'toolName'))
  return { ...(callId !== undefined && { callId }), ...(toolName !== undefined && { toolName }) }
}

/**
 * A response names only the approval, a request the approval and its call. Both carry the approval as their pairing id,
 * so that they pair with each other; the request stands in the message of its call, which ties the three together.
 */
function approval(part: AiSdkPart): Pick<PartView, 'callId'> {
  const id = stringOf(property(part, 'approvalId'))
  return id === undefined ? {} : { callId: `approval:${id}` }
}
