import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { imageSize } from './image-size.ts'

/** A JPEG marker segment with its length field. */
function segment(marker: number, payload: readonly number[]): number[] {
  const length = payload.length + 2
  return [0xff, marker, length >> 8, length & 0xff, ...payload]
}

function jpeg(width: number, height: number, before: readonly number[] = [], frame = 0xc0): Uint8Array {
  const header = [8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0]
  return Uint8Array.from([0xff, 0xd8, ...before, ...segment(frame, header), ...segment(0xda, [1, 1, 0, 0, 63, 0])])
}

function png(width: number, height: number, before: readonly number[] = []): Uint8Array {
  const bytes = new Uint8Array(33 + before.length)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...before, 0, 0, 0, 13, ...ascii('IHDR')])
  const view = new DataView(bytes.buffer, 16 + before.length)
  view.setUint32(0, width)
  view.setUint32(4, height)
  return bytes
}

function bmp(headerSize: number, width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(64)
  bytes.set(ascii('BM'))
  const view = new DataView(bytes.buffer)
  view.setUint32(14, headerSize, true)
  if (headerSize === 12) {
    view.setUint16(18, width, true)
    view.setUint16(20, height, true)
  } else {
    view.setInt32(18, width, true)
    view.setInt32(22, height, true)
  }
  return bytes
}

function webp(chunk: string, payload: readonly number[]): Uint8Array {
  return Uint8Array.from([...ascii('RIFF'), 0, 0, 0, 0, ...ascii('WEBP'), ...ascii(chunk), 0, 0, 0, 0, ...payload])
}

function ascii(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0))
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

describe('formats', () => {
  test.each<[string, string, number, number]>([
    ['GIF', 'R0lGODlhAgADAIAAAAUEBAAAACwAAAAAAgADAAACAkQBADs=', 2, 3],
    ['PNG', 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 1, 1],
    ['WebP, lossy', 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 1, 1],
    ['WebP, lossless', 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 1, 1],
    [
      'WebP, extended',
      'UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAA',
      1,
      1,
    ],
  ])('a whole %s file', (_, data, width, height) => {
    expect(imageSize(data)).toEqual({ width, height })
  })

  test.each<[string, Uint8Array, number, number]>([
    ['PNG', png(3024, 70_000), 3024, 70_000],
    ['PNG as Apple writes it', png(12, 34, [0, 0, 0, 4, ...ascii('CgBI'), 0x50, 0, 0x20, 6, 1, 2, 3, 4]), 12, 34],
    ['GIF87a', Uint8Array.from([...ascii('GIF87a'), 0x40, 0x01, 0xf0, 0x00]), 320, 240],
    ['baseline JPEG', jpeg(640, 480), 640, 480],
    ['progressive JPEG', jpeg(640, 480, [], 0xc2), 640, 480],
    [
      'JPEG with EXIF, a thumbnail inside it, tables and fill bytes',
      jpeg(4032, 3024, [
        ...segment(0xe1, [...ascii('Exif\0\0'), ...jpeg(160, 120)]),
        ...segment(0xdb, new Array(64).fill(1)),
        ...segment(0xc4, [0, 1, 2]),
        0xff,
        0xff,
        ...segment(0xfe, ascii('comment')),
      ]),
      4032,
      3024,
    ],
    ['WebP, lossy, scaled', webp('VP8 ', [0x30, 1, 0, 0x9d, 0x01, 0x2a, 0x80, 0x42, 0xe0, 0x81]), 640, 480],
    ['WebP, lossless', webp('VP8L', [0x2f, 0x7f, 0xc2, 0x77, 0x10]), 640, 480],
    ['WebP, extended', webp('VP8X', [0x10, 0, 0, 0, 0x3f, 0x42, 0x0f, 0xdf, 0x01, 0x00]), 1_000_000, 480],
    ['BMP', bmp(40, 640, 480), 640, 480],
    ['BMP from top to bottom', bmp(124, 640, -480), 640, 480],
    ['BMP of OS/2', bmp(12, 640, 480), 640, 480],
  ])('%s', (_, bytes, width, height) => {
    expect(imageSize(bytes)).toEqual({ width, height })
    expect(imageSize(base64(bytes))).toEqual({ width, height })
  })
})

describe('encodings', () => {
  const bytes = jpeg(
    4032,
    3024,
    segment(
      0xe1,
      Array.from({ length: 3_000 }, (_, i) => (i * 37) % 256),
    ),
  )
  const size = { width: 4032, height: 3024 }

  test('base64, base64url, with and without padding, in lines, as a data URL', () => {
    const text = base64(bytes)
    expect(imageSize(text)).toEqual(size)
    expect(imageSize(text.replace(/=+$/, ''))).toEqual(size)
    expect(imageSize(Buffer.from(bytes).toString('base64url'))).toEqual(size)
    expect(imageSize(text.replace(/.{76}/g, '$&\r\n'))).toEqual(size)
    expect(imageSize(`data:image/jpeg;base64,${text}`)).toEqual(size)
    expect(imageSize(`data:image/jpeg;name=a.jpg;BASE64, ${text}`)).toEqual(size)
  })

  test('a view into a larger buffer', () => {
    const larger = new Uint8Array(bytes.length + 20)
    larger.set(bytes, 7)
    expect(imageSize(larger.subarray(7))).toEqual(size)
  })

  test('the same size for bytes and for text, whatever the frame header is', () => {
    const pixels = fc.integer({ min: 1, max: 65_535 })
    const payload = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 12 })
    fc.assert(
      fc.property(pixels, pixels, payload, (width, height, comment) => {
        const file = jpeg(width, height, segment(0xfe, comment))
        expect(imageSize(file)).toEqual({ width, height })
        expect(imageSize(base64(file))).toEqual({ width, height })
      }),
      { numRuns: 1000 },
    )
  })
})

describe('what tells no size', () => {
  test.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['words', 'hello, world'],
    ['a PDF', base64(Uint8Array.from(ascii('%PDF-1.7 and so on')))],
    ['an SVG', 'data:image/svg+xml,%3Csvg%20width=%2210%22/%3E'],
    ['a data URL without a comma', 'data:image/png;base64'],
    ['a PNG without pixels', png(0, 10)],
    ['a JPEG whose height comes after the scan', jpeg(640, 0)],
    ['a JPEG without a frame', Uint8Array.from([0xff, 0xd8, ...segment(0xda, [1, 2, 3])])],
    ['a JPEG whose segment has no length', Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xc0])],
    ['a JPEG of nothing but fill bytes', new Uint8Array(100_000).fill(0xff).fill(0xd8, 1, 2)],
    ['a BMP with a header of unknown size', bmp(999, 640, 480)],
    ['a WebP with an unknown chunk', webp('ANIM', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])],
  ])('%s', (_, data) => {
    expect(imageSize(data)).toBeUndefined()
  })

  test('a head that ends too early', () => {
    const files = [png(640, 480).subarray(0, 24), jpeg(640, 480).subarray(0, 11), bmp(40, 640, 480).subarray(0, 26)]
    for (const file of files) {
      expect(imageSize(file)).toEqual({ width: 640, height: 480 })
      for (let length = 0; length < file.length; length++) {
        expect(imageSize(file.subarray(0, length))).toBeUndefined()
        expect(imageSize(base64(file.subarray(0, length)))).toBeUndefined()
      }
    }
  })

  test('random text and bytes never throw, nor does a broken head', () => {
    const heads = fc.constantFrom(png(640, 480), jpeg(640, 480), bmp(40, 640, 480), webp('VP8L', [0x2f, 1, 2, 3, 4]))
    fc.assert(
      fc.property(heads, fc.uint8Array({ maxLength: 64 }), fc.nat(64), fc.string(), (head, noise, at, text) => {
        const broken = Uint8Array.from(head)
        broken.set(noise.subarray(0, Math.max(0, broken.length - at)), Math.min(at, broken.length))
        for (const data of [
          broken,
          base64(broken),
          noise,
          text,
          `data:${text}`,
          `${base64(head).slice(0, at)}${text}`,
        ]) {
          const size = imageSize(data)
          expect(size === undefined || (size.width > 0 && size.height > 0)).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
