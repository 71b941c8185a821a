import { jsonText } from 'palimpsest/engine'
import { type Fields, fieldsOf, isFields, listOf, present, textOf } from '../../importers/json-fields.ts'
import { base64Of } from '../json-document.ts'
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

/** Reads Bedrock Converse. */
export const readBedrock: NeutralReader = {
  system: (entry, lose) => {
    const parts = readBlock(entry, false, lose)
    return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
  },
  item: (item, lose) => {
    const fields = fieldsOf(item)
    loseFields(fields, MESSAGE_FIELDS, lose)
    const isAnswer = fields.role === 'assistant'
    const parts = listOf(fields.content).flatMap((block) => readBlock(block, isAnswer, lose))
    if (parts.length === 0) return []
    return [{ role: isAnswer ? 'assistant' : fields.role === 'system' ? 'system' : 'user', parts }]
  },
  tools: (frame, lose) => {
    const { tools, ...rest } = fieldsOf(frame.toolConfig)
    for (const key of Object.keys(rest)) lose(`setting "toolConfig.${key}"`)
    return listOf(tools).flatMap((tool) => readTool(fieldsOf(tool), lose))
  },
  settings: (frame) => {
    const config = fieldsOf(frame.inferenceConfig)
    return present({
      outputCap: numberOf(config.maxTokens),
      temperature: numberOf(config.temperature),
      topP: numberOf(config.topP),
      stop: textsOf(config.stopSequences),
    })
  },
  frameFields: new Set(['messages', 'system', 'toolConfig', 'modelId', 'inferenceConfig']),
}

function readBlock(block: unknown, isAnswer: boolean, lose: Lose): readonly NeutralPart[] {
  const fields = fieldsOf(block)
  if (typeof fields.text === 'string') return [neutralText(fields.text)]
  if (isFields(fields.toolUse)) return readCall(fields.toolUse, lose)
  if (isFields(fields.toolResult)) return readResult(fields.toolResult, isAnswer, lose)
  if (isFields(fields.reasoningContent)) return readReasoning(fields.reasoningContent, lose)
  const guarded = textOf(fieldsOf(fieldsOf(fields.guardContent).text).text)
  if (guarded !== undefined) {
    lose('mark of guarded content (carried as text)')
    return [neutralText(guarded)]
  }
  const cited = listOf(fieldsOf(fields.citationsContent).content).flatMap((part) => textOf(fieldsOf(part).text) ?? [])
  if (cited.length > 0) {
    lose('citations of a text')
    return [neutralText(cited.join(''))]
  }
  const media = bedrockMedia(fields)
  if (media === undefined) lose(isFields(fields.cachePoint) ? 'cache mark' : `block "${Object.keys(fields)[0] ?? ''}"`)
  return media === undefined ? [] : [media]
}

function readCall(use: Fields, lose: Lose): readonly NeutralPart[] {
  if (use.type !== 'server_tool_use') {
    loseFields(use, CALL_FIELDS, lose)
    return [{ kind: 'call', id: idOf(use.toolUseId), name: textOf(use.name) ?? '', args: use.input ?? {} }]
  }
  lose('call that the provider ran')
  return []
}

function readResult(result: Fields, isAnswer: boolean, lose: Lose): readonly NeutralPart[] {
  if (isAnswer) {
    lose('result of the provider’s own tool')
    return []
  }
  loseFields(result, RESULT_FIELDS, lose)
  const content = listOf(result.content).flatMap((block): readonly NeutralContent[] => {
    const fields = fieldsOf(block)
    if (typeof fields.text === 'string') return [neutralText(fields.text)]
    if (fields.json !== undefined) return [neutralText(jsonText(fields.json))]
    const media = bedrockMedia(fields)
    if (media === undefined) lose(`block "${Object.keys(fields)[0] ?? ''}" of a result`)
    return media === undefined ? [] : [media]
  })
  const isError = result.status === 'error'
  return [{ kind: 'result', id: idOf(result.toolUseId), name: undefined, content, isError }]
}

function readReasoning(content: Fields, lose: Lose): readonly NeutralPart[] {
  const { text, signature } = fieldsOf(content.reasoningText)
  if (typeof text === 'string') return [{ kind: 'reasoning', text, signed: signature !== undefined }]
  lose('encrypted reasoning')
  return []
}

function bedrockMedia(fields: Fields): NeutralMedia | undefined {
  for (const type of ['image', 'document', 'audio', 'video'] as const) {
    const { format, name, source } = fieldsOf(fields[type])
    const { bytes, text } = fieldsOf(source)
    const data = typeof bytes === 'string' ? bytes : base64Of(bytes)
    const mimeType = mimeTypeOf(type, String(format ?? ''))
    if (data !== undefined) return neutralMedia(type, { kind: 'data', data }, { mimeType, name })
    if (typeof text === 'string') return neutralMedia(type, { kind: 'text', text }, { mimeType: 'text/plain', name })
  }
  return undefined
}

function mimeTypeOf(type: string, format: string): string {
  return type === 'document' ? (DOCUMENT_TYPES[format] ?? `application/${format}`) : `${type}/${format}`
}

function readTool(tool: Fields, lose: Lose): readonly NeutralTool[] {
  const { name, description, inputSchema } = fieldsOf(tool.toolSpec)
  if (typeof name === 'string') return [{ name, description: textOf(description), schema: fieldsOf(inputSchema).json }]
  lose(isFields(tool.cachePoint) ? 'cache mark' : `tool "${Object.keys(tool)[0] ?? ''}" of the provider`)
  return []
}

/** Formats of documents with the media types that they have elsewhere. */
export const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  txt: 'text/plain',
  md: 'text/markdown',
}

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content'])
const CALL_FIELDS: ReadonlySet<string> = new Set(['toolUseId', 'name', 'input'])
const RESULT_FIELDS: ReadonlySet<string> = new Set(['toolUseId', 'content', 'status'])
