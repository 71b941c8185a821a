/** Pixels that make one token of an image, and the side and tokens that images are scaled down to (Anthropic, published). */
const PIXELS_PER_TOKEN = 750
const MAX_IMAGE_PIXELS = 1568
const MAX_IMAGE_TOKENS = 1600
/** Tokens of a page: the middle of what providers report (1,500 to 3,000). */
const PAGE_TOKENS = 2250
/** Base64 characters of a typical page, to guess the pages of a document that does not tell them. */
const PAGE_CHARS = 100_000
/** Pages of a document of which nothing is known but its address. */
const UNKNOWN_PAGES = 5
/** Tokens of a second of sound and of film (Gemini, published: the only provider that takes both). */
const AUDIO_TOKENS = 32
const VIDEO_TOKENS = 290
/** Base64 characters of a second: sound at 128 kbit/s, film at 1 Mbit/s. */
const AUDIO_SECOND_CHARS = 21_300
const VIDEO_SECOND_CHARS = 167_000
/** Seconds of a recording of which nothing is known but its address. */
const UNKNOWN_SECONDS = 60

/**
 * Tokens of one piece of media. A prompt does not tell its provider: this is Anthropic's formula, which lies between
 * OpenAI's and Gemini's; calibration does the rest.
 */
export function mediaTokens(media: {
  kind: string
  width?: number
  height?: number
  pages?: number
  bytes: number
}): number {
  switch (media.kind) {
    case 'image':
      return imageTokens(media.width, media.height)
    case 'audio':
      return AUDIO_TOKENS * seconds(media.bytes, AUDIO_SECOND_CHARS)
    case 'video':
      return VIDEO_TOKENS * seconds(media.bytes, VIDEO_SECOND_CHARS)
    default:
      return PAGE_TOKENS * (media.pages ?? (media.bytes === 0 ? UNKNOWN_PAGES : Math.ceil(media.bytes / PAGE_CHARS)))
  }
}

function imageTokens(width: number | undefined, height: number | undefined): number {
  if (width === undefined || height === undefined) return MAX_IMAGE_TOKENS
  const scale = Math.min(1, MAX_IMAGE_PIXELS / Math.max(width, height))
  return Math.min(MAX_IMAGE_TOKENS, Math.max(1, Math.ceil((width * height * scale ** 2) / PIXELS_PER_TOKEN)))
}

function seconds(bytes: number, charsPerSecond: number): number {
  return bytes === 0 ? UNKNOWN_SECONDS : Math.ceil(bytes / charsPerSecond)
}
