import { type Fields, fieldsOf, isFields, listOf, present, textOf } from '../../importers/json-fields.ts'
import type { Lose } from '../loss-tally.ts'
import { idOf, textCall } from './call-arguments.ts'
import {
  mediaTypeOf,
  type NeutralCall,
  type NeutralContent,
  type NeutralMedia,
  type NeutralPart,
  type NeutralTool,
  neutralMedia,
  neutralText,
} from './neutral-conversation.ts'
import { loseFields, type NeutralReader, numberOf, textsOf } from './neutral-reader.ts'

/** Reads OpenAI Chat Completions. */
export const readChat: NeutralReader = {
  system: (entry, lose) => {
    loseFields(fieldsOf(entry), SAID_FIELDS, lose)
    return wordsOf(fieldsOf(entry).content, lose)
  },
  item: (item, lose) => {
    const fields = fieldsOf(item)
    switch (fields.role) {
      case 'system':
      case 'developer':
        loseFields(fields, SAID_FIELDS, lose)
        return [{ role: 'system', parts: [neutralText(wordsOf(fields.content, lose))] }]
      case 'assistant':
        return [{ role: 'assistant', parts: readAnswer(fields, lose) }]
      case 'tool':
      case 'function':
        loseFields(fields, RESULT_FIELDS, lose)
        return [{ role: 'user', parts: [readResult(fields, lose)] }]
      default:
        loseFields(fields, SAID_FIELDS, lose)
        return [{ role: 'user', parts: readContent(fields.content, lose) }]
    }
  },
  tools: (frame, lose) => listOf(frame.tools).flatMap((tool) => readFunctionTool(fieldsOf(tool), lose)),
  settings: (frame) =>
    present({
      outputCap: numberOf(frame.max_completion_tokens) ?? numberOf(frame.max_tokens),
      temperature: numberOf(frame.temperature),
      topP: numberOf(frame.top_p),
      stop: textsOf(frame.stop),
    }),
  frameFields: new Set([
    'messages',
    'tools',
    'model',
    'max_completion_tokens',
    'max_tokens',
    'temperature',
    'top_p',
    'stop',
  ]),
}

function readAnswer(fields: Fields, lose: Lose): readonly NeutralPart[] {
  loseFields(fields, ANSWER_FIELDS, lose)
  if (isFields(fields.audio)) lose('sound of an answer')
  const refusal = textOf(fields.refusal)
  if (refusal !== undefined) lose('mark of a refusal (carried as text)')
  const calls = listOf(fields.tool_calls).map((call) => readCall(fieldsOf(call), lose))
  const older = isFields(fields.function_call) ? fields.function_call : undefined
  return [
    ...readReasoning(fields),
    ...readContent(fields.content, lose),
    ...(refusal === undefined ? [] : [neutralText(refusal)]),
    ...calls,
    ...(older === undefined ? [] : [textCall({ id: undefined, name: older.name, args: older.arguments })]),
  ]
}

/** What a model thought, in whichever field its server says it. */
export function readReasoning(fields: Fields): readonly NeutralPart[] {
  const details = listOf(fields.reasoning_details).map(fieldsOf)
  const open = textOf(fields.reasoning_content) ?? textOf(fields.reasoning)
  const text = open ?? details.flatMap((detail) => textOf(detail.text) ?? textOf(detail.summary) ?? []).join('\n')
  return text === '' && details.length === 0 ? [] : [{ kind: 'reasoning', text, signed: details.length > 0 }]
}

function readCall(call: Fields, lose: Lose): NeutralCall {
  loseFields(call, CALL_FIELDS, lose)
  const custom = fieldsOf(call.custom)
  if (typeof custom.input !== 'string') {
    const { name, arguments: args } = 'custom' in call ? custom : fieldsOf(call.function)
    return textCall({ id: call.id, name, args })
  }
  lose('free text as input of a call (carried inside an object)')
  return { kind: 'call', id: idOf(call.id), name: textOf(custom.name) ?? '', args: { input: custom.input } }
}

function readResult(fields: Fields, lose: Lose): NeutralPart {
  return {
    kind: 'result',
    id: fields.role === 'tool' ? idOf(fields.tool_call_id) : undefined,
    name: textOf(fields.name),
    content: readContent(fields.content, lose),
    isError: false,
  }
}

function readContent(content: unknown, lose: Lose): readonly NeutralContent[] {
  if (typeof content === 'string') return content === '' ? [] : [neutralText(content)]
  return listOf(content).flatMap((part): readonly NeutralContent[] => {
    const fields = fieldsOf(part)
    if (fields.type === 'text') {
      loseFields(fields, TEXT_FIELDS, lose)
      return [neutralText(String(fields.text ?? ''))]
    }
    const refusal = fields.type === 'refusal' ? textOf(fields.refusal) : undefined
    if (refusal !== undefined) lose('mark of a refusal (carried as text)')
    const media = chatMedia(fields)
    if (media === undefined && refusal === undefined) lose(`part "${String(fields.type)}"`)
    return refusal === undefined ? (media === undefined ? [] : [media]) : [neutralText(refusal)]
  })
}

/** A picture, file or sound as OpenAI's chat format writes it. */
export function chatMedia(fields: Fields): NeutralMedia | undefined {
  if (fields.type === 'image_url') {
    const url = textOf(fieldsOf(fields.image_url).url) ?? textOf(fields.image_url)
    return url === undefined ? undefined : neutralMedia('image', { kind: 'url', url })
  }
  if (fields.type === 'file') {
    const { file_data: url, filename: name } = fieldsOf(fields.file)
    return typeof url === 'string' && url !== '' ? documentOf(url, name) : undefined
  }
  if (fields.type === 'input_audio') {
    const { data, format } = fieldsOf(fields.input_audio)
    const mimeType = `audio/${String(format ?? 'wav')}`
    return typeof data === 'string' ? neutralMedia('audio', { kind: 'data', data }, { mimeType }) : undefined
  }
  return undefined
}

function documentOf(text: string, name: unknown): NeutralMedia {
  const source = text.startsWith('data:') ? { kind: 'url' as const, url: text } : { kind: 'data' as const, data: text }
  const media = neutralMedia('document', source, { mimeType: 'application/pdf', name })
  return { ...media, type: mediaTypeOf(media.mimeType ?? '') }
}

function wordsOf(content: unknown, lose: Lose): string {
  const parts = readContent(content, lose)
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
}

/** A tool as OpenAI's chat format defines it. */
export function readFunctionTool(tool: Fields, lose: Lose): readonly NeutralTool[] {
  const { name, description, parameters } = fieldsOf(tool.function)
  if (typeof name !== 'string') {
    lose(`tool "${String(fieldsOf(tool.custom).name ?? tool.name ?? tool.type)}" that is no function`)
    return []
  }
  loseFields(fieldsOf(tool.function), TOOL_FIELDS, lose)
  return [{ name, description: textOf(description), schema: parameters }]
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['type', 'text'])
const SAID_FIELDS: ReadonlySet<string> = new Set(['role', 'content'])
const RESULT_FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'tool_call_id', 'name'])
const CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'type', 'index', 'function', 'custom'])
const TOOL_FIELDS: ReadonlySet<string> = new Set(['name', 'description', 'parameters'])
const ANSWER_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'function_call',
  'refusal',
  'audio',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
])
