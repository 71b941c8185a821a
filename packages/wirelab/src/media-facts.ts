/** Pixels of a picture, both above 0. */
export interface Pixels {
  readonly width: number
  readonly height: number
}

/** Characters of base64 that are decoded to find a header: more than any camera writes in front of its frame header. */
const HEAD_CHARS = 400_000

/** Pixels of a PNG, JPEG, GIF or WebP picture from base64 text or a base64 data URL; undefined where they cannot be read. */
export function picturePixels(data: string): Pixels | undefined {
  const bytes = Buffer.from(base64Of(data).slice(0, HEAD_CHARS), 'base64')
  const pixels = pngPixels(bytes) ?? gifPixels(bytes) ?? webpPixels(bytes) ?? jpegPixels(bytes)
  return pixels !== undefined && pixels.width > 0 && pixels.height > 0 ? pixels : undefined
}

/** Pages of a PDF (base64 or data URL) that lists its pages uncompressed; undefined for every other file. */
export function pdfPages(data: string): number | undefined {
  const text = Buffer.from(base64Of(data), 'base64').toString('latin1')
  if (!text.startsWith('%PDF')) return undefined
  const pages = text.match(/\/Type\s*\/Page(?![a-z])/gi)?.length ?? 0
  return pages > 0 ? pages : undefined
}

function base64Of(data: string): string {
  const comma = data.startsWith('data:') ? data.indexOf(',') : -1
  return data.slice(comma + 1)
}

function pngPixels(bytes: Buffer): Pixels | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 1, 4) !== 'PNG') return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gifPixels(bytes: Buffer): Pixels | undefined {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 4) !== 'GIF8') return undefined
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

function webpPixels(bytes: Buffer): Pixels | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined
  const chunk = bytes.toString('latin1', 12, 16)
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (chunk === 'VP8L') {
    const bits = bytes.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
}

function jpegPixels(bytes: Buffer): Pixels | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  for (let at = 2; at + 9 < bytes.length; ) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
