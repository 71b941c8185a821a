import { jsonBytes } from '../../engine/json/json-bytes.ts'
import type { Media } from '../../engine/messages/message.ts'
import { claudeImageTokens } from '../claude-media.ts'
import { imageSize } from '../image-size.ts'
import { fieldsOf, listOf, stringOf } from '../json-fields.ts'
import { recordingTokens } from '../recording-tokens.ts'

/** Kinds of media, by the types that LangChain's own content blocks and those of providers have. */
const KINDS: Readonly<Record<string, Media['kind']>> = {
  image: 'image',
  image_url: 'image',
  input_image: 'image',
  computer_screenshot: 'image',
  audio: 'audio',
  input_audio: 'audio',
  video: 'video',
  file: 'document',
  document: 'document',
  input_file: 'document',
  'text-plain': 'document',
}

/** The picture, file or recording in an entry of a content list; undefined where it is none. */
export function mediaOf(entry: unknown): Media | undefined {
  const kind = kindOf(entry)
  if (kind === undefined) return undefined
  const data = payloadOf(entry)
  const size = kind === 'image' && data !== undefined ? imageSize(data) : undefined
  return { kind, ...(size && { width: size.width, height: size.height }), bytes: payloadBytes(data) }
}

function kindOf(entry: unknown): Media['kind'] | undefined {
  const { type, mimeType, mime_type: older } = fieldsOf(entry)
  if (type === 'media') return kindOfMime(stringOf(mimeType) ?? stringOf(older) ?? '')
  return typeof type === 'string' && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined
}

function kindOfMime(mime: string): Media['kind'] {
  const family = /^(image|audio|video)\//.exec(mime)?.[1]
  return family === undefined ? 'document' : (family as Media['kind'])
}

/** Inline data, wherever the block keeps it; undefined for an address or an id. */
function payloadOf(entry: unknown): string | Uint8Array | undefined {
  const fields = fieldsOf(entry)
  const holders = [fields, fieldsOf(fields.source), fieldsOf(fields.input_audio), fieldsOf(fields.file)]
  const values = [
    ...holders.flatMap(({ data, file_data: file, text }) => [data, file, text]),
    fields.image_url,
    fieldsOf(fields.image_url).url,
    fields.url,
    fields.source,
  ]
  return values.find(isInline)
}

function isInline(value: unknown): value is string | Uint8Array {
  if (value instanceof Uint8Array) return true
  return typeof value === 'string' && value !== '' && !/^(?:https?|gs|file):/i.test(value.slice(0, 6))
}

/** Characters of base64 behind the head of a data URL. */
function payloadBytes(data: string | Uint8Array | undefined): number {
  if (data === undefined) return 0
  if (typeof data !== 'string') return Math.ceil(data.length / 3) * 4
  return data.startsWith('data:') ? data.length - data.indexOf(',') - 1 : data.length
}

/** Bytes of the JSON of an entry, with binary data as the base64 that a provider sends. */
export function entryBytes(entry: unknown): number {
  const { data, source } = fieldsOf(entry)
  const binary = [data, fieldsOf(source).data].find((value) => value instanceof Uint8Array)
  if (!(binary instanceof Uint8Array)) return jsonBytes(entry)
  const rest = { ...fieldsOf(entry), data: '', ...(source !== undefined && { source: '' }) }
  return jsonBytes(rest) + payloadBytes(binary)
}

/** All media in a content list. */
export function mediaIn(content: unknown): readonly Media[] {
  return listOf(content).flatMap((entry) => mediaOf(entry) ?? [])
}

/** Tokens of a page: the middle of what providers report (1,500 to 3,000). */
const PAGE_TOKENS = 2250
/** Base64 characters of a typical page, to guess the pages of a document that does not tell them. */
const PAGE_CHARS = 100_000
/** Pages of a document of which nothing is known but its address. */
const UNKNOWN_PAGES = 5

/**
 * Tokens of one piece of media. Messages do not tell their provider: this is Anthropic's formula, which lies between
 * OpenAI's and Gemini's; calibration does the rest.
 */
export function mediaTokens(media: Pick<Media, 'width' | 'height' | 'pages' | 'bytes'> & { kind: string }): number {
  if (media.kind === 'image') return claudeImageTokens(media)
  if (media.kind === 'audio' || media.kind === 'video') return recordingTokens(media.kind, media.bytes)
  return PAGE_TOKENS * (media.pages ?? (media.bytes === 0 ? UNKNOWN_PAGES : Math.ceil(media.bytes / PAGE_CHARS)))
}
