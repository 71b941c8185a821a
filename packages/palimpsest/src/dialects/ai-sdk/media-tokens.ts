import type { Media } from '../../engine/messages/message.ts'
import { claudeImageTokens } from '../claude-media.ts'
import { recordingTokens } from '../recording-tokens.ts'

/** Tokens of a page: the middle of what providers report (1,500 to 3,000). */
const PAGE_TOKENS = 2250
/** Base64 characters of a typical page, to guess the pages of a document that does not tell them. */
const PAGE_CHARS = 100_000
/** Pages of a document of which nothing is known but its address. */
const UNKNOWN_PAGES = 5

/**
 * Tokens of one piece of media. A prompt does not tell its provider: this is Anthropic's formula, which lies between
 * OpenAI's and Gemini's; calibration does the rest.
 */
export function mediaTokens(media: Media): number {
  switch (media.kind) {
    case 'image':
      return claudeImageTokens(media)
    case 'audio':
    case 'video':
      return recordingTokens(media.kind, media.bytes)
    default:
      return PAGE_TOKENS * (media.pages ?? (media.bytes === 0 ? UNKNOWN_PAGES : Math.ceil(media.bytes / PAGE_CHARS)))
  }
}
