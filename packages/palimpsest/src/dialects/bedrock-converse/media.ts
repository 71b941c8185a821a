import type { Media } from '../../engine/messages/message.ts'
import { imageSize } from '../image-size.ts'
import { type BedrockBlock, type Fields, isBlockList, isRecord, memberOf, stringOr } from './items.ts'
import { base64Length } from './wire-form.ts'

/** Longest edge to which the provider scales an image down, in pixels. */
const LONGEST_EDGE = 1568
const PIXELS_PER_TOKEN = 750
/** Tokens of an image at most, and of one whose size is not known. */
const IMAGE_TOKENS = 1_600
/** Tokens of a page: its text and its picture. Published as 1,500 to 3,000. */
const PAGE_TOKENS = 2_000
/** Base64 characters that are taken for a page where pages are not known, and for as much of a recording. */
const BYTES_PER_PAGE = 50_000
/** Characters of plain text that are taken for a page: they cost about as much as a page of a file. */
const CHARACTERS_PER_PAGE = 7_000
/** Tokens of a recording at most: models sample long ones. */
const RECORDING_TOKENS = 32_000

/** The picture, file or recording that a block is; undefined for any other block. */
export function mediaOf(block: BedrockBlock): Media | undefined {
  switch (memberOf(block)) {
    case 'image':
      return imageMedia(sourceOf(block.image))
    case 'document':
      return documentMedia(sourceOf(block.document))
    case 'video':
      return { kind: 'video', bytes: payloadBytes(sourceOf(block.video)) }
    case 'audio':
      return { kind: 'audio', bytes: payloadBytes(sourceOf(block.audio)) }
    case 'guardContent':
      return isRecord(block.guardContent) && isRecord(block.guardContent.image)
        ? imageMedia(sourceOf(block.guardContent.image))
        : undefined
    default:
      return undefined
  }
}

function sourceOf(member: unknown): Fields {
  return isRecord(member) && isRecord(member.source) ? member.source : {}
}

function imageMedia({ bytes }: Fields): Media {
  const isPayload = bytes instanceof Uint8Array || (typeof bytes === 'string' && bytes !== '')
  return { kind: 'image', ...(isPayload && imageSize(bytes)), bytes: payloadBytes({ bytes }) }
}

function documentMedia(source: Fields): Media {
  const text = plainText(source)
  if (text === undefined) return { kind: 'document', bytes: payloadBytes(source) }
  return { kind: 'document', pages: Math.ceil(text.length / CHARACTERS_PER_PAGE), bytes: text.length }
}

function payloadBytes({ bytes }: Fields): number {
  if (bytes instanceof Uint8Array) return base64Length(bytes)
  return stringOr(bytes, '').length
}

/** The text of a document that carries it as such; undefined for files and references. */
export function plainText(source: Fields): string | undefined {
  if (typeof source.text === 'string') return source.text
  if (!isBlockList(source.content)) return undefined
  return source.content.map((block) => (isRecord(block) ? stringOr(block.text, '') : '')).join('\n')
}

/** The text of a document block, where it carries text. */
export function documentText(block: BedrockBlock): string | undefined {
  return memberOf(block) === 'document' ? plainText(sourceOf(block.document)) : undefined
}

/** Media inside a tool result's content, in order. */
export function mediaInside(content: unknown): readonly Media[] {
  return isBlockList(content) ? content.flatMap((block) => mediaOf(block) ?? []) : []
}

/** Does a placeholder for this kind stand for the block? Recordings go with pictures. */
export function isMediaOf(block: BedrockBlock, kind: 'image' | 'document'): boolean {
  const media = mediaOf(block)
  return media !== undefined && (media.kind === 'document') === (kind === 'document')
}

/**
 * Tokens of a picture or file by the formula that Anthropic publishes for its models, the most used here; stated constants
 * where its size is not known, and for recordings.
 */
export function mediaTokens(media: {
  readonly kind: string
  readonly width?: number
  readonly height?: number
  readonly pages?: number
  readonly bytes: number
}): number {
  const byBytes = Math.max(1, Math.ceil(media.bytes / BYTES_PER_PAGE)) * PAGE_TOKENS
  if (media.kind === 'document') return media.pages === undefined ? byBytes : media.pages * PAGE_TOKENS
  if (media.kind !== 'image') return Math.min(byBytes, RECORDING_TOKENS)
  const { width, height } = media
  if (width === undefined || height === undefined) return IMAGE_TOKENS
  const scale = Math.min(1, LONGEST_EDGE / Math.max(width, height))
  return Math.min(IMAGE_TOKENS, Math.max(1, Math.ceil((width * scale * height * scale) / PIXELS_PER_TOKEN)))
}
