import { EventStreamCodec, Int64, type MessageHeaders, type MessageHeaderValue } from '@smithy/eventstream-codec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc32 } from './crc32.ts'
import { eventStreamFrames, frameEvent, type HeaderValue } from './event-stream-frames.ts'
import { bytes, contents, cutsMakeNoDifference, frameAll } from './framing.test-data.ts'
import { joinBytes } from './framing.ts'

const codec = new EventStreamCodec(
  (input) => (typeof input === 'string' ? input : new TextDecoder().decode(input)),
  bytes,
)

const headerValues: fc.Arbitrary<MessageHeaderValue> = fc.oneof(
  fc.boolean().map((value) => ({ type: 'boolean', value }) as const),
  fc.integer({ min: -128, max: 127 }).map((value) => ({ type: 'byte', value }) as const),
  fc.integer({ min: -32_768, max: 32_767 }).map((value) => ({ type: 'short', value }) as const),
  fc.integer().map((value) => ({ type: 'integer', value }) as const),
  fc.maxSafeInteger().map((value) => ({ type: 'long', value: Int64.fromNumber(value) }) as const),
  fc.uint8Array({ maxLength: 20 }).map((value) => ({ type: 'binary', value }) as const),
  fc.string({ unit: 'grapheme' }).map((value) => ({ type: 'string', value }) as const),
  fc.date({ noInvalidDate: true }).map((value) => ({ type: 'timestamp', value }) as const),
  fc.uuid().map((value) => ({ type: 'uuid', value }) as const),
)

const messages = fc.record({
  headers: fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), headerValues, { maxKeys: 4 }),
  body: fc.uint8Array({ maxLength: 50 }),
})
const streams = fc
  .array(
    messages.map((message) => codec.encode(message)),
    { maxLength: 4 },
  )
  .map(joinBytes)

function plain(headers: MessageHeaders): ReadonlyMap<string, HeaderValue> {
  return new Map(
    Object.entries(headers).map(([name, { type, value }]) => [
      name,
      type === 'long' ? BigInt((value as Int64).valueOf()) : (value as HeaderValue),
    ]),
  )
}

describe('AWS event streams', () => {
  it('give the messages that the AWS codec wrote', () => {
    fc.assert(
      fc.property(fc.array(messages, { maxLength: 4 }), (written) => {
        const stream = joinBytes(written.map((message) => codec.encode(message)))
        const read = contents(frameAll(eventStreamFrames(), [stream]))
        expect(read).toEqual(written.map(({ headers, body }) => ({ headers: plain(headers), payload: body })))
      }),
      { numRuns: 500 },
    )
  })

  it('give the same however they are cut', () => {
    cutsMakeNoDifference(streams, () => eventStreamFrames())
    cutsMakeNoDifference(streams, () => eventStreamFrames({ maxItemBytes: 40 }))
    cutsMakeNoDifference(fc.uint8Array({ maxLength: 60 }), () => eventStreamFrames())
  })

  it('with one damaged bit never give a message that was not written', () => {
    const damaged = fc.tuple(fc.array(messages, { minLength: 1, maxLength: 3 }), fc.nat(), fc.nat({ max: 7 }))
    fc.assert(
      fc.property(damaged, ([written, place, bit]) => {
        const frames = written.map((message) => codec.encode(message))
        const stream = joinBytes(frames)
        const at = place % stream.length
        stream[at] = (stream[at] as number) ^ (1 << bit)
        const read = contents(frameAll(eventStreamFrames(), [stream]))
        expect(read.length).toBeLessThan(written.length)
        const known = written.map(({ headers, body }) => ({ headers: plain(headers), payload: body }))
        for (const frame of read) expect(known).toContainEqual(frame)
      }),
      { numRuns: 500 },
    )
  })

  it('pass at once from a damaged prelude on', () => {
    const frames = eventStreamFrames()
    expect(frames.push(bytes('not a frame'))).toEqual([])
    expect(frames.push(bytes(' at all'))).toEqual([{ raw: bytes('not a frame at all') }])
    expect(frames.push(bytes('x'))).toEqual([{ raw: bytes('x') }])
  })

  it('the checksum is that of the standard', () => {
    expect(crc32(bytes('123456789'))).toBe(0xcbf43926)
  })
})

describe('the event of a message', () => {
  const frame = (headers: Record<string, string>, body: string) => ({
    headers: new Map(Object.entries(headers)),
    payload: bytes(body),
  })

  it('has the name of the event or the exception', () => {
    const event = frame({ ':message-type': 'event', ':event-type': 'messageStop' }, '{"stopReason":"end_turn"}')
    expect(frameEvent(event)).toEqual({ messageStop: { stopReason: 'end_turn' } })
    const exception = frame(
      { ':message-type': 'exception', ':exception-type': 'validationException' },
      '{"message":"x"}',
    )
    expect(frameEvent(exception)).toEqual({ validationException: { message: 'x' } })
    expect(frameEvent(frame({ ':event-type': 'chunk' }, 'no JSON'))).toEqual({ chunk: 'no JSON' })
  })

  it('keeps the words of a failure of the stream itself', () => {
    const failure = { ':error-code': 'InternalFailure', ':error-message': 'Sorry.' }
    expect(frameEvent(frame({ ':message-type': 'error', ...failure }, ''))).toEqual(failure)
  })
})
