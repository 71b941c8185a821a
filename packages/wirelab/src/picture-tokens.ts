import { picturePixels } from './media-facts.ts'

/** Longest edge to which Claude's API scales a picture down, in pixels. */
const LONGEST_EDGE = 1_568
const PIXELS_PER_TOKEN = 750
/** A picture at most, and one whose size cannot be read. */
const MOST_TOKENS = 1_600

/** Tokens of a picture (base64) for Claude's models: by its pixels, never by its bytes. */
export function pictureTokens(base64: string): number {
  const size = picturePixels(base64)
  if (size === undefined) return MOST_TOKENS
  const scale = Math.min(1, LONGEST_EDGE / Math.max(size.width, size.height))
  return Math.min(MOST_TOKENS, Math.max(1, Math.ceil((size.width * size.height * scale ** 2) / PIXELS_PER_TOKEN)))
}
