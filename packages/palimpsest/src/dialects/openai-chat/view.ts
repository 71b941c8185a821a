import { jsonBytes } from '../../engine/json/json-bytes.ts'
import type { MessageView, PartView, Role } from '../../engine/messages/message.ts'
import { isCheckpointText } from '../../engine/summary/checkpoint-text.ts'
import { isInjectedText } from '../injected-text.ts'
import { type Fields, fieldsOf, listOf, stringOf } from '../json-fields.ts'
import { documentMedia, imageMedia, type OpenAiMedia, soundMedia } from '../openai-media.ts'
import { type CallReading, readCall, readFunctionCall } from './calls.ts'
import type { ChatMessage } from './items.ts'
import { isToolResult, REASONING_FIELDS, type Slot, slotsOf } from './slots.ts'

/** Reads one message: reasoning first, then content, then calls. */
export function viewMessage(message: ChatMessage): MessageView {
  const role = roleOf(message)
  const parts = slotsOf(message).map((slot) => partAt(message, role, slot))
  const isCheckpoint = role === 'user' && parts.every((part) => part.kind === 'text' && isCheckpointText(part.text()))
  return isCheckpoint ? { role, parts, checkpoint: true } : { role, parts }
}

function roleOf(message: ChatMessage): Role {
  const { role } = fieldsOf(message)
  if (isToolResult(message)) return 'tool'
  if (role === 'system' || role === 'developer') return 'system'
  return role === 'user' ? 'user' : 'assistant'
}

function partAt(message: ChatMessage, role: Role, slot: Slot): PartView {
  const fields = fieldsOf(message)
  switch (slot.at) {
    case 'reasoning':
      return fixed('reasoning', reasoningOf(fields), () => reasoningText(fields))
    case 'text':
      return text(role, fields.content, String(fields.content))
    case 'entry':
      return entry(role, listOf(fields.content)[slot.index])
    case 'refusal':
      return fixed('opaque', fields.refusal, () => String(fields.refusal))
    case 'audio':
      return fixed('opaque', fields.audio)
    case 'call': {
      const call = listOf(fields.tool_calls)[slot.index]
      return toolCall(call, readCall(call))
    }
    case 'function-call':
      return toolCall(fields.function_call, readFunctionCall(fields.function_call))
    case 'whole':
      return role === 'tool' ? toolResult(fields) : fixed('opaque', message)
  }
}

function text(role: Role, native: unknown, value: string): PartView {
  const injected = role === 'user' && isInjectedText(value)
  const part = { ...fixed('text', native, () => value), editable: role !== 'system' }
  return injected ? { ...part, injected } : part
}

function entry(role: Role, native: unknown): PartView {
  const fields = fieldsOf(native)
  if (fields.type === 'text' && typeof fields.text === 'string') return text(role, native, fields.text)
  const media = mediaOf(native)
  if (media === undefined) return fixed('opaque', native, () => stringOf(fields.refusal) ?? '')
  const kind = media.kind === 'image' || media.kind === 'document' ? media.kind : 'opaque'
  return { ...fixed(kind, native), media: [media] }
}

/** The picture, file or sound in an entry of a content list. */
export function mediaOf(entry: unknown): OpenAiMedia | undefined {
  const fields = fieldsOf(entry)
  switch (fields.type) {
    case 'image_url': {
      const { url, detail } = fieldsOf(fields.image_url)
      return imageMedia(stringOf(url) ?? stringOf(fields.image_url), detail)
    }
    case 'file':
      return documentMedia(stringOf(fieldsOf(fields.file).file_data))
    case 'input_audio':
      return soundMedia('audio', stringOf(fieldsOf(fields.input_audio).data))
    case 'video_url':
      return soundMedia('video', undefined)
    default:
      return undefined
  }
}

function toolCall(native: unknown, call: CallReading): PartView {
  return {
    ...fixed('tool-call', native, () => call.text),
    ...(call.id !== undefined && { callId: call.id }),
    ...(call.name !== undefined && { toolName: call.name }),
    editable: call.editable,
  }
}

function toolResult(fields: Fields): PartView {
  const { content, tool_call_id: id, name } = fields
  const media = listOf(content).flatMap((entry) => mediaOf(entry) ?? [])
  return {
    ...fixed('tool-result', fields, () => contentText(content)),
    ...(typeof id === 'string' && { callId: id }),
    ...(typeof name === 'string' && { toolName: name }),
    ...(media.length > 0 && { media }),
    editable: typeof content === 'string' || Array.isArray(content),
  }
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  const texts = listOf(content).flatMap((entry) => stringOf(fieldsOf(entry).text) ?? [])
  return texts.join('\n')
}

function reasoningOf(fields: Fields): Fields {
  return Object.fromEntries(REASONING_FIELDS.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])))
}

/** The first field that says it in the open; the others repeat it. */
function reasoningText(fields: Fields): string {
  const open = stringOf(fields.reasoning_content) || stringOf(fields.reasoning)
  if (open) return open
  const details = listOf(fields.reasoning_details).map(fieldsOf)
  return details.flatMap((detail) => stringOf(detail.text) ?? stringOf(detail.summary) ?? []).join('\n')
}

function fixed(kind: PartView['kind'], native: unknown, text: () => string = () => ''): PartView {
  return { kind, text, bytes: () => jsonBytes(native), editable: false }
}
