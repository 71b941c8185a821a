import { jsonBytes } from '../../engine/json/json-bytes.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import type { MessageView, PartView, Role } from '../../engine/messages/message.ts'
import { isCheckpointText } from '../../engine/summary/checkpoint-text.ts'
import { isInjectedText } from '../injected-text.ts'
import { type Fields, fieldsOf, listOf, stringOf } from '../json-fields.ts'
import { type CallReading, readCall, readFunctionCall, readRawCall } from './calls.ts'
import type { LangChainMessage } from './items.ts'
import { entryBytes, mediaIn, mediaOf } from './media.ts'
import { isCallEntry, REASONING_FIELDS, REASONING_TYPES, type Slot, slotsOf, speakerOf } from './slots.ts'

/** Reads one message: reasoning first, then content, then calls. */
export function viewMessage(message: LangChainMessage): MessageView {
  const speaker = speakerOf(message)
  const parts = slotsOf(message).map((slot) => partAt(message, speaker, slot))
  // Results that stand in a message of the user make it the tool's.
  const isTool = speaker === 'tool' || (speaker === 'user' && parts.every((part) => part.kind === 'tool-result'))
  const role = isTool ? 'tool' : (speaker ?? 'assistant')
  const isCheckpoint = role === 'user' && parts.every((part) => part.kind === 'text' && isCheckpointText(part.text()))
  return isCheckpoint ? { role, parts, checkpoint: true } : { role, parts }
}

function partAt(message: LangChainMessage, speaker: Role | undefined, slot: Slot): PartView {
  const fields = fieldsOf(message)
  const extra = fieldsOf(fields.additional_kwargs)
  switch (slot.at) {
    case 'reasoning':
      return fixed('reasoning', reasoningOf(extra), () => reasoningText(extra))
    case 'text':
      return text(fields, speaker, fields.content, String(fields.content))
    case 'entry':
      return entry(fields, speaker, listOf(fields.content)[slot.index])
    case 'refusal':
      return fixed('opaque', extra.refusal, () => String(extra.refusal))
    case 'audio':
      return fixed('opaque', extra.audio)
    case 'call': {
      const call = listOf(fields.tool_calls)[slot.index]
      return toolCall(call, readCall(call), extra)
    }
    case 'raw-call': {
      const call = listOf(extra.tool_calls)[slot.index]
      return toolCall(call, readRawCall(call), extra)
    }
    case 'function-call':
      return toolCall(extra.function_call, readFunctionCall(extra.function_call), extra)
    case 'whole':
      return speaker === 'tool' ? toolResult(fields) : fixed('opaque', { content: fields.content })
  }
}

function text(message: Fields, speaker: Role | undefined, native: unknown, value: string): PartView {
  const part = { ...fixed('text', native, () => value), editable: speaker !== 'system' }
  const injected = speaker === 'user' && (isInjectedText(value) || isWrittenByMiddleware(message))
  return injected ? { ...part, injected } : part
}

/** LangChain's own middleware marks the human messages that it writes. */
function isWrittenByMiddleware({ additional_kwargs: extra }: Fields): boolean {
  return fieldsOf(extra).lc_source === 'summarization'
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'output_text', 'input_text', 'text_delta'])

/** The words of a content entry that is a text. */
export function entryText(entry: unknown): string | undefined {
  const { type, text: words } = fieldsOf(entry)
  return typeof entry === 'string' ? entry : TEXT_TYPES.has(type) ? stringOf(words) : undefined
}

function entry(message: Fields, speaker: Role | undefined, native: unknown): PartView {
  const fields = fieldsOf(native)
  const words = entryText(native)
  if (words !== undefined) return text(message, speaker, native, words)
  if (speaker === 'assistant' && REASONING_TYPES.has(fields.type)) {
    return fixed('reasoning', native, () => thinkingText(fields))
  }
  if (speaker === 'assistant' && isCallEntry(native)) {
    return toolCall(native, readCall(native), fieldsOf(message.additional_kwargs))
  }
  if (speaker === 'user' && fields.type === 'tool_result') return resultEntry(fields)
  if (isCompaction(native)) return { ...fixed('opaque', native, () => stringOf(fields.content) ?? ''), pinned: true }
  const media = mediaOf(native)
  if (media === undefined) return fixed('opaque', native, () => opaqueText(fields))
  const kind = media.kind === 'image' || media.kind === 'document' ? media.kind : 'opaque'
  return { ...fixed(kind, native), bytes: () => entryBytes(native), media: [media] }
}

/** A provider's own summary of what stands before it. */
export function isCompaction(entry: unknown): boolean {
  return fieldsOf(entry).type === 'compaction'
}

/** What a provider's tool was asked and found has no field of its own for text: its JSON is what the model reads. */
function opaqueText(fields: Fields): string {
  const { refusal, content, input } = fields
  const words = stringOf(refusal) ?? stringOf(content)
  if (words !== undefined) return words
  return content === undefined && input === undefined ? '' : jsonText({ content, input })
}

function toolCall(native: unknown, call: CallReading, extra: Fields): PartView {
  return {
    ...fixed('tool-call', native, () => call.text),
    ...(call.id !== undefined && { callId: call.id }),
    ...(call.name !== undefined && { toolName: call.name }),
    editable: call.editable && !isSigned(call, extra),
  }
}

/** Gemini signs calls; the signatures stand beside them, by id. */
export function isSigned({ id }: CallReading, extra: Fields): boolean {
  if (id === undefined) return false
  return Object.entries(extra).some(([name, held]) => /signature/i.test(name) && Object.hasOwn(fieldsOf(held), id))
}

function toolResult(fields: Fields): PartView {
  const { content, tool_call_id: id, name, status } = fields
  const media = mediaIn(content)
  return {
    ...fixed('tool-result', content ?? '', () => contentText(content)),
    ...(typeof id === 'string' && { callId: id }),
    ...(typeof name === 'string' && { toolName: name }),
    ...(status === 'error' && { isError: true }),
    ...(media.length > 0 && {
      media,
      bytes: () => listOf(content).reduce<number>((sum, one) => sum + entryBytes(one), 2),
    }),
    editable: typeof content === 'string' || Array.isArray(content),
  }
}

/** A result as Anthropic's API has it, in a human message. */
function resultEntry(fields: Fields): PartView {
  const { content, tool_use_id: id, is_error: isError } = fields
  const media = mediaIn(content)
  return {
    ...fixed('tool-result', fields, () => contentText(content)),
    ...(typeof id === 'string' && { callId: id }),
    ...(isError === true && { isError }),
    ...(media.length > 0 && { media }),
    editable: typeof content === 'string' || Array.isArray(content),
  }
}

/** What the model reads of a result: its texts; of an entry that nobody knows, its JSON. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .flatMap((one) => entryText(one) ?? (mediaOf(one) === undefined ? jsonText(one) : []))
    .join('\n')
}

function reasoningOf(extra: Fields): Fields {
  return Object.fromEntries(REASONING_FIELDS.flatMap((name) => (name in extra ? [[name, extra[name]]] : [])))
}

/** The first field that says it in the open; the others repeat it. */
function reasoningText(extra: Fields): string {
  const open = stringOf(extra.reasoning_content) || stringOf(extra.reasoning)
  return open || summaryText(fieldsOf(extra.reasoning).summary) || summaryText(extra.reasoning_details)
}

function thinkingText(fields: Fields): string {
  const open = [fields.thinking, fields.reasoning, fields.reasoningText, fields.text].find(
    (one) => typeof one === 'string',
  )
  return stringOf(open) ?? stringOf(fieldsOf(fields.reasoningText).text) ?? summaryText(fields.summary)
}

function summaryText(summary: unknown): string {
  const texts = listOf(summary).map(fieldsOf)
  return texts.flatMap((one) => stringOf(one.text) ?? stringOf(one.summary) ?? []).join('\n')
}

function fixed(kind: PartView['kind'], native: unknown, say: () => string = () => ''): PartView {
  return { kind, text: say, bytes: () => jsonBytes(native), editable: false }
}
