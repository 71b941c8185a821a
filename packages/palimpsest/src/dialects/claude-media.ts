import type { Media } from '../engine/messages/message.ts'

/** Longest edge to which Anthropic scales an image down, in pixels. */
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

/** Tokens of an image by the formula that Anthropic publishes for its models. */
export function claudeImageTokens({ width, height }: Pick<Media, 'width' | 'height'>): number {
  if (width === undefined || height === undefined) return IMAGE_TOKENS
  const scale = Math.min(1, LONGEST_EDGE / Math.max(width, height))
  return Math.min(IMAGE_TOKENS, Math.max(1, Math.ceil((width * height * scale ** 2) / PIXELS_PER_TOKEN)))
}

/** Tokens of a document's pages; as many as its bytes make likely where nobody counted them. */
export function claudeDocumentTokens({ pages, bytes }: Pick<Media, 'pages' | 'bytes'>): number {
  return (pages ?? Math.max(1, Math.ceil(bytes / BYTES_PER_PAGE))) * PAGE_TOKENS
}

/** A document that carries its text. */
export function textDocument(text: string): Media {
  return { kind: 'document', pages: Math.ceil(text.length / CHARACTERS_PER_PAGE), bytes: text.length }
}
