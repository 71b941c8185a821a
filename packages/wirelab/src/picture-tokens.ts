/** Longest edge to which Claude's API scales a picture down, in pixels. */
const LONGEST_EDGE = 1_568
const PIXELS_PER_TOKEN = 750
/** A picture at most, and one whose size cannot be read. */
const MOST_TOKENS = 1_600

/** Tokens of a picture (base64) for Claude's models: by its pixels, never by its bytes. */
export function pictureTokens(base64: string): number {
  const size = pngSize(base64)
  if (size === undefined) return MOST_TOKENS
  const scale = Math.min(1, LONGEST_EDGE / Math.max(size.width, size.height))
  return Math.min(MOST_TOKENS, Math.max(1, Math.ceil((size.width * size.height * scale ** 2) / PIXELS_PER_TOKEN)))
}

/** Width and height of a PNG, which stand in its first 24 bytes; undefined for anything else. */
export function pngSize(base64: string): { readonly width: number; readonly height: number } | undefined {
  const head = Buffer.from(
    base64.slice(base64.startsWith('data:') ? base64.indexOf(',') + 1 : 0).slice(0, 32),
    'base64',
  )
  if (head.length < 24 || head.toString('latin1', 1, 4) !== 'PNG') return undefined
  const [width, height] = [head.readUInt32BE(16), head.readUInt32BE(20)]
  return width > 0 && height > 0 ? { width, height } : undefined
}
