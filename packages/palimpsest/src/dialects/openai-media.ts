import type { Media } from '../engine/messages/message.ts'
import { imageSize } from './image-size.ts'

/** Media as OpenAI's formats hold them: `low` detail costs a fixed price whatever the size. */
export interface OpenAiMedia extends Media {
  readonly detail?: 'low'
}

/** Tokens that OpenAI's chat templates add: 3 to 4 a message, 3 for the reply, and a preamble and 6 a tool once there are tools. */
export const OPENAI_FRAMING = { request: 3, message: 4, tools: 20, tool: 6 } as const

/** The price of `low` detail, and of every image before its tiles. */
const BASE_TOKENS = 85
const TILE_TOKENS = 170
const TILE_PIXELS = 512
/** OpenAI scales an image to fit a square of this side, then its shorter side down to `SHORT_SIDE`. */
const LONG_SIDE = 2048
const SHORT_SIDE = 768
/** An image whose size nobody tells counts like a full-HD screenshot: 6 tiles. */
const UNKNOWN_IMAGE_TOKENS = BASE_TOKENS + 6 * TILE_TOKENS
/** A page goes in as its text and as a picture: between 1,500 and 3,000 tokens. */
const PAGE_TOKENS = 2000
/** A document whose pages nobody counted. */
const UNKNOWN_PAGES = 10
/** Base64 characters of compressed speech a token: 10 tokens a second, about 16 kB of sound. */
const AUDIO_BYTES_PER_TOKEN = 2100

/** Tokens of one picture, file or sound by OpenAI's published formula; stated constants where the size is unknown. */
export function openAiMediaTokens(media: {
  readonly kind: string
  readonly width?: number
  readonly height?: number
  readonly pages?: number
  readonly bytes: number
  readonly detail?: string
}): number {
  if (media.kind === 'document') return PAGE_TOKENS * (media.pages ?? UNKNOWN_PAGES)
  if (media.kind === 'audio') return Math.ceil(media.bytes / AUDIO_BYTES_PER_TOKEN)
  if (media.detail === 'low') return BASE_TOKENS
  if (media.width === undefined || media.height === undefined) return UNKNOWN_IMAGE_TOKENS
  return BASE_TOKENS + TILE_TOKENS * countTiles(media.width, media.height)
}

function countTiles(width: number, height: number): number {
  const fit = Math.min(1, LONG_SIDE / Math.max(width, height))
  const shrink = Math.min(1, SHORT_SIDE / (Math.min(width, height) * fit))
  const tiles = (side: number) => Math.max(1, Math.ceil(Math.round(side * fit * shrink) / TILE_PIXELS))
  return tiles(width) * tiles(height)
}

/** An image by its URL (data or remote); without one (a file id) its size is unknown. */
export function imageMedia(url: string | undefined, detail: unknown): OpenAiMedia {
  const inline = url?.startsWith('data:') ? url : undefined
  const size = inline === undefined ? undefined : imageSize(inline)
  return { kind: 'image', bytes: payloadBytes(inline), ...size, ...(detail === 'low' && { detail }) }
}

/** A file by its inline data; without it (an id, a URL) its size is unknown. */
export function documentMedia(data: string | undefined): OpenAiMedia {
  return { kind: 'document', bytes: payloadBytes(data) }
}

/** A sound or film by its inline data. */
export function soundMedia(kind: 'audio' | 'video', data: string | undefined): OpenAiMedia {
  return { kind, bytes: payloadBytes(data) }
}

/** Characters behind the head of a data URL; all of them where there is no head. */
function payloadBytes(data = ''): number {
  return data.startsWith('data:') ? data.length - data.indexOf(',') - 1 : data.length
}
