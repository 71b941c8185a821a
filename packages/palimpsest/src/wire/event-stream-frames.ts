import { crc32 } from './crc32.ts'
import { type Framing, type FramingOptions, framingBy, type ItemScanner } from './framing.ts'

/** One message of an AWS event stream (`application/vnd.amazon.eventstream`). */
export interface EventStreamFrame {
  readonly headers: ReadonlyMap<string, HeaderValue>
  readonly payload: Uint8Array
}

/** 64-bit integers are bigints, UUIDs text. */
export type HeaderValue = boolean | number | bigint | string | Uint8Array | Date

/**
 * The messages of an AWS event stream. A message whose checksum is wrong passes unread; where a prelude is damaged nobody
 * can tell any more where messages begin, and everything from there on passes unread.
 */
export function eventStreamFrames(options: FramingOptions = {}): Framing<EventStreamFrame> {
  return framingBy(new FrameScanner(), options)
}

/** A message: its length, the length of its headers, a checksum of both, headers, payload, a checksum of all. */
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4
const MIN_FRAME_BYTES = PRELUDE_BYTES + CHECKSUM_BYTES

class FrameScanner implements ItemScanner<EventStreamFrame> {
  readonly isItemAtEnd = false
  isLost = false
  readonly #prelude = new Uint8Array(PRELUDE_BYTES)
  /** Bytes of the current message so far, and in all once its prelude is there. */
  #seen = 0
  #total = 0

  itemEnd(piece: Uint8Array, from: number): number | undefined {
    let at = from
    while (this.#seen < PRELUDE_BYTES && at < piece.length) this.#prelude[this.#seen++] = piece[at++] as number
    if (this.isLost || this.#seen < PRELUDE_BYTES) return undefined
    if (this.#total === 0 && !this.#begin()) return undefined
    const taken = Math.min(this.#total - this.#seen, piece.length - at)
    this.#seen += taken
    if (this.#seen < this.#total) return undefined
    this.#seen = 0
    this.#total = 0
    return at + taken
  }

  #begin(): boolean {
    const view = viewOf(this.#prelude)
    const [total, headers, checksum] = [view.getUint32(0), view.getUint32(4), view.getUint32(8)]
    const isWhole = checksum === crc32(this.#prelude.subarray(0, 8)) && total >= MIN_FRAME_BYTES + headers
    this.isLost = !isWhole
    this.#total = isWhole ? total : 0
    return isWhole
  }

  read(item: Uint8Array): EventStreamFrame | undefined {
    const view = viewOf(item)
    const end = item.length - CHECKSUM_BYTES
    if (view.getUint32(end) !== crc32(item.subarray(0, end))) return undefined
    const behindHeaders = PRELUDE_BYTES + view.getUint32(4)
    const headers = readHeaders(item.subarray(PRELUDE_BYTES, behindHeaders))
    return headers === undefined ? undefined : { headers, payload: item.subarray(behindHeaders, end) }
  }
}

const decoder = new TextDecoder()

/** Undefined where the headers run out of their bytes or have a type that there is not. */
function readHeaders(bytes: Uint8Array): ReadonlyMap<string, HeaderValue> | undefined {
  const headers = new Map<string, HeaderValue>()
  const reader = new HeaderBytes(bytes)
  try {
    while (!reader.isEmpty) {
      const name = decoder.decode(reader.take(reader.takeNumber('Uint8')))
      headers.set(name, readValue(reader))
    }
    return headers
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** By the type byte in front of it. @throws RangeError for a type that there is not. */
function readValue(reader: HeaderBytes): HeaderValue {
  const type = reader.takeNumber('Uint8')
  const read = VALUE_READERS[type]
  if (read === undefined) throw new RangeError(`There is no header type ${type}.`)
  return read(reader)
}

const VALUE_READERS: readonly ((reader: HeaderBytes) => HeaderValue)[] = [
  () => true,
  () => false,
  (reader) => reader.takeNumber('Int8'),
  (reader) => reader.takeNumber('Int16'),
  (reader) => reader.takeNumber('Int32'),
  (reader) => viewOf(reader.take(8)).getBigInt64(0),
  (reader) => reader.take(reader.takeNumber('Uint16')),
  (reader) => decoder.decode(reader.take(reader.takeNumber('Uint16'))),
  (reader) => new Date(Number(viewOf(reader.take(8)).getBigInt64(0))),
  (reader) => uuidOf(reader.take(16)),
]

const NUMBER_BYTES = { Uint8: 1, Int8: 1, Int16: 2, Uint16: 2, Int32: 4 } as const

/** Bytes that are taken from the front. @throws RangeError where there are too few. */
class HeaderBytes {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isEmpty(): boolean {
    return this.#at === this.#bytes.length
  }

  take(count: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + count)
    if (taken.length < count) throw new RangeError('The headers end before their last value does.')
    this.#at += count
    return taken
  }

  takeNumber(kind: keyof typeof NUMBER_BYTES): number {
    return viewOf(this.take(NUMBER_BYTES[kind]))[`get${kind}`](0)
  }
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * The message as AWS SDKs give it: an object with one key, the name of the event or exception, over its parsed payload. A
 * failure of the stream itself keeps the names of its headers: `{ ':error-code', ':error-message' }`.
 */
export function frameEvent({ headers, payload }: EventStreamFrame): unknown {
  const name = headers.get(':event-type') ?? headers.get(':exception-type')
  if (typeof name === 'string') return { [name]: parsed(payload) }
  return Object.fromEntries([...headers].filter(([header]) => header.startsWith(':error-')))
}

function parsed(payload: Uint8Array): unknown {
  const text = decoder.decode(payload)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
