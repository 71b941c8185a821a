import { jsonText } from 'palimpsest/engine'
import { type Fields, fieldsOf, isFields, listOf, present, textOf } from '../../importers/json-fields.ts'
import { base64Of } from '../json-document.ts'
import type { Lose } from '../loss-tally.ts'
import { idOf, textCall } from './call-arguments.ts'
import {
  mediaTypeOf,
  type NeutralContent,
  type NeutralMedia,
  type NeutralPart,
  type NeutralTool,
  neutralMedia,
  neutralText,
} from './neutral-conversation.ts'
import { loseFields, type NeutralReader, numberOf, textsOf } from './neutral-reader.ts'

/** Reads prompts of the AI SDK, of every version. */
export const readAiSdk: NeutralReader = {
  system: (entry, lose) => {
    loseFields(fieldsOf(entry), MESSAGE_FIELDS, lose)
    return textOf(fieldsOf(entry).content) ?? ''
  },
  item: (item, lose) => {
    const fields = fieldsOf(item)
    loseFields(fields, MESSAGE_FIELDS, lose)
    const { role, content } = fields
    const list = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    const answered =
      role === 'assistant' ? new Set(list.filter(isResult).map((part) => fieldsOf(part).toolCallId)) : NONE
    const parts = list.flatMap((part) => readPart(fieldsOf(part), { role, answered }, lose))
    if (parts.length === 0) return []
    return [{ role: role === 'assistant' || role === 'system' ? role : 'user', parts }]
  },
  tools: (frame, lose) => listOf(frame.tools).flatMap((tool) => readTool(fieldsOf(tool), lose)),
  settings: (frame) =>
    present({
      outputCap: numberOf(frame.maxOutputTokens),
      temperature: numberOf(frame.temperature),
      topP: numberOf(frame.topP),
      stop: textsOf(frame.stopSequences),
    }),
  frameFields: new Set(['prompt', 'messages', 'tools', 'maxOutputTokens', 'temperature', 'topP', 'stopSequences']),
}

interface Around {
  readonly role: unknown
  /** Call ids with a result in the same message: the provider ran them. */
  readonly answered: ReadonlySet<unknown>
}

function isResult(part: unknown): boolean {
  return fieldsOf(part).type === 'tool-result'
}

function readPart(part: Fields, around: Around, lose: Lose): readonly NeutralPart[] {
  switch (part.type) {
    case 'text':
      loseFields(part, TEXT_FIELDS, lose)
      return [neutralText(String(part.text ?? ''))]
    case 'reasoning':
      return [{ kind: 'reasoning', text: String(part.text ?? ''), signed: isFields(part.providerOptions) }]
    case 'tool-call':
      if (part.providerExecuted !== true && !around.answered.has(part.toolCallId)) return [readCall(part, lose)]
      lose('call that the provider ran')
      return []
    case 'tool-result':
      if (around.role === 'tool') return [readResult(part, lose)]
      lose('result of the provider’s own tool')
      return []
    case 'file':
    case 'image':
      return readFile(part, lose)
    default:
      lose(`part "${String(part.type)}"`)
      return []
  }
}

function readCall(part: Fields, lose: Lose): NeutralPart {
  loseFields(part, CALL_FIELDS, lose)
  // Earlier versions have the arguments in `args`; some prompts hold them as text.
  return textCall({ id: part.toolCallId, name: part.toolName, args: part.input ?? part.args })
}

function readResult(part: Fields, lose: Lose): NeutralPart {
  loseFields(part, RESULT_FIELDS, lose)
  const { type, value, reason } = fieldsOf(part.output)
  return {
    kind: 'result',
    id: idOf(part.toolCallId),
    name: textOf(part.toolName),
    content: outputContent(type, type === 'execution-denied' ? (reason ?? 'The execution was denied.') : value, lose),
    isError: type === 'error-text' || type === 'error-json' || type === 'execution-denied',
  }
}

function outputContent(type: unknown, value: unknown, lose: Lose): readonly NeutralContent[] {
  if (type !== 'content') {
    if (typeof value === 'string') return value === '' ? [] : [neutralText(value)]
    return value === undefined ? [] : [neutralText(jsonText(value))]
  }
  return listOf(value).flatMap((block): readonly NeutralContent[] => {
    const fields = fieldsOf(block)
    return fields.type === 'text' ? [neutralText(String(fields.text ?? ''))] : readFile(fields, lose)
  })
}

/** Files in prompts and in results: the versions name their kinds differently, the data is in the same few places. */
function readFile(fields: Fields, lose: Lose): readonly NeutralMedia[] {
  const mimeType = textOf(fields.mediaType) ?? (String(fields.type).startsWith('image') ? 'image/*' : '')
  const facts = {
    mimeType: mimeType.includes('/') && !mimeType.endsWith('*') ? mimeType : undefined,
    name: fields.filename,
  }
  const source = sourceOf(fields.data ?? fields.image ?? fields.url)
  if (source === undefined) {
    lose(`file "${String(fields.type)}" that stands elsewhere`)
    return []
  }
  return [neutralMedia(mediaTypeOf(mimeType), source, facts)]
}

function sourceOf(data: unknown): NeutralMedia['source'] | undefined {
  const bytes = base64Of(data)
  if (bytes !== undefined) return { kind: 'data', data: bytes }
  if (data instanceof URL) return { kind: 'url', url: data.href }
  if (typeof data === 'string')
    return /^(?:https?|data):/i.test(data) ? { kind: 'url', url: data } : { kind: 'data', data }
  const { type, data: inner, url, text } = fieldsOf(data)
  if (type === 'text') return { kind: 'text', text: textOf(text) ?? '' }
  return inner === undefined && url === undefined ? undefined : sourceOf(type === 'url' ? url : inner)
}

function readTool(tool: Fields, lose: Lose): readonly NeutralTool[] {
  if (tool.type === 'function' && typeof tool.name === 'string') {
    loseFields(tool, TOOL_FIELDS, lose)
    return [{ name: tool.name, description: textOf(tool.description), schema: tool.inputSchema ?? tool.parameters }]
  }
  lose(`tool "${String(tool.name ?? tool.type)}" of the provider`)
  return []
}

const NONE: ReadonlySet<unknown> = new Set()
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content'])
const TEXT_FIELDS: ReadonlySet<string> = new Set(['type', 'text'])
const CALL_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'toolCallId',
  'toolName',
  'input',
  'args',
  'providerExecuted',
])
const RESULT_FIELDS: ReadonlySet<string> = new Set(['type', 'toolCallId', 'toolName', 'output'])
const TOOL_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'inputSchema', 'parameters'])
