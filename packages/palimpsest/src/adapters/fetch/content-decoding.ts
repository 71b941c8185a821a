import { PalimpsestError } from '../../engine/errors.ts'
import { joinBytes } from '../../wire/framing.ts'
import { streamPieces } from './stream-pieces.ts'

/** Takes a body's `content-encoding` away. @throws PalimpsestError `invalid-input` where it cannot. */
export type ContentDecoder = (bytes: Uint8Array, contentEncoding: string | undefined) => Promise<Uint8Array>

/** Bytes that a body may have once it is decoded: twice what the largest request of any provider has. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024

/**
 * Decodes what every runtime of the web can: gzip and deflate; brotli where this one knows it.
 * @throws PalimpsestError `invalid-input` for another encoding, bytes that are not of it, or a body that becomes too large.
 */
export async function webContentDecoded(bytes: Uint8Array, contentEncoding: string | undefined): Promise<Uint8Array> {
  const names = (contentEncoding ?? '').split(',').map((name) => name.trim().toLowerCase())
  let decoded = bytes
  // The last one named was applied last.
  for (const name of names.toReversed())
    if (name !== '' && name !== 'identity') decoded = await decodeOne(decoded, name)
  return decoded
}

async function decodeOne(bytes: Uint8Array, name: string): Promise<Uint8Array> {
  const format = FORMATS[name]
  try {
    if (format !== undefined) return await inflated(bytes, new DecompressionStream(format as 'gzip'))
  } catch (cause) {
    if (cause instanceof PalimpsestError) throw cause
    throw new PalimpsestError('invalid-input', `The body is not ${name}, or this runtime cannot decode it.`, { cause })
  }
  throw new PalimpsestError('invalid-input', `The content encoding "${name.slice(0, 40)}" is not known.`, {
    hint: `Known are ${Object.keys(FORMATS).join(', ')}; give another decoder by the option "decode".`,
  })
}

const FORMATS: Readonly<Record<string, string>> = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'brotli' }

async function inflated(bytes: Uint8Array, decoder: DecompressionStream): Promise<Uint8Array> {
  const source = new Response(bytes as Uint8Array<ArrayBuffer>).body as ReadableStream<Uint8Array<ArrayBuffer>>
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of streamPieces(source.pipeThrough(decoder))) {
    size += piece.length
    if (size > MAX_DECODED_BYTES) {
      throw new PalimpsestError(
        'invalid-input',
        `The body is larger than ${MAX_DECODED_BYTES} bytes once it is decoded.`,
      )
    }
    pieces.push(piece)
  }
  return joinBytes(pieces)
}
