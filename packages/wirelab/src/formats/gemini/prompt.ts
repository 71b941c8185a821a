import type { PromptBlock } from '../../format.ts'
import { hashText } from '../../hash-text.ts'
import { asFields, field, listField, textField } from '../../json-fields.ts'
import { type Pixels, pdfPages, picturePixels } from '../../media-facts.ts'
import { eitherField, generateRequest, readContents } from './contents.ts'

/** The prompt in the order in which the model reads it: tools, system instruction, contents. */
export function geminiPrompt(body: unknown): readonly PromptBlock[] {
  const request = generateRequest(body)
  const tools = listField(request, 'tools')
    .flatMap(toolTexts)
    .map((text) => ({ text }))
  const system = eitherField(request, 'systemInstruction', 'system_instruction')
  return [
    ...tools,
    ...listField(system, 'parts').map((part) => partBlock('system', part)),
    ...readContents(body).flatMap(({ role, parts }) => parts.flatMap((part) => partBlocks(role, part))),
  ]
}

function toolTexts(tool: unknown): readonly string[] {
  const declarations = eitherField(tool, 'functionDeclarations', 'function_declarations')
  return Array.isArray(declarations) ? declarations.map((one) => JSON.stringify(one)) : [JSON.stringify(tool)]
}

/** A part; behind a function response the media that it brings. */
function partBlocks(role: string, part: unknown): readonly PromptBlock[] {
  const response = eitherField(part, 'functionResponse', 'function_response')
  return [partBlock(role, part), ...listField(response, 'parts').map((inner) => partBlock(role, inner))]
}

function partBlock(role: string, part: unknown): PromptBlock {
  const inline = eitherField(part, 'inlineData', 'inline_data')
  if (inline !== undefined) return mediaBlock(role, inline, textField(inline, 'data') ?? '')
  const file = eitherField(part, 'fileData', 'file_data')
  if (file !== undefined) return mediaBlock(role, file, '')
  return { text: `${role} ${textField(part, 'text') ?? callText(part) ?? plainJson(part)}` }
}

function callText(part: unknown): string | undefined {
  const call = asFields(eitherField(part, 'functionCall', 'function_call'))
  if (call !== undefined) return `call ${call.name} ${JSON.stringify(call.args ?? {})}`
  const response = asFields(eitherField(part, 'functionResponse', 'function_response'))
  return response === undefined ? undefined : `response ${response.name} ${JSON.stringify(response.response ?? {})}`
}

/** A part without its signature: the model does not read that as text. */
function plainJson(part: unknown): string {
  const { thoughtSignature, thought_signature, ...rest } = asFields(part) ?? {}
  return JSON.stringify(rest)
}

const TILE_TOKENS = 258
/** Pictures up to this many pixels in both directions are one tile. */
const SMALL_SIDE = 384
const AUDIO_TOKENS_PER_SECOND = 32
const VIDEO_TOKENS_PER_SECOND = 263
/** Sound and film whose length is not known. */
const UNKNOWN_SECONDS = 20
/** A file whose pages cannot be read counts as this many. */
const UNKNOWN_PAGES = 8

function mediaBlock(role: string, media: unknown, data: string): PromptBlock {
  const type = String(eitherField(media, 'mimeType', 'mime_type') ?? '')
  const name = String(eitherField(media, 'fileUri', 'file_uri') ?? field(media, 'displayName') ?? '')
  return { text: `${role} ${type} ${hashText(data + name)}`, tokens: mediaTokens(type, data) }
}

function mediaTokens(type: string, data: string): number {
  if (type.startsWith('image/')) return imageTokens(picturePixels(data))
  if (type.startsWith('audio/')) return AUDIO_TOKENS_PER_SECOND * UNKNOWN_SECONDS
  if (type.startsWith('video/')) return VIDEO_TOKENS_PER_SECOND * UNKNOWN_SECONDS
  return TILE_TOKENS * (pdfPages(data) ?? UNKNOWN_PAGES)
}

/** 258 tokens for a small picture, else for each tile; a tile's side is the picture's short side by 1.5, at most 768. */
function imageTokens(pixels: Pixels | undefined): number {
  if (pixels === undefined) return TILE_TOKENS
  const { width, height } = pixels
  if (width <= SMALL_SIDE && height <= SMALL_SIDE) return TILE_TOKENS
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)))
  return TILE_TOKENS * Math.ceil(width / side) * Math.ceil(height / side)
}
