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
import { chatMedia, readFunctionTool, readReasoning } from './read-chat.ts'

/** Reads messages of LangChain: its own content blocks, and those of the providers that it hands through. */
export const readLangChain: NeutralReader = {
  system: (entry, lose) => (typeof entry === 'string' ? entry : wordsOf(fieldsOf(entry).content, lose)),
  item: (item, lose) => {
    const fields = fieldsOf(item)
    const type = typeOf(fields)
    if (type === 'system' || type === 'developer') {
      return [{ role: 'system', parts: [neutralText(wordsOf(fields.content, lose))] }]
    }
    if (type === 'tool' || type === 'function') return [{ role: 'user', parts: [readToolMessage(fields, lose)] }]
    const isAnswer = type === 'ai' || type === 'assistant'
    const parts = isAnswer ? readAnswer(fields, lose) : readContent(fields.content, lose)
    return parts.length === 0 ? [] : [{ role: isAnswer ? 'assistant' : 'user', parts }]
  },
  tools: (frame, lose) => listOf(frame.tools).flatMap((tool) => readTool(fieldsOf(tool), lose)),
  settings: (frame) => {
    const settings = fieldsOf(frame.modelSettings)
    return present({
      outputCap: numberOf(settings.max_tokens ?? settings.maxTokens),
      temperature: numberOf(settings.temperature),
      topP: numberOf(settings.top_p ?? settings.topP),
      stop: textsOf(settings.stop),
    })
  },
  frameFields: new Set([
    'messages',
    'systemMessage',
    'systemPrompt',
    'tools',
    'model',
    'modelSettings',
    'state',
    'runtime',
  ]),
}

function typeOf(fields: Fields): string {
  const tell = fields._getType
  const type = textOf(fields.type) ?? (typeof tell === 'function' ? String(tell.call(fields)) : '')
  return type === 'generic' ? (textOf(fields.role) ?? 'user') : type
}

function readAnswer(fields: Fields, lose: Lose): readonly NeutralPart[] {
  const extra = fieldsOf(fields.additional_kwargs)
  const own = listOf(fields.tool_calls).map(fieldsOf)
  const raw = own.length > 0 ? [] : listOf(extra.tool_calls).map(fieldsOf)
  const older = isFields(extra.function_call) ? [extra.function_call] : []
  const repeated = new Set(own.map(({ id }) => id))
  const refusal = textOf(extra.refusal)
  if (isFields(extra.audio)) lose('sound of an answer')
  return [
    ...readReasoning(extra),
    ...readContent(fields.content, lose, repeated),
    ...(refusal === undefined ? [] : [neutralText(refusal)]),
    ...own.map(({ id, name, args }) => textCall({ id, name, args })),
    ...raw.map((call) => {
      const { name, arguments: args } = fieldsOf(call.function)
      return textCall({ id: call.id, name, args })
    }),
    ...older.map(({ name, arguments: args }) => textCall({ id: undefined, name, args })),
  ]
}

/** `calls`: ids of the calls that the message has beside its content, which repeats them. */
function readContent(content: unknown, lose: Lose, calls?: ReadonlySet<unknown>): readonly NeutralPart[] {
  if (typeof content === 'string') return content === '' ? [] : [neutralText(content)]
  return listOf(content).flatMap((entry) => readEntry(entry, lose, calls))
}

function readEntry(entry: unknown, lose: Lose, calls?: ReadonlySet<unknown>): readonly NeutralPart[] {
  const fields = fieldsOf(entry)
  if (typeof entry === 'string') return [neutralText(entry)]
  if (TEXT_TYPES.has(fields.type) && typeof fields.text === 'string') return [neutralText(fields.text)]
  if (calls !== undefined && REASONING_TYPES.has(fields.type)) return readThinking(fields, lose)
  if (calls !== undefined && CALL_TYPES.has(fields.type)) {
    if (calls.has(fields.id)) return []
    return [textCall({ id: fields.id, name: fields.name, args: fields.args ?? fields.input ?? fields.arguments })]
  }
  if (fields.type === 'input_json_delta') return []
  if (fields.type === 'tool_result' && calls === undefined) {
    const { tool_use_id: id, is_error: isError, content } = fields
    return [resultOf({ id, name: undefined, content, isError: isError === true }, lose)]
  }
  const media = langChainMedia(fields)
  if (media === undefined) lose(`content "${String(fields.type)}"`)
  return media === undefined ? [] : [media]
}

function readThinking(fields: Fields, lose: Lose): readonly NeutralPart[] {
  const text = textOf(fields.thinking) ?? textOf(fields.reasoning) ?? textOf(fieldsOf(fields.reasoningText).text)
  if (text !== undefined) return [{ kind: 'reasoning', text, signed: fields.signature !== undefined }]
  lose('encrypted reasoning')
  return []
}

function readToolMessage({ tool_call_id: id, name, content, status }: Fields, lose: Lose): NeutralPart {
  return resultOf({ id, name, content, isError: status === 'error' }, lose)
}

function resultOf(
  { id, name, content, isError }: { id: unknown; name: unknown; content: unknown; isError: boolean },
  lose: Lose,
): NeutralPart {
  const parts = readContent(content, lose).filter(
    (part): part is NeutralContent => part.kind === 'text' || part.kind === 'media',
  )
  return { kind: 'result', id: idOf(id), name: textOf(name), content: parts, isError }
}

/** Files as LangChain writes them, and as OpenAI, Anthropic and Google do. */
function langChainMedia(fields: Fields): NeutralMedia | undefined {
  const openAi = chatMedia(fields)
  if (openAi !== undefined) return openAi
  const held = fieldsOf(fields.source)
  const mimeType = textOf(fields.mimeType) ?? textOf(fields.mime_type) ?? textOf(held.media_type)
  const type = KINDS[String(fields.type)] ?? (fields.type === 'media' ? mediaTypeOf(mimeType ?? '') : undefined)
  const source = sourceOf(fields, held)
  if (type === undefined || source === undefined) return undefined
  return neutralMedia(type, source, { mimeType, name: fields.title ?? fieldsOf(fields.metadata).filename })
}

function sourceOf(fields: Fields, held: Fields): NeutralMedia['source'] | undefined {
  const data = fields.data ?? held.data
  const bytes = base64Of(data)
  if (bytes !== undefined) return { kind: 'data', data: bytes }
  if (typeof data === 'string') return held.type === 'text' ? { kind: 'text', text: data } : { kind: 'data', data }
  const url = fields.url ?? held.url ?? fields.image_url
  if (typeof url === 'string') return { kind: 'url', url }
  return typeof fields.text === 'string' ? { kind: 'text', text: fields.text } : undefined
}

function wordsOf(content: unknown, lose: Lose): string {
  return readContent(content, lose)
    .flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    .join('\n')
}

/** Tools as OpenAI has them, or instances with a schema, where that is JSON. */
function readTool(tool: Fields, lose: Lose): readonly NeutralTool[] {
  if (isFields(tool.function)) return readFunctionTool(tool, lose)
  if (typeof tool.name !== 'string' || typeof tool.type === 'string') {
    lose(`tool "${String(tool.name ?? tool.type)}" of the provider`)
    return []
  }
  loseFields(tool, TOOL_FIELDS, lose)
  return [{ name: tool.name, description: textOf(tool.description), schema: tool.schema ?? tool.input_schema }]
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'output_text', 'input_text', 'text_delta'])
const CALL_TYPES: ReadonlySet<unknown> = new Set(['tool_use', 'tool_call', 'tool_call_chunk', 'function_call'])
const REASONING_TYPES: ReadonlySet<unknown> = new Set([
  'thinking',
  'redacted_thinking',
  'reasoning',
  'reasoning_content',
])
const TOOL_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'schema', 'input_schema'])
const KINDS: Readonly<Record<string, NeutralMedia['type']>> = {
  image: 'image',
  input_image: 'image',
  audio: 'audio',
  video: 'video',
  file: 'document',
  document: 'document',
  input_file: 'document',
  'text-plain': 'document',
}
