import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { PalimpsestError } from '../engine/errors.ts'

/** Bytes that a body may have once it is decoded: twice what the largest request of any provider has. */
export const MAX_DECODED_BYTES: number = 64 * 1024 * 1024

/** Encodings of one body: nobody sends more than one, and each could blow the body up anew. */
const MAX_ENCODINGS = 3

/**
 * The body without its `content-encoding`: gzip, deflate, br, and zstd where this Node has it. Nothing to decode gives the
 * same bytes.
 * @throws PalimpsestError `invalid-input` for an encoding that is not known, bytes that are not of it, or a body that
 * becomes larger than `maxBytes`.
 *
 * @example
 * const bytes = await contentDecoded(new Uint8Array(gzipSync('{}')), 'gzip')
 */
export async function contentDecoded(
  bytes: Uint8Array,
  contentEncoding: string | undefined,
  options: { readonly maxBytes?: number } = {},
): Promise<Uint8Array> {
  const maxBytes = options.maxBytes ?? MAX_DECODED_BYTES
  const names = encodingsOf(contentEncoding)
  if (names.length > MAX_ENCODINGS) {
    throw new PalimpsestError('invalid-input', `The body has ${names.length} content encodings.`, {
      hint: `At most ${MAX_ENCODINGS} are read; one is usual.`,
    })
  }
  let decoded = bytes
  // The last one named was applied last.
  for (const name of names.toReversed()) decoded = await decodeOne(decoded, name, maxBytes)
  return decoded
}

function encodingsOf(contentEncoding: string | undefined): readonly string[] {
  const names = (contentEncoding ?? '').split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && name !== 'identity')
}

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>

async function decodeOne(bytes: Uint8Array, name: string, maxBytes: number): Promise<Uint8Array> {
  const decode = decoderOf(name, bytes)
  try {
    return await decode(bytes, { maxOutputLength: maxBytes })
  } catch (cause) {
    const isTooLarge = (cause as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
    throw new PalimpsestError(
      'invalid-input',
      isTooLarge ? `The ${name} body is larger than ${maxBytes} bytes.` : `The body is not ${name}.`,
      { cause, hint: isTooLarge ? 'Send a smaller body.' : 'Send a content-encoding that names what the body is.' },
    )
  }
}

function decoderOf(name: string, bytes: Uint8Array): Decode {
  if (name === 'deflate') return isZlib(bytes) ? DECODERS.deflate : inflateRaw
  const decode = (DECODERS as Readonly<Record<string, Decode | undefined>>)[name]
  if (decode !== undefined && Object.hasOwn(DECODERS, name)) return decode
  throw new PalimpsestError('invalid-input', `The content encoding "${name.slice(0, 40)}" is not known.`, {
    hint:
      name === 'zstd'
        ? 'Run on Node 22.15 or newer, or let the client send its requests without compression.'
        : `Known are ${Object.keys(DECODERS).join(', ')}.`,
  })
}

const gunzip: Decode = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.gunzip)
const inflateRaw: Decode = promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.inflateRaw)

const DECODERS = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zlib.inflate) as Decode,
  br: promisify<Uint8Array, zlib.BrotliOptions, Uint8Array>(zlib.brotliDecompress) as Decode,
  ...zstd(),
}

function zstd(): { readonly zstd?: Decode } {
  const { zstdDecompress } = zlib as { zstdDecompress?: typeof zlib.gunzip }
  return zstdDecompress === undefined
    ? {}
    : { zstd: promisify<Uint8Array, zlib.ZlibOptions, Uint8Array>(zstdDecompress) }
}

/** The standard means zlib by deflate; some clients send it without zlib's header, which is a multiple of 31. */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}
