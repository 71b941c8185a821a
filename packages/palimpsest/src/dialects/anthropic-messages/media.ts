import type { Media } from '../../engine/messages/message.ts'
import { imageSize } from '../image-size.ts'
import { type AnthropicBlock, isBlockList, isRecord, stringOr, typeOf } from './items.ts'

/** Longest edge to which the provider scales an image down, in pixels. */
const LONGEST_EDGE = 1568
const PIXELS_PER_TOKEN = 750
/** Tokens of an image at most, and of one whose size is not known. */
const IMAGE_TOKENS = 1_600
/** Tokens of a page: its text and its picture. Published as 1,500 to 3,000. */
const PAGE_TOKENS = 2_000
/** Base64 characters that are taken for a page where pages are not known. */
const BYTES_PER_PAGE = 50_000
/** Characters of plain text that are taken for a page: they cost about as much as a page of a file. */
const CHARACTERS_PER_PAGE = 7_000

/** The picture or file that a block is; undefined for any other block and for documents whose text stands in the block. */
export function mediaOf(block: AnthropicBlock): Media | undefined {
  const type = typeOf(block)
  if (type === 'image') return imageMedia(block.source)
  return type === 'document' ? documentMedia(block.source) : undefined
}

function imageMedia(source: unknown): Media {
  const data = isRecord(source) ? stringOr(source.data, '') : ''
  const size = data === '' ? undefined : imageSize(data)
  return { kind: 'image', ...size, bytes: data.length }
}

function documentMedia(source: unknown): Media {
  const text = plainText(source)
  if (text !== undefined) {
    return { kind: 'document', pages: Math.ceil(text.length / CHARACTERS_PER_PAGE), bytes: text.length }
  }
  return { kind: 'document', bytes: isRecord(source) ? stringOr(source.data, '').length : 0 }
}

/** The text of a document that carries it as such; undefined for files and references. */
export function plainText(source: unknown): string | undefined {
  if (!isRecord(source)) return undefined
  if (source.type === 'text' && typeof source.data === 'string') return source.data
  if (source.type !== 'content') return undefined
  if (typeof source.content === 'string') return source.content
  if (!isBlockList(source.content)) return undefined
  return source.content.map((block) => (isRecord(block) ? stringOr(block.text, '') : '')).join('\n')
}

/** Media inside a tool result's content, in order. */
export function mediaInside(content: unknown): readonly Media[] {
  return isBlockList(content) ? content.flatMap((block) => mediaOf(block) ?? []) : []
}

/** Tokens of a picture or file by the provider's published formula; stated constants where its size is not known. */
export function mediaTokens(media: {
  readonly kind: string
  readonly width?: number
  readonly height?: number
  readonly pages?: number
  readonly bytes: number
}): number {
  if (media.kind !== 'image') return (media.pages ?? Math.max(1, Math.ceil(media.bytes / BYTES_PER_PAGE))) * PAGE_TOKENS
  const { width, height } = media
  if (width === undefined || height === undefined) return IMAGE_TOKENS
  const scale = Math.min(1, LONGEST_EDGE / Math.max(width, height))
  return Math.min(IMAGE_TOKENS, Math.max(1, Math.ceil((width * scale * height * scale) / PIXELS_PER_TOKEN)))
}
