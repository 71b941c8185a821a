import { describe, expect, test } from 'vitest'
import { pdfPages, picturePixels } from './media-facts.ts'

function base64(...bytes: readonly (number | string)[]): string {
  const parts = bytes.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part])))
  return Buffer.concat(parts).toString('base64')
}

describe('pixels', () => {
  test.each([
    ['GIF', base64('GIF89a', 3, 1, 2, 0, 0, 0), { width: 259, height: 2 }],
    ['PNG', base64('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 0, 0, 1, 0, 0, 0, 0, 9), { width: 256, height: 9 }],
    [
      'JPEG behind another segment',
      base64(0xff, 0xd8, 0xff, 0xe0, 0, 4, 'ab', 0xff, 0xc0, 0, 11, 8, 0, 7, 1, 0, 3),
      { width: 256, height: 7 },
    ],
    ['WebP, lossless', base64('RIFF0000WEBPVP8L0000', 0x2f, 9, 0, 1, 0, '00000'), { width: 10, height: 5 }],
    ['WebP, extended', base64('RIFF0000WEBPVP8X00000000', 4, 0, 0, 6, 0, 0), { width: 5, height: 7 }],
    ['WebP, lossy', base64('RIFF0000WEBPVP8 0000', 0, 0, 0, 0x9d, 1, 0x2a, 8, 0, 9, 0), { width: 8, height: 9 }],
  ])('%s', (_name, data, pixels) => {
    expect(picturePixels(data)).toEqual(pixels)
    expect(picturePixels(`data:image/any;base64,${data}`)).toEqual(pixels)
  })

  test.each([
    ['nothing', ''],
    ['text', base64('hello')],
    ['a cut JPEG', base64(0xff, 0xd8, 0xff)],
  ])('%s has none', (_name, data) => {
    expect(picturePixels(data)).toBeUndefined()
  })
})

test('pages of a PDF that lists them', () => {
  expect(pdfPages(base64('%PDF-1.4 /Type /Pages /Type /Page x /Type/Page y'))).toBe(2)
  expect(pdfPages(base64('%PDF-1.7 all compressed'))).toBeUndefined()
  expect(pdfPages(base64('/Type /Page'))).toBeUndefined()
})
