import { jsonBytes } from '../../engine/json/json-bytes.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import type { Media, MessageView, PartView, Role } from '../../engine/messages/message.ts'
import { isCheckpointText } from '../../engine/summary/checkpoint-text.ts'
import { isInjectedText } from '../injected-text.ts'
import { fieldsOf, isObject, listOf, stringOf } from '../json-fields.ts'
import { documentMedia, imageMedia, soundMedia } from '../openai-media.ts'
import { callSurfaceOf, isTextEntry, outputShapeOf } from './editable-fields.ts'
import {
  idOf,
  isApprovalReference,
  isCallReference,
  isKnownRole,
  isSelfContained,
  kindOf,
  pairIdOf,
} from './families.ts'
import type { ResponsesItem } from './items.ts'

/** Reads one item. One item is one message; only a message with a content list has more than one part. */
export function viewItem(item: ResponsesItem): MessageView {
  switch (kindOf(item)) {
    case 'message':
      return viewMessage(item)
    case 'reasoning':
      return one(
        'assistant',
        wholePart(item, 'reasoning', () => reasoningText(item)),
      )
    case 'call':
      return one('assistant', callPart(item))
    case 'output':
      return one('tool', outputPart(item))
    case 'approval-request':
      return one('assistant', approvalPart(item, 'approval-request'))
    case 'approval-response':
      return one('tool', approvalPart(item, 'approval-response'))
    case 'compaction':
      return one('assistant', { ...wholePart(item, 'opaque'), pinned: true })
    case 'setting':
      return one('system', { ...wholePart(item, 'opaque', () => settingText(item)), pinned: true })
    case 'reference':
      return one('assistant', referencePart(item))
    case 'hosted':
      return one('assistant', hostedPart(item))
  }
}

function viewMessage(item: ResponsesItem): MessageView {
  const { role: name, content } = fieldsOf(item)
  const role = roleOf(name)
  if (role === undefined) return one('assistant', wholePart(item, 'opaque'))
  if (typeof content === 'string') return message(role, [textPart(role, content, content)])
  const parts = listOf(content).map((entry) => contentPart(role, entry))
  return parts.length === 0 ? one(role, wholePart(item, 'opaque')) : message(role, parts)
}

function message(role: Role, parts: readonly PartView[]): MessageView {
  const texts = parts.filter((part) => part.kind === 'text')
  const checkpoint =
    role === 'user' && texts.length === parts.length && texts.every((part) => isCheckpointText(part.text()))
  return checkpoint ? { role, parts, checkpoint } : { role, parts }
}

function roleOf(name: unknown): Role | undefined {
  if (!isKnownRole(name)) return undefined
  return name === 'developer' ? 'system' : name
}

function contentPart(role: Role, entry: unknown): PartView {
  const fields = fieldsOf(entry)
  if (isTextEntry(entry)) return textPart(role, entry.text, entry)
  const media = mediaOf(entry)
  if (media === undefined) return { ...wholePart(entry, 'opaque', () => stringOf(fields.refusal) ?? '') }
  const kind = media.kind === 'image' || media.kind === 'document' ? media.kind : 'opaque'
  return { ...wholePart(entry, kind), media: [media] }
}

function textPart(role: Role, text: string, native: unknown): PartView {
  const injected = role === 'user' && isInjectedText(text)
  const part = { ...wholePart(native, 'text', () => text), editable: role !== 'system' }
  return injected ? { ...part, injected } : part
}

function mediaOf(entry: unknown): Media | undefined {
  const fields = fieldsOf(entry)
  switch (fields.type) {
    case 'input_image':
    case 'computer_screenshot':
      return imageMedia(stringOf(fields.image_url), fields.detail)
    case 'input_file':
      return documentMedia(stringOf(fields.file_data))
    case 'input_audio':
      return soundMedia('audio', stringOf(fieldsOf(fields.input_audio).data))
    default:
      return undefined
  }
}

function callPart(item: ResponsesItem): PartView {
  const surface = callSurfaceOf(item)
  const { type, name } = fieldsOf(item)
  return {
    ...wholePart(item, 'tool-call', surface.text),
    ...pairing(item),
    toolName: stringOf(name) ?? String(type).replace(/_call$/, ''),
    editable: surface.write !== undefined,
  }
}

function outputPart(item: ResponsesItem): PartView {
  const { output, status } = fieldsOf(item)
  const shape = outputShapeOf(item)
  const entries = isObject(output) ? [output] : listOf(output)
  const media = entries.flatMap((entry) => mediaOf(entry) ?? [])
  return {
    ...wholePart(item, 'tool-result', () => shape.text(item)),
    ...pairing(item),
    ...(media.length > 0 && { media }),
    ...(status === 'failed' && { isError: true }),
    editable: shape.editable,
  }
}

function approvalPart(item: ResponsesItem, kind: 'approval-request' | 'approval-response'): PartView {
  const fields = fieldsOf(item)
  const text = kind === 'approval-request' ? fields.arguments : fields.reason
  const toolName = stringOf(fields.name)
  return {
    ...wholePart(item, kind, () => stringOf(text) ?? ''),
    ...pairing(item),
    ...(toolName !== undefined && { toolName }),
  }
}

/** What a reference points at is known by its id alone. A call without a call id is answered by place. */
function referencePart(item: ResponsesItem): PartView {
  if (isCallReference(item)) return wholePart(item, 'tool-call')
  const id = idOf(item)
  const isApproval = isApprovalReference(item) && id !== undefined
  return isApproval ? { ...wholePart(item, 'approval-request'), callId: id } : wholePart(item, 'opaque')
}

function hostedPart(item: ResponsesItem): PartView {
  const { type, result } = fieldsOf(item)
  const part = wholePart(item, 'opaque', () => hostedText(item))
  if (type !== 'image_generation_call' || typeof result !== 'string') return part
  return { ...part, media: [imageMedia(`data:image/png;base64,${result}`, undefined)] }
}

/** What the model reads of a hosted call; empty where that is not known. */
function hostedText(item: ResponsesItem): string {
  const fields = fieldsOf(item)
  switch (fields.type) {
    case 'web_search_call':
      return jsonText(fields.action)
    case 'file_search_call':
      return `${jsonText(fields.queries)}\n${jsonText(fields.results)}`
    case 'code_interpreter_call':
      return [stringOf(fields.code), ...listOf(fields.outputs).map((output) => stringOf(fieldsOf(output).logs))]
        .filter((text) => text !== undefined)
        .join('\n')
    case 'mcp_call':
      return [fields.name, fields.arguments, fields.output, fields.error]
        .filter((text) => typeof text === 'string')
        .join('\n')
    default:
      return ''
  }
}

/** Encrypted reasoning has no text here, and its summary is not what the model reads. */
function reasoningText(item: ResponsesItem): string {
  const { content, summary } = fieldsOf(item)
  const texts = textsOf(content)
  return texts.length > 0 || isSelfContained(item) ? texts.join('\n') : textsOf(summary).join('\n')
}

function settingText(item: ResponsesItem): string {
  const { tools } = fieldsOf(item)
  return jsonText(tools)
}

function textsOf(list: unknown): readonly string[] {
  return listOf(list).flatMap((entry) => stringOf(fieldsOf(entry).text) ?? [])
}

function pairing(item: ResponsesItem): { callId: string } | Record<string, never> {
  const callId = pairIdOf(item)
  return callId === undefined ? {} : { callId }
}

function wholePart(native: unknown, kind: PartView['kind'], text: () => string = () => ''): PartView {
  return { kind, text, bytes: () => jsonBytes(native), editable: false }
}

function one(role: Role, part: PartView): MessageView {
  return { role, parts: [part] }
}
