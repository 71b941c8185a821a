import { jsonText } from 'palimpsest/engine'
import { type Fields, fieldsOf, isFields, listOf, present, textOf } from '../../importers/json-fields.ts'
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
import { loseFields, type NeutralReader, numberOf, type ReadMessage } from './neutral-reader.ts'

/** Reads OpenAI Responses, and what Codex makes of it. */
export const readResponses: NeutralReader = {
  itemPerPart: true,
  system: (entry, lose) => (typeof entry === 'string' ? entry : wordsOf(entry, lose)),
  item: (item, lose) => {
    const fields = fieldsOf(item)
    const type = textOf(fields.type) ?? (typeof fields.role === 'string' ? 'message' : 'item_reference')
    if (type === 'message') return readMessage(fields, lose)
    if (type === 'reasoning') return [{ role: 'assistant', parts: [readReasoning(fields)] }]
    if (type.endsWith('_call') && CALL_ITEMS.has(type))
      return [{ role: 'assistant', parts: [readCall(fields, type, lose)] }]
    if (OUTPUT_ITEMS.has(type)) return [{ role: 'user', parts: [readOutput(fields, lose)] }]
    lose(`item "${type}"`)
    return []
  },
  tools: (frame, lose) => listOf(frame.tools).flatMap((tool) => readTool(fieldsOf(tool), lose)),
  settings: (frame) =>
    present({
      outputCap: numberOf(frame.max_output_tokens),
      temperature: numberOf(frame.temperature),
      topP: numberOf(frame.top_p),
    }),
  frameFields: new Set([
    'input',
    'instructions',
    'tools',
    'model',
    'max_output_tokens',
    'temperature',
    'top_p',
    'store',
    'stream',
    'include',
  ]),
}

function readMessage(fields: Fields, lose: Lose): readonly ReadMessage[] {
  loseFields(fields, MESSAGE_FIELDS, lose)
  const parts = readContent(fields.content, lose)
  const isSystem = fields.role === 'system' || fields.role === 'developer'
  const role = isSystem ? 'system' : fields.role === 'assistant' ? 'assistant' : 'user'
  return parts.length === 0 ? [] : [{ role, parts }]
}

function readContent(content: unknown, lose: Lose): readonly NeutralContent[] {
  if (typeof content === 'string') return [neutralText(content)]
  return listOf(content).flatMap((part): readonly NeutralContent[] => {
    const fields = fieldsOf(part)
    if (TEXT_PARTS.has(fields.type) && typeof fields.text === 'string') {
      if (listOf(fields.annotations).length > 0) lose('annotations of a text')
      loseFields(fields, TEXT_FIELDS, lose)
      return [neutralText(fields.text)]
    }
    const refusal = textOf(fields.refusal)
    if (refusal !== undefined) {
      lose('mark of a refusal (carried as text)')
      return [neutralText(refusal)]
    }
    const media = responsesMedia(fields)
    if (media === undefined) lose(`part "${String(fields.type)}"`)
    return media === undefined ? [] : [media]
  })
}

/** A picture, file or sound as OpenAI's Responses write it. */
export function responsesMedia(fields: Fields): NeutralMedia | undefined {
  const { type, image_url: image, file_url: address, file_data: data, filename: name } = fields
  if ((type === 'input_image' || type === 'computer_screenshot') && typeof image === 'string') {
    return neutralMedia('image', { kind: 'url', url: image })
  }
  if (type === 'input_file') {
    const url = textOf(address) ?? textOf(data)
    if (url === undefined) return undefined
    const isUrl = address !== undefined || url.startsWith('data:')
    const facts = { mimeType: isUrl ? undefined : 'application/pdf', name }
    const media = neutralMedia('document', isUrl ? { kind: 'url', url } : { kind: 'data', data: url }, facts)
    return { ...media, type: mediaTypeOf(media.mimeType ?? '') }
  }
  const { data: sound, format } = fieldsOf(fields.input_audio)
  if (type !== 'input_audio' || typeof sound !== 'string') return undefined
  return neutralMedia('audio', { kind: 'data', data: sound }, { mimeType: `audio/${String(format ?? 'wav')}` })
}

function readReasoning(fields: Fields): NeutralPart {
  const parts = [...listOf(fields.content), ...listOf(fields.summary)].map(fieldsOf)
  const text = parts.flatMap((part) => textOf(part.text) ?? []).join('\n')
  return { kind: 'reasoning', text, signed: typeof fields.encrypted_content === 'string' || text === '' }
}

/** Calls of the provider's own kinds have no arguments: what they ask for is in fields of their own. */
function readCall(fields: Fields, type: string, lose: Lose): NeutralPart {
  const { call_id: id, name } = fields
  if (type === 'function_call') {
    loseFields(fields, CALL_FIELDS, lose)
    return textCall({ id, name, args: fields.arguments })
  }
  lose(`kind of a call, "${type}" (carried as a call with an object)`)
  const asked = Object.entries(fields).filter(([key]) => !CALL_FIELDS.has(key))
  return {
    kind: 'call',
    id: idOf(id),
    name: textOf(name) ?? type.replace(/_call$/, ''),
    args: Object.fromEntries(asked),
  }
}

function readOutput(fields: Fields, lose: Lose): NeutralPart {
  loseFields(fields, OUTPUT_FIELDS, lose)
  const id = fields.call_id ?? (fields.type === 'local_shell_call_output' ? fields.id : undefined)
  return {
    kind: 'result',
    id: idOf(id),
    name: textOf(fields.name),
    content: outputContent(fields.output, lose),
    isError: fields.status === 'failed',
  }
}

function outputContent(output: unknown, lose: Lose): readonly NeutralContent[] {
  if (typeof output === 'string') return output === '' ? [] : [neutralText(output)]
  const parts = Array.isArray(output) ? listOf(output) : [output]
  const isContent = parts.every((part) => TEXT_PARTS.has(fieldsOf(part).type) || MEDIA_PARTS.has(fieldsOf(part).type))
  if (isContent) return readContent(parts, lose)
  return output === undefined || output === null ? [] : [neutralText(jsonText(output))]
}

function wordsOf(entry: unknown, lose: Lose): string {
  const { content, ...rest } = fieldsOf(entry)
  loseFields(rest, MESSAGE_FIELDS, lose)
  return readContent(content, lose)
    .flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    .join('\n')
}

function readTool(tool: Fields, lose: Lose): readonly NeutralTool[] {
  if (tool.type !== 'function' || typeof tool.name !== 'string') {
    lose(`tool "${String(tool.name ?? tool.type)}" that is no function`)
    return []
  }
  const strict = isFields(tool) && tool.strict !== undefined
  if (strict) lose('setting "strict" of a tool')
  return [{ name: tool.name, description: textOf(tool.description), schema: tool.parameters }]
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'text', 'summary_text'])
const MEDIA_PARTS: ReadonlySet<unknown> = new Set(['input_image', 'input_file', 'input_audio', 'computer_screenshot'])
const TEXT_FIELDS: ReadonlySet<string> = new Set(['type', 'text', 'annotations', 'logprobs'])
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'role', 'status', 'content'])
const CALL_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'call_id', 'name', 'arguments', 'status'])
const OUTPUT_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'call_id', 'name', 'output', 'status'])
const CALL_ITEMS: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'computer_call',
])
const OUTPUT_ITEMS: ReadonlySet<string> = new Set([...CALL_ITEMS].map((type) => `${type}_output`))
