import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, contents, cutsMakeNoDifference, frameAll } from './framing.test-data.ts'
import { type SseEvent, sseEvents } from './sse-events.ts'

/** Streams made of what matters to the format, and of characters of one to four bytes. */
const streams = fc
  .array(
    fc.constantFrom(
      'data:',
      'data: ',
      'event: ',
      'event',
      'data',
      'id: 1',
      ':',
      'x',
      ' ',
      'é',
      '語',
      '😀',
      '\ufeff',
      '\r',
      '\n',
      '\r\n',
      '\n\n',
      '\r\n\r\n',
    ),
    { maxLength: 40 },
  )
  .map((parts) => bytes(parts.join('')))

/** The standard's text, line by line over the whole stream; its last, unclosed event counts. */
function bySpecification(stream: Uint8Array): readonly SseEvent[] {
  const text = new TextDecoder().decode(stream)
  const events: SseEvent[] = []
  let data = ''
  let name = ''
  for (const line of [...text.split(/\r\n|[\r\n]/), '']) {
    if (line === '') {
      if (data !== '') events.push({ ...(name !== '' && { event: name }), data: data.slice(0, -1) })
      data = ''
      name = ''
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/su.exec(line) ?? []
    if (field === 'data') data += `${value}\n`
    if (field === 'event') name = value ?? ''
  }
  return events
}

describe('server-sent events', () => {
  it('are those of the standard, however the stream is cut', () => {
    cutsMakeNoDifference(streams, () => sseEvents(), bySpecification)
  })

  it('any bytes pass unchanged', () => {
    cutsMakeNoDifference(fc.uint8Array({ maxLength: 60 }), () => sseEvents())
  })

  it('larger than the limit pass unread, however the stream is cut', () => {
    // The second half of a CRLF may count for the next event: here each break is one byte.
    const broken = streams.map((stream) => stream.map((byte) => (byte === 13 ? 10 : byte)))
    cutsMakeNoDifference(broken, () => sseEvents({ maxItemBytes: 12 }))
    const long = `data: ${'x'.repeat(50)}\n\n`
    const framed = frameAll(sseEvents({ maxItemBytes: 20 }), [bytes(`${long}data: y\n\n`)])
    expect(contents(framed)).toEqual([{ data: 'y' }])
    expect(frameAll(sseEvents({ maxItemBytes: 58 }), [bytes(long)])[0]?.content).toEqual({ data: 'x'.repeat(50) })
    expect(frameAll(sseEvents({ maxItemBytes: 57 }), [bytes(long)])[0]?.content).toBeUndefined()
  })

  it('too large are not held back', () => {
    const events = sseEvents({ maxItemBytes: 8 })
    expect(events.push(bytes('data: 1'))).toEqual([])
    expect(events.push(bytes('23'))).toEqual([{ raw: bytes('data: 123') }])
    expect(events.push(bytes('4'))).toEqual([{ raw: bytes('4') }])
  })

  it('come out with their last byte, each with its bytes', () => {
    const events = sseEvents()
    expect(events.push(bytes('event: a\ndata: 1\n'))).toEqual([])
    expect(events.push(bytes('\ndata: 2'))).toEqual([
      { raw: bytes('event: a\ndata: 1\n\n'), content: { event: 'a', data: '1' } },
    ])
    expect(events.push(bytes('\r\n\r'))).toEqual([{ raw: bytes('data: 2\r\n\r'), content: { data: '2' } }])
    expect(events.push(bytes('\n: ping\n\n'))).toEqual([{ raw: bytes('\n: ping\n\n') }])
    expect(events.end()).toEqual([])
  })

  it('keep the whole of a CRLF that is there', () => {
    const raws = sseEvents().push(bytes('data: 1\r\n\r\ndata: 2\r\n\r\n'))
    expect(raws.map(({ raw }) => raw)).toEqual([bytes('data: 1\r\n\r\n'), bytes('data: 2\r\n\r\n')])
  })

  it('that the end of the stream closes count', () => {
    expect(contents(frameAll(sseEvents(), [bytes('data: [DONE]')]))).toEqual([{ data: '[DONE]' }])
  })
})
