import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { OverflowFacts, Usage } from '../../dialects/dialect.ts'
import { anthropicMessages } from '../../dialects/index.ts'
import { sseStreamEvents } from '../../wire/stream-events.ts'
import { HeldStream } from './held-stream.ts'
import { event, eventStream, eventsOf, OVERFLOW_EVENT, steeredStream } from './messages-server.test-data.ts'

/** What a stream told whoever prepared its request. */
function listener() {
  const told: { usage: Usage[]; marked: OverflowFacts[]; done: number } = { usage: [], marked: [], done: 0 }
  const prepared = {
    size: { tokens: 1_000, basis: 'estimated' as const },
    window: 200_000,
    observeUsage: (usage: Usage) => void told.usage.push(usage),
    markOverflow: (facts: OverflowFacts) => void told.marked.push(facts),
    done: () => void told.done++,
  }
  return { told, prepared }
}

function held(response: Response, holdMilliseconds = 60_000) {
  const { told, prepared } = listener()
  const body = response.body as ReadableStream<Uint8Array>
  const reader = anthropicMessages.reader()
  return {
    told,
    reader,
    stream: new HeldStream(body, { events: sseStreamEvents(), reader, prepared, holdMilliseconds }),
  }
}

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).text()
}

const EVENTS = eventsOf('The fix is in src/parser.ts — tested: 日本語 🙂.')
const WHOLE = EVENTS.join('')

describe('a stream', () => {
  it('passes unchanged, however it is cut', async () => {
    const bytes = new TextEncoder().encode(`: a comment\n\n${WHOLE}`)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 30 }), async (cuts) => {
        const bounds = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const pieces = bounds.slice(1).map((end, at) => bytes.slice(bounds[at], end))
        const { stream, told } = held(eventStream(pieces))
        expect(await stream.hold()).toBeUndefined()
        expect(
          new Uint8Array(await new Response(stream.passing() as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer()),
        ).toEqual(bytes)
        expect(told).toMatchObject({ usage: [{ input: 10, output: 5 }], marked: [], done: 1 })
      }),
      { numRuns: 150 },
    )
  })

  it('passes unchanged where it is no stream of events at all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 8 }), async (pieces) => {
        const { stream } = held(eventStream(pieces))
        await stream.hold()
        const passed = new Uint8Array(
          await new Response(stream.passing() as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
        )
        expect([...passed]).toEqual(pieces.flatMap((piece) => [...piece]))
      }),
      { numRuns: 200 },
    )
  })
})

describe('while nothing is said', () => {
  it('a stream is held, and comes at once with its first content, from its first byte', async () => {
    const steered = steeredStream()
    const { stream } = held(steered.response)
    const opened = vi.fn()
    const hold = stream.hold().then(opened)
    for (const piece of EVENTS.slice(0, 3)) steered.send(piece)
    await new Promise((resolve) => setImmediate(resolve))
    expect(opened).not.toHaveBeenCalled()
    steered.send(EVENTS[3] as string)
    await hold
    const reader = stream.passing().getReader()
    const passed = []
    for (let at = 0; at < 4; at++) passed.push(new TextDecoder().decode((await reader.read()).value))
    expect(passed).toEqual(EVENTS.slice(0, 4))
  })

  it('an overflow is told instead of shown', async () => {
    const { stream, told } = held(eventStream([...EVENTS.slice(0, 2), OVERFLOW_EVENT]))
    expect(await stream.hold()).toMatchObject({ kind: 'tokens', limit: 200_000, size: 210_000 })
    await stream.discard()
    expect(told).toEqual({ usage: [], marked: [], done: 0 })
  })

  it('a failure that is no overflow is shown', async () => {
    const failure =
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    const { stream, told } = held(eventStream([EVENTS[0] as string, failure]))
    expect(await stream.hold()).toBeUndefined()
    expect(await textOf(stream.passing())).toBe(EVENTS[0] + failure)
    expect(told.marked).toEqual([])
  })

  it('time runs out: the caller gets what there is, and what comes', async () => {
    vi.useFakeTimers()
    try {
      const steered = steeredStream()
      const { stream, told } = held(steered.response, 30_000)
      steered.send(EVENTS[0] as string)
      const hold = stream.hold()
      await vi.advanceTimersByTimeAsync(29_999)
      const opened = vi.fn()
      void hold.then(opened)
      await vi.advanceTimersByTimeAsync(0)
      expect(opened).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      expect(await hold).toBeUndefined()
      const passed = textOf(stream.passing())
      steered.send(OVERFLOW_EVENT)
      steered.end()
      expect(await passed).toBe(EVENTS[0] + OVERFLOW_EVENT)
      expect(told.marked).toMatchObject([{ kind: 'tokens' }])
    } finally {
      vi.useRealTimers()
    }
  })

  it('a connection that breaks gives what was held, and then the failure', async () => {
    const steered = steeredStream()
    const { stream } = held(steered.response)
    steered.send(EVENTS[0] as string)
    const hold = stream.hold()
    await new Promise((resolve) => setImmediate(resolve))
    steered.fail(new Error('socket hang up'))
    expect(await hold).toBeUndefined()
    const reader = stream.passing().getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(EVENTS[0])
    await expect(reader.read()).rejects.toThrow('socket hang up')
  })
})

describe('once it is shown', () => {
  it('an overflow passes in its own form, and marks the conversation', async () => {
    const pieces = [...EVENTS.slice(0, 5), OVERFLOW_EVENT]
    const { stream, told } = held(eventStream(pieces))
    await stream.hold()
    expect(await textOf(stream.passing())).toBe(pieces.join(''))
    expect(told.marked).toMatchObject([{ kind: 'tokens', limit: 200_000 }])
  })

  it('a stop because the window was full marks it too', async () => {
    const stop = event('message_delta', { delta: { stop_reason: 'model_context_window_exceeded' }, usage: {} })
    const { stream, told } = held(eventStream([...EVENTS.slice(0, 5), stop]))
    await stream.hold()
    await textOf(stream.passing())
    expect(told.marked).toMatchObject([{ kind: 'silent' }])
  })

  it('nothing is read ahead of the one who takes it', async () => {
    const steered = steeredStream()
    const { stream } = held(steered.response)
    const hold = stream.hold()
    for (const piece of EVENTS.slice(0, 4)) steered.send(piece)
    await hold
    const before = steered.pulls()
    stream.passing()
    await new Promise((resolve) => setImmediate(resolve))
    expect(steered.pulls()).toBe(before)
  })

  it('who leaves ends it upstream, and what was told is taken', async () => {
    const steered = steeredStream()
    const { stream, told } = held(steered.response)
    const hold = stream.hold()
    for (const piece of EVENTS.slice(0, 5)) steered.send(piece)
    await hold
    await stream.passing().cancel('enough')
    expect(await steered.cancelled).toBe('enough')
    expect(told).toMatchObject({ usage: [{ input: 10 }], done: 1 })
  })
})
