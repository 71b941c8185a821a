import * as zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PalimpsestError } from '../engine/errors.ts'
import { bytes } from './framing.test-data.ts'
import { contentDecoded } from './node-content-decoding.ts'

const ENCODERS = {
  gzip: zlib.gzipSync,
  'X-Gzip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  ' deflate ': zlib.deflateRawSync,
  br: zlib.brotliCompressSync,
}

describe('a body', () => {
  it('comes back from every encoding, and from several', async () => {
    const names = fc.constantFrom(...(Object.keys(ENCODERS) as (keyof typeof ENCODERS)[]))
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), fc.array(names, { maxLength: 3 }), async (body, encodings) => {
        const encoded = encodings.reduce<Uint8Array>((current, name) => ENCODERS[name](current), body)
        const decoded = await contentDecoded(encoded, encodings.join(','))
        expect(new Uint8Array(decoded)).toEqual(body)
      }),
    )
  })

  it.each([undefined, '', 'identity', ' , '])('that is not encoded (%j) is the same object', async (encoding) => {
    const body = bytes('{}')
    expect(await contentDecoded(body, encoding)).toBe(body)
  })

  it.skipIf(!('zstdCompressSync' in zlib))('comes back from zstd where Node has it', async () => {
    const { zstdCompressSync } = zlib as unknown as { zstdCompressSync: (body: Uint8Array) => Uint8Array }
    const decoded = await contentDecoded(zstdCompressSync(bytes('{"a":1}')), 'zstd')
    expect(new Uint8Array(decoded)).toEqual(bytes('{"a":1}'))
  })
})

describe('refused is', () => {
  const refusal = async (body: Uint8Array, encoding: string, maxBytes?: number): Promise<PalimpsestError> => {
    const options = maxBytes === undefined ? {} : { maxBytes }
    const error = await contentDecoded(body, encoding, options).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(PalimpsestError)
    expect(error).toMatchObject({ code: 'invalid-input' })
    return error as PalimpsestError
  }

  it('an encoding that nobody knows', async () => {
    expect((await refusal(bytes('x'), 'compress')).message).toContain('"compress"')
    await refusal(bytes('x'), 'constructor')
    await refusal(bytes('x'), 'gzip, gzip, gzip, gzip')
  })

  it.skipIf('zstdCompressSync' in zlib)('zstd where Node has none, with what would help', async () => {
    expect((await refusal(bytes('x'), 'zstd')).hint).toContain('Node 22.15')
  })

  it.each(['gzip', 'deflate', 'br'])('what is not %s though it says so', async (encoding) => {
    expect((await refusal(bytes('{"plain":true}'), encoding)).message).toContain(encoding)
  })

  it.each(['gzip', 'deflate', 'br'] as const)('%s that is cut', async (encoding) => {
    const body = ENCODERS[encoding](bytes('text '.repeat(100)))
    await refusal(body.subarray(0, body.length - 3), encoding)
  })

  it.each(['gzip', 'deflate', 'br'] as const)('a small %s body that becomes too large', async (encoding) => {
    const bomb = ENCODERS[encoding](new Uint8Array(1_000_000))
    expect(bomb.length).toBeLessThan(2_000)
    expect((await refusal(bomb, encoding, 999_999)).message).toContain('999999')
    expect((await contentDecoded(bomb, encoding, { maxBytes: 1_000_000 })).length).toBe(1_000_000)
  })

  it('a body that a second encoding makes too large', async () => {
    const bomb = zlib.gzipSync(zlib.gzipSync(new Uint8Array(1_000_000)))
    await refusal(bomb, 'gzip, gzip', 10_000)
  })
})
