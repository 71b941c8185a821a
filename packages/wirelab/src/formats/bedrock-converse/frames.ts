import { EventStreamCodec } from '@smithy/eventstream-codec'
import type { StreamPiece } from '../../format.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const codec = new EventStreamCodec(
  (bytes) => decoder.decode(typeof bytes === 'string' ? encoder.encode(bytes) : bytes),
  (text) => encoder.encode(text),
)

/** An event of the stream as a frame; `content`: does it carry some of the answer itself? */
export function eventFrame(type: string, body: object, content = false): StreamPiece {
  return { bytes: frame({ ':event-type': type, ':message-type': 'event' }, body), content }
}

/** A failure inside a stream as a frame. */
export function exceptionFrame(type: string, message: string): StreamPiece {
  return { bytes: frame({ ':exception-type': type, ':message-type': 'exception' }, { message }), content: false }
}

function frame(names: Readonly<Record<string, string>>, body: object): Uint8Array {
  const entries = Object.entries({ ...names, ':content-type': 'application/json' })
  const headers = Object.fromEntries(entries.map(([name, value]) => [name, { type: 'string' as const, value }]))
  return codec.encode({ headers, body: encoder.encode(JSON.stringify(body)) })
}
