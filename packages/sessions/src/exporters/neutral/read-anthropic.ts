import { type Fields, fieldsOf, isFields, listOf, present, textOf } from '../../importers/json-fields.ts'
import type { Lose } from '../loss-tally.ts'
import { idOf } from './call-arguments.ts'
import {
  type NeutralContent,
  type NeutralMedia,
  type NeutralPart,
  type NeutralTool,
  neutralMedia,
  neutralText,
} from './neutral-conversation.ts'
import { loseFields, type NeutralReader, numberOf, textsOf } from './neutral-reader.ts'

/** Reads Anthropic Messages. */
export const readAnthropic: NeutralReader = {
  system: (entry, lose) => {
    if (typeof entry === 'string') return entry
    loseFields(fieldsOf(entry), TEXT_FIELDS, lose)
    return textOf(fieldsOf(entry).text) ?? ''
  },
  item: (item, lose) => {
    const { role, content, output_config: config, ...rest } = fieldsOf(item)
    loseFields(rest, NOTHING, lose)
    if (config !== undefined) lose('setting "output_config"')
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    const parts = blocks.flatMap((block) => readBlock(block, lose))
    if (parts.length === 0) return []
    return [{ role: role === 'assistant' || role === 'system' ? role : 'user', parts }]
  },
  tools: (frame, lose) => listOf(frame.tools).flatMap((tool) => readTool(fieldsOf(tool), lose)),
  settings: (frame) =>
    present({
      outputCap: numberOf(frame.max_tokens),
      temperature: numberOf(frame.temperature),
      topP: numberOf(frame.top_p),
      stop: textsOf(frame.stop_sequences),
    }),
  frameFields: new Set([
    'messages',
    'system',
    'tools',
    'model',
    'max_tokens',
    'temperature',
    'top_p',
    'stop_sequences',
  ]),
}

function readBlock(block: unknown, lose: Lose): readonly NeutralPart[] {
  const fields = fieldsOf(block)
  switch (fields.type) {
    case 'text':
      loseFields(fields, TEXT_FIELDS, lose)
      return [neutralText(String(fields.text ?? ''))]
    case 'thinking':
      return [{ kind: 'reasoning', text: String(fields.thinking ?? ''), signed: fields.signature !== undefined }]
    case 'redacted_thinking':
      lose('encrypted reasoning')
      return []
    case 'tool_use':
      loseFields(fields, CALL_FIELDS, lose)
      return [{ kind: 'call', id: idOf(fields.id), name: textOf(fields.name) ?? '', args: fields.input ?? {} }]
    case 'tool_result':
      loseFields(fields, RESULT_FIELDS, lose)
      return [
        {
          kind: 'result',
          id: idOf(fields.tool_use_id),
          name: undefined,
          content: readResult(fields.content, lose),
          isError: fields.is_error === true,
        },
      ]
    default:
      return readMedia(fields, lose)
  }
}

function readResult(content: unknown, lose: Lose): readonly NeutralContent[] {
  if (typeof content === 'string') return [neutralText(content)]
  return listOf(content).flatMap((block): readonly NeutralContent[] => {
    const fields = fieldsOf(block)
    if (fields.type !== 'text') return readMedia(fields, lose)
    loseFields(fields, TEXT_FIELDS, lose)
    return [neutralText(String(fields.text ?? ''))]
  })
}

function readMedia(fields: Fields, lose: Lose): readonly NeutralMedia[] {
  const { type } = fields
  const media = type === 'image' || type === 'document' ? mediaOf(type, fields) : undefined
  if (media === undefined) {
    lose(`block "${String(type)}"`)
    return []
  }
  loseFields(fields, MEDIA_FIELDS, lose)
  return [media]
}

function mediaOf(type: 'image' | 'document', fields: Fields): NeutralMedia | undefined {
  const { type: kind, data, url, media_type: mimeType } = fieldsOf(fields.source)
  const facts = { mimeType, name: fields.title }
  if (kind === 'base64' && typeof data === 'string') return neutralMedia(type, { kind: 'data', data }, facts)
  if (kind === 'url' && typeof url === 'string') return neutralMedia(type, { kind: 'url', url }, facts)
  if (kind === 'text' && typeof data === 'string') return neutralMedia(type, { kind: 'text', text: data }, facts)
  return undefined
}

function readTool(tool: Fields, lose: Lose): readonly NeutralTool[] {
  if (!isFields(tool.input_schema)) {
    lose(`tool "${String(tool.name ?? tool.type)}" of the provider`)
    return []
  }
  loseFields(tool, TOOL_FIELDS, lose)
  return [{ name: textOf(tool.name) ?? '', description: textOf(tool.description), schema: tool.input_schema }]
}

const NOTHING: ReadonlySet<string> = new Set()
const TEXT_FIELDS: ReadonlySet<string> = new Set(['type', 'text'])
const CALL_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input'])
const RESULT_FIELDS: ReadonlySet<string> = new Set(['type', 'tool_use_id', 'content', 'is_error'])
const MEDIA_FIELDS: ReadonlySet<string> = new Set(['type', 'source', 'title'])
const TOOL_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'input_schema'])
