import { describe, expect, it } from 'vitest'
import { boundedText } from './bounded-text.ts'
import { eventStream, steeredStream } from './messages-server.test-data.ts'

const BOUNDS = { maxBytes: 1_000, milliseconds: 60_000 }

/** A body that never ends, and how many pieces of 100 bytes were taken from it. */
function endless() {
  const seen = { pieces: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        controller.enqueue(new Uint8Array(100).fill(seen.pieces++))
      },
      cancel() {
        seen.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { response: new Response(body), seen }
}

describe('boundedText', () => {
  it('is the whole text up to the bound, and the response can still be read', async () => {
    const bytes = new TextEncoder().encode(`\ufeff${'日本語 🙂 '.repeat(20)}`)
    const pieces = [...bytes].map((byte) => new Uint8Array([byte]))
    const response = eventStream(pieces)
    expect(await boundedText(response, { ...BOUNDS, maxBytes: bytes.length })).toBe('日本語 🙂 '.repeat(20))
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
    expect(await boundedText(eventStream(pieces), { ...BOUNDS, maxBytes: bytes.length - 1 })).toBeUndefined()
    expect(await boundedText(new Response(null), BOUNDS)).toBe('')
  })

  it('a body without an end is given up at the bound, and comes from its first byte, as it is asked for', async () => {
    const { response, seen } = endless()
    expect(await boundedText(response, BOUNDS)).toBeUndefined()
    expect(seen.pieces).toBeLessThanOrEqual(12)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    for (let at = 0; at < 50; at++) expect((await reader.read()).value).toEqual(new Uint8Array(100).fill(at))
    expect(seen.pieces).toBeLessThanOrEqual(52)
    await reader.cancel()
    expect(seen.cancelled).toBe(true)
  })

  it('a body that does not come is given up after its time, and nothing of it is lost', async () => {
    const steered = steeredStream()
    steered.send('the first ')
    expect(await boundedText(steered.response, { ...BOUNDS, milliseconds: 5 })).toBeUndefined()
    const text = steered.response.text()
    steered.send('and the rest')
    steered.end()
    expect(await text).toBe('the first and the rest')
  })

  it('a body that breaks off breaks off for its reader', async () => {
    const steered = steeredStream()
    const read = boundedText(steered.response, BOUNDS)
    steered.send('half')
    steered.fail(new Error('reset'))
    expect(await read).toBeUndefined()
    await expect(steered.response.text()).rejects.toThrow('reset')
  })
})
