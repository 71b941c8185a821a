import type { Usage } from 'palimpsest'
import { jsonText } from 'palimpsest/engine'
import { countOf, type Fields, fieldsOf, isFields, listOf, present, textOf } from '../json-fields.ts'

/**
 * What an answer is in items of the Responses API. Copilot CLI speaks several wire formats; this one has a place for all
 * that its events hold: reasoning in several pieces, phases, calls with free text.
 */
export function answerItems(data: Fields): Fields[] {
  const text = textOf(data.content)
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
  return [
    ...reasoningItems(data),
    ...(text === undefined ? [] : [{ ...message, ...present({ phase: textOf(data.phase) }) }]),
    ...listOf(data.toolRequests).filter(isFields).map(callItem),
  ]
}

/** A call, as an answer requests it, or as the start of its execution repeats it. */
export function callItem(request: Fields): Fields {
  const { toolCallId, name = request.toolName, arguments: input } = request
  if (typeof input === 'string' && request.type !== 'function') {
    return { type: 'custom_tool_call', call_id: toolCallId, name, input }
  }
  const text = typeof input === 'string' ? input : jsonText(input ?? {})
  return { type: 'function_call', call_id: toolCallId, name, arguments: text }
}

/** The result of a call, or what went wrong, as the model was told it. */
export function resultItem(data: Fields, isCustom: boolean): Fields {
  const said = textOf(fieldsOf(data.result).content) ?? textOf(fieldsOf(data.error).message) ?? ''
  const type = isCustom ? 'custom_tool_call_output' : 'function_call_output'
  return { type, call_id: data.toolCallId, output: said }
}

/** What was sent of a user's message: his words with what the client put around them, and pictures. */
export function userItem(data: Fields): Fields | undefined {
  const text = textOf(data.transformedContent) ?? textOf(data.content)
  const content = [
    ...(text === undefined ? [] : [{ type: 'input_text', text }]),
    ...listOf(data.attachments).flatMap((attachment) => pictureOf(fieldsOf(attachment))),
  ]
  return content.length === 0 ? undefined : { type: 'message', role: 'user', content }
}

/** Usage as an event of its own tells it. What a cache served is part of the input. */
export function copilotUsage(data: Fields): Usage | undefined {
  const cacheRead = countOf(data.cacheReadTokens) ?? 0
  const cacheWrite = countOf(data.cacheWriteTokens) ?? 0
  const told = countOf(data.inputTokens) ?? 0
  const input = told < cacheRead + cacheWrite ? told + cacheRead + cacheWrite : told
  const output = countOf(data.outputTokens) ?? 0
  return input === 0 ? undefined : { input, cacheRead, cacheWrite, output }
}

/** Reasoning that nobody can read has its state alone: an encrypted content with its id, or a signature. */
function reasoningItems(data: Fields): Fields[] {
  const opaque = textOf(data.reasoningOpaque)
  const encrypted = textOf(data.encryptedContent)
  const text = textOf(data.reasoningText)
  if (opaque === undefined && encrypted === undefined && text === undefined) return []
  const summary = text === undefined ? [] : [{ type: 'summary_text', text }]
  const id = encrypted === undefined ? undefined : opaque
  return [{ type: 'reasoning', ...present({ id }), summary, ...present({ encrypted_content: encrypted ?? opaque }) }]
}

function pictureOf({ type, data, mimeType }: Fields): Fields[] {
  const isPicture = type === 'blob' && typeof data === 'string' && String(mimeType).startsWith('image/')
  return isPicture ? [{ type: 'input_image', detail: 'auto', image_url: `data:${mimeType};base64,${data}` }] : []
}
