import { jsonText } from 'palimpsest/engine'
import { type Fields, fieldsOf, isFields, listOf, present, textOf } from '../../importers/json-fields.ts'
import type { Lose } from '../loss-tally.ts'
import { idOf } from './call-arguments.ts'
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

/** Reads Gemini contents, in both spellings of their fields. */
export const readGemini: NeutralReader = {
  system: (entry, lose) => {
    const parts = isFields(entry) && !Array.isArray(entry.parts) ? [entry] : listOf(fieldsOf(entry).parts)
    const texts = parts.flatMap((part) => readPart(part, lose))
    return texts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
  },
  item: (item, lose) => {
    const fields = fieldsOf(item)
    loseFields(fields, CONTENT_FIELDS, lose)
    const parts = listOf(fields.parts).flatMap((part) => readPart(part, lose))
    return parts.length === 0 ? [] : [{ role: fields.role === 'model' ? 'assistant' : 'user', parts }]
  },
  tools: (frame, lose) => listOf(frame.tools).flatMap((tool) => readTools(fieldsOf(tool), lose)),
  settings: (frame) => {
    const config = fieldsOf(frame.generationConfig ?? frame.generation_config)
    return present({
      outputCap: numberOf(config.maxOutputTokens ?? config.max_output_tokens),
      temperature: numberOf(config.temperature),
      topP: numberOf(config.topP ?? config.top_p),
      stop: textsOf(config.stopSequences ?? config.stop_sequences),
    })
  },
  frameFields: new Set([
    'contents',
    'systemInstruction',
    'system_instruction',
    'tools',
    'model',
    'generationConfig',
    'generation_config',
  ]),
}

function readPart(part: unknown, lose: Lose): readonly NeutralPart[] {
  const fields = fieldsOf(part)
  const signed = either(fields, 'thoughtSignature', 'thought_signature') !== undefined
  loseFields(fields, PART_FIELDS, lose)
  const call = either(fields, 'functionCall', 'function_call')
  const response = either(fields, 'functionResponse', 'function_response')
  if (signed && fields.thought !== true) lose('signature of a thought')
  if (call !== undefined) return [readCall(fieldsOf(call))]
  if (response !== undefined) return [readResponse(fieldsOf(response), lose)]
  if (fields.thought === true) return [{ kind: 'reasoning', text: textOf(fields.text) ?? '', signed }]
  const media = geminiMedia(fields)
  if (media !== undefined) return [media]
  if (typeof fields.text === 'string') return fields.text === '' ? [] : [neutralText(fields.text)]
  if (!signed) lose(`part "${Object.keys(fields)[0] ?? ''}"`)
  return []
}

function either(fields: Fields, name: string, snake: string): unknown {
  return fields[name] ?? fields[snake] ?? undefined
}

function readCall({ id, name, args }: Fields): NeutralPart {
  return { kind: 'call', id: idOf(id), name: textOf(name) ?? '', args: args ?? {} }
}

function readResponse(fields: Fields, lose: Lose): NeutralPart {
  const media = listOf(fields.parts).flatMap((part): readonly NeutralContent[] => {
    const found = geminiMedia(fieldsOf(part))
    if (found === undefined) lose('part of a function response')
    return found === undefined ? [] : [found]
  })
  const { text, isError } = responseText(fields.response)
  return {
    kind: 'result',
    id: idOf(fields.id),
    name: textOf(fields.name),
    content: [...(text === '' ? [] : [neutralText(text)]), ...media],
    isError,
  }
}

/** A response is an object; the ways in which a text is put into one are a convention. */
function responseText(response: unknown): { readonly text: string; readonly isError: boolean } {
  if (response === undefined || response === null) return { text: '', isError: false }
  const [entry, ...others] = Object.entries(fieldsOf(response))
  const isText = entry !== undefined && others.length === 0 && typeof entry[1] === 'string'
  if (isText && TEXT_KEYS.has(entry[0])) return { text: entry[1] as string, isError: entry[0] === 'error' }
  return { text: jsonText(response), isError: false }
}

function geminiMedia(fields: Fields): NeutralMedia | undefined {
  const inline = fieldsOf(either(fields, 'inlineData', 'inline_data'))
  const file = fieldsOf(either(fields, 'fileData', 'file_data'))
  const mimeType = textOf(either(inline, 'mimeType', 'mime_type') ?? either(file, 'mimeType', 'mime_type'))
  const facts = { mimeType, name: inline.displayName ?? file.displayName }
  const type = mediaTypeOf(mimeType ?? '')
  const url = either(file, 'fileUri', 'file_uri')
  if (typeof inline.data === 'string') return neutralMedia(type, { kind: 'data', data: inline.data }, facts)
  return typeof url === 'string' ? neutralMedia(type, { kind: 'url', url }, facts) : undefined
}

function readTools(tool: Fields, lose: Lose): readonly NeutralTool[] {
  const declared = either(tool, 'functionDeclarations', 'function_declarations')
  for (const key of Object.keys(tool)) if (!DECLARATIONS.has(key)) lose(`tool "${key}" of the provider`)
  return listOf(declared)
    .map(fieldsOf)
    .map(({ name, description, parameters, parametersJsonSchema }) => ({
      name: textOf(name) ?? '',
      description: textOf(description),
      schema: parametersJsonSchema ?? parameters,
    }))
}

const DECLARATIONS: ReadonlySet<string> = new Set(['functionDeclarations', 'function_declarations'])
const TEXT_KEYS: ReadonlySet<string> = new Set(['output', 'result', 'error'])
const CONTENT_FIELDS: ReadonlySet<string> = new Set(['role', 'parts'])
const PART_FIELDS: ReadonlySet<string> = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'thought_signature',
  'functionCall',
  'function_call',
  'functionResponse',
  'function_response',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
])
