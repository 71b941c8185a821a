import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonBytes, utf8Bytes } from './json-bytes.ts'

test('bytes of any text, half pairs included', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('\ud83d', '\ude80', 'a', 'é', '漢') })),
      (text) => {
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text))
      },
    ),
    { numRuns: 1000 },
  )
})

test('bytes of the JSON of any value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)))
    }),
    { numRuns: 1000 },
  )
  expect(jsonBytes(undefined)).toBe(0)
})
