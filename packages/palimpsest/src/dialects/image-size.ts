/**
 * Pixels of an image, read from its header. `data` is base64 or base64url text, a base64 data URL, or the bytes; a head of
 * the file is enough. PNG, JPEG, GIF, WebP and BMP; undefined for anything else and for what is cut or broken. Never
 * throws, and reads only the bytes that it needs however long the payload is. An EXIF rotation is not applied.
 *
 * @example imageSize('data:image/gif;base64,R0lGODlhAgADAIAAAAUEBAAAACwAAAAAAgADAAACAkQBADs=') // { width: 2, height: 3 }
 */
export function imageSize(data: string | Uint8Array): ImageSize | undefined {
  const source = typeof data === 'string' ? base64Source(data) : byteSource(data)
  if (source === undefined) return undefined
  for (const read of [pngSize, jpegSize, gifSize, webpSize, bmpSize]) {
    const size = read(source)
    if (size !== undefined) return size.width > 0 && size.height > 0 ? size : undefined
  }
  return undefined
}

/** Width and height in pixels, both above 0. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The byte at an offset; NaN past the end or where the text is not base64. NaN makes every comparison false. */
type ByteSource = (offset: number) => number

function byteSource(bytes: Uint8Array): ByteSource {
  return (offset) => bytes[offset] ?? Number.NaN
}

/** How much text is cleaned when base64 comes in lines: enough for any header that real cameras and editors write. */
const WRAPPED_HEAD_CHARS = 2_000_000

/** Base64 is read in place: the byte at an offset is made from two characters, so nothing is decoded or copied. */
function base64Source(data: string): ByteSource | undefined {
  const text = payloadOf(data)
  if (text === undefined) return undefined
  return (offset) => {
    const at = Math.floor(offset / 3) * 4 + (offset % 3)
    const high = sextet(text.charCodeAt(at))
    const low = sextet(text.charCodeAt(at + 1))
    if (offset % 3 === 0) return high * 4 + Math.floor(low / 16)
    return offset % 3 === 1 ? (high % 16) * 16 + Math.floor(low / 4) : (high % 4) * 64 + low
  }
}

function payloadOf(data: string): string | undefined {
  let text = data
  if (/^\s*data:/i.test(data.slice(0, 64))) {
    const comma = data.slice(0, 1024).indexOf(',')
    if (comma < 0 || !/;\s*base64\s*$/i.test(data.slice(0, comma))) return undefined
    text = data.slice(comma + 1)
  }
  return /\s/.test(text.slice(0, 1024)) ? text.slice(0, WRAPPED_HEAD_CHARS).replace(/\s+/g, '') : text
}

/** The six bits of a base64 or base64url character; NaN for any other. */
function sextet(code: number): number {
  if (code >= 65 && code <= 90) return code - 65
  if (code >= 97 && code <= 122) return code - 71
  if (code >= 48 && code <= 57) return code + 4
  if (code === 43 || code === 45) return 62
  return code === 47 || code === 95 ? 63 : Number.NaN
}

function pngSize(byte: ByteSource): ImageSize | undefined {
  if (!hasText(byte, 0, '\x89PNG\r\n\x1a\n')) return undefined
  // Files that Apple's tools "optimise" carry a 4-byte chunk before the header chunk.
  const header = hasText(byte, 12, 'CgBI') ? 28 : 12
  if (!hasText(byte, header, 'IHDR')) return undefined
  return known(bigEndian(byte, header + 4, 4), bigEndian(byte, header + 8, 4))
}

/** Segments before the frame header; real files have tens. */
const MAX_JPEG_SEGMENTS = 4096

function jpegSize(byte: ByteSource): ImageSize | undefined {
  if (byte(0) !== 0xff || byte(1) !== 0xd8) return undefined
  let at = 2
  for (let segment = 0; segment < MAX_JPEG_SEGMENTS; segment++) {
    if (byte(at) !== 0xff) return undefined
    const marker = byte(at + 1)
    if (marker === 0xff) at += 1
    else if (isStandalone(marker)) at += 2
    else if (isFrameHeader(marker)) return known(bigEndian(byte, at + 7, 2), bigEndian(byte, at + 5, 2))
    else {
      const length = bigEndian(byte, at + 2, 2)
      // Scan data or the end: the frame header should have come before.
      if (marker === 0xda || marker === 0xd9 || !(length >= 2)) return undefined
      at += 2 + length
    }
  }
  return undefined
}

function isStandalone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
}

/** SOF0 to SOF15, without the three numbers between them that mean Huffman tables, an extension and arithmetic coding. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

function gifSize(byte: ByteSource): ImageSize | undefined {
  if (!hasText(byte, 0, 'GIF87a') && !hasText(byte, 0, 'GIF89a')) return undefined
  return known(littleEndian(byte, 6, 2), littleEndian(byte, 8, 2))
}

function webpSize(byte: ByteSource): ImageSize | undefined {
  if (!hasText(byte, 0, 'RIFF') || !hasText(byte, 8, 'WEBP')) return undefined
  if (hasText(byte, 12, 'VP8X')) return known(littleEndian(byte, 24, 3) + 1, littleEndian(byte, 27, 3) + 1)
  if (hasText(byte, 12, 'VP8L') && byte(20) === 0x2f) {
    const bits = littleEndian(byte, 21, 4)
    return known((bits % 0x4000) + 1, (Math.floor(bits / 0x4000) % 0x4000) + 1)
  }
  if (!hasText(byte, 12, 'VP8 ') || !hasText(byte, 23, '\x9d\x01\x2a')) return undefined
  // The upper two bits of each are a scale for display.
  return known(littleEndian(byte, 26, 2) % 0x4000, littleEndian(byte, 28, 2) % 0x4000)
}

function bmpSize(byte: ByteSource): ImageSize | undefined {
  if (!hasText(byte, 0, 'BM')) return undefined
  const header = littleEndian(byte, 14, 4)
  if (header === 12) return known(littleEndian(byte, 18, 2), littleEndian(byte, 20, 2))
  if (!(header >= 16 && header <= 256)) return undefined
  // A negative height means rows from top to bottom.
  return known(littleEndian(byte, 18, 4), Math.abs(littleEndian(byte, 22, 4) | 0))
}

function known(width: number, height: number): ImageSize | undefined {
  return Number.isNaN(width) || Number.isNaN(height) ? undefined : { width, height }
}

function hasText(byte: ByteSource, offset: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (byte(offset + i) !== text.charCodeAt(i)) return false
  return true
}

function bigEndian(byte: ByteSource, offset: number, length: number): number {
  let value = 0
  for (let i = 0; i < length; i++) value = value * 256 + byte(offset + i)
  return value
}

function littleEndian(byte: ByteSource, offset: number, length: number): number {
  let value = 0
  for (let i = length - 1; i >= 0; i--) value = value * 256 + byte(offset + i)
  return value
}
