import type { Media } from '../../engine/messages/message.ts'
import { imageSize } from '../image-size.ts'
import { property, stringOf } from '../json-fields.ts'
import { field } from './fields.ts'
import type { GeminiContent, GeminiPart } from './items.ts'

/** What a part holds. `value` is the native object under the part's field. */
export type PartData =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'call'; readonly value: unknown }
  | { readonly kind: 'response'; readonly value: unknown }
  | { readonly kind: 'media'; readonly media: Media }
  | { readonly kind: 'other' }

/** Reads what a part holds; never throws, whatever the part is. */
export function partData(part: unknown): PartData {
  const call = field(part, 'functionCall')
  if (call !== undefined) return { kind: 'call', value: call }
  const response = field(part, 'functionResponse')
  if (response !== undefined) return { kind: 'response', value: response }
  const text = stringOf(property(part, 'text'))
  if (property(part, 'thought') === true) return { kind: 'thought', text: text ?? '' }
  const media = mediaOf(part)
  if (media !== undefined) return { kind: 'media', media }
  return text === undefined ? { kind: 'other' } : { kind: 'text', text }
}

/** The parts of a content; none when it has no list of parts. */
export function partsOf(content: unknown): readonly GeminiPart[] {
  const parts = property(content, 'parts')
  return Array.isArray(parts) ? (parts as readonly GeminiPart[]) : []
}

/** Does the part carry the model's opaque state? Then it is not edited: it stays as it is or leaves whole. */
export function isSigned(part: unknown): boolean {
  return field(part, 'thoughtSignature') !== undefined
}

/** Media beside the object of a function response. */
export function responseMedia(response: unknown): readonly Media[] {
  return partsOf(response).flatMap((part) => mediaOf(part) ?? [])
}

/** The media of a part with inline or referenced data. */
export function mediaOf(part: unknown): Media | undefined {
  const inline = field(part, 'inlineData')
  if (inline !== undefined) return inlineMedia(inline)
  const file = field(part, 'fileData')
  return file === undefined ? undefined : { kind: mediaKind(file), bytes: 0 }
}

function inlineMedia(inline: unknown): Media {
  const kind = mediaKind(inline)
  const data = stringOf(property(inline, 'data')) ?? ''
  const size = kind === 'image' ? imageSize(data) : undefined
  return { kind, ...(size && { width: size.width, height: size.height }), bytes: data.length }
}

function mediaKind(blob: unknown): Media['kind'] {
  const type = stringOf(field(blob, 'mimeType')) ?? ''
  if (type.startsWith('image/')) return 'image'
  if (type.startsWith('audio/')) return 'audio'
  return type.startsWith('video/') ? 'video' : 'document'
}

/** How a content takes part in the conversation. `user` is the user's words, with or without results beside them. */
export type ContentRole = 'user' | 'model' | 'response' | 'unknown'

/** The role of a content, told by its name and by what it holds. */
export function contentRole(content: GeminiContent): ContentRole {
  const name = property(content, 'role') ?? 'user'
  if (name === 'model') return 'model'
  if (name === 'function' || name === 'tool') return 'response'
  if (name !== 'user') return 'unknown'
  const parts = partsOf(content)
  return parts.length > 0 && parts.every(isResponse) ? 'response' : 'user'
}

/** Does the content hold an answer to a call? Then no words of the user are put into it. */
export function holdsResponse(content: GeminiContent): boolean {
  return partsOf(content).some(isResponse)
}

export function isResponse(part: unknown): boolean {
  return field(part, 'functionResponse') !== undefined
}

export function isCall(part: unknown): boolean {
  return field(part, 'functionCall') !== undefined
}

/** Does the object in a function response report a failure? The API documents `output` and `error` as its keys. */
export function isErrorResponse(response: unknown): boolean {
  return property(response, 'error') !== undefined && property(response, 'output') === undefined
}
