import type { Media } from '../../engine/messages/message.ts'
import { recordingTokens } from '../recording-tokens.ts'

/** Tokens of one tile of an image, and of one page of a document (published). */
const TILE_TOKENS = 258
/** An image with both sides up to this many pixels is one tile (published). */
const SMALL_IMAGE_PIXELS = 384
/** Larger images are cut into tiles of this side (published). */
const TILE_PIXELS = 768
/** Images are scaled down to fit this square first (published). */
const MAX_IMAGE_PIXELS = 3072
/** Tiles of an image whose size is unknown: a picture of up to 1,536 × 1,536. */
const UNKNOWN_IMAGE_TILES = 4
/** Base64 characters of a typical page, to guess the pages of a document that does not tell them. */
const PAGE_CHARS = 100_000
/** Pages of a document of which nothing is known but its address. */
const UNKNOWN_PAGES = 10

/** Tokens of one piece of media, by the published formula; what the item does not tell is one of the constants above. */
export function mediaTokens(media: Media): number {
  switch (media.kind) {
    case 'image':
      return TILE_TOKENS * tiles(media.width, media.height)
    case 'audio':
    case 'video':
      return recordingTokens(media.kind, media.bytes)
    default:
      return TILE_TOKENS * (media.pages ?? (media.bytes === 0 ? UNKNOWN_PAGES : Math.ceil(media.bytes / PAGE_CHARS)))
  }
}

function tiles(width: number | undefined, height: number | undefined): number {
  if (width === undefined || height === undefined) return UNKNOWN_IMAGE_TILES
  if (width <= SMALL_IMAGE_PIXELS && height <= SMALL_IMAGE_PIXELS) return 1
  const scale = Math.min(1, MAX_IMAGE_PIXELS / Math.max(width, height))
  return side(width * scale) * side(height * scale)
}

function side(pixels: number): number {
  return Math.max(1, Math.ceil(pixels / TILE_PIXELS))
}
