import { describe, expect, it } from 'vitest'
import type { CompactorEvent } from '../../compactor/events.ts'
import { ERROR_HEADER, type PalimpsestFetchOptions, palimpsestFetch } from './index.ts'
import {
  bodyText,
  eventStream,
  eventsOf,
  json,
  MESSAGES_URL,
  MessagesServer,
  messageOf,
  OVERFLOW_EVENT,
  refusal,
  TASK,
  toolSteps,
} from './messages-server.test-data.ts'

function watched(server: MessagesServer, options: PalimpsestFetchOptions = {}) {
  const events: CompactorEvent[] = []
  const onEvent = (event: CompactorEvent) => void events.push(event)
  const send = palimpsestFetch({ fetch: server.fetch, summarizer: 'extractive', onEvent, ...options })
  const post = (body: string, init: RequestInit = {}) =>
    send(MESSAGES_URL, { method: 'POST', headers: { 'x-api-key': 'k', 'idempotency-key': 'once' }, body, ...init })
  return { post, events, of: (type: string) => events.filter((event) => event.type === type) }
}

const STEPS = toolSteps(40, 3_000)
const WHOLE = bodyText([TASK, ...STEPS])
const STREAMED = bodyText([TASK, ...STEPS], { stream: true })
const TOO_LONG = 'prompt is too long: 210000 tokens > 200000 maximum'

describe('an overflow before anything is shown is never seen', () => {
  it('as an error: the request is compacted and sent again, as another request', async () => {
    const server = new MessagesServer(30_000)
    const { post, of } = watched(server)
    const response = await post(WHOLE)
    expect(response.status).toBe(200)
    expect(server.seen.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['once', null])
    expect((server.seen[1]?.text.length ?? 0) < (server.seen[0]?.text.length ?? 0)).toBe(true)
    expect(of('overflow-detected')).toHaveLength(1)
  })

  it.each([
    ['as an event', [...eventsOf('x').slice(0, 2), OVERFLOW_EVENT]],
    ['as the first event', [OVERFLOW_EVENT]],
  ])('%s of a stream', async (_, pieces) => {
    const server = new MessagesServer()
    server.next.push(() => eventStream(pieces))
    const { post, of } = watched(server)
    const response = await post(STREAMED)
    expect(await response.text()).toBe(eventsOf('It is done.', server.tokens(server.main[1]?.body as never)).join(''))
    expect(server.main).toHaveLength(2)
    expect(of('compaction-applied')).toMatchObject([{ reason: 'overflow' }])
  })

  it('as a stop reason of a whole answer', async () => {
    const server = new MessagesServer()
    server.next.push(() => json(messageOf('', 199_000, 'model_context_window_exceeded')))
    const { post } = watched(server)
    expect(await (await post(WHOLE)).json()).toMatchObject({ stop_reason: 'end_turn' })
    expect(server.main).toHaveLength(2)
  })

  it('as an error that a gateway tells with a good status', async () => {
    const server = new MessagesServer()
    server.next.push(() => json({ error: { code: 400, message: TOO_LONG } }))
    const { post } = watched(server)
    expect(await (await post(WHOLE)).json()).toMatchObject({ stop_reason: 'end_turn' })
    expect(server.main).toHaveLength(2)
  })
})

describe('after content', () => {
  it('the failure passes in its own form, and the next request is compacted before it is sent', async () => {
    const server = new MessagesServer()
    const pieces = [...eventsOf('Half of it').slice(0, 5), OVERFLOW_EVENT]
    server.next.push(() => eventStream(pieces))
    const { post, of } = watched(server)
    expect(await (await post(STREAMED)).text()).toBe(pieces.join(''))
    expect(server.main).toHaveLength(1)
    await (await post(STREAMED)).text()
    expect(server.main).toHaveLength(2)
    expect((server.main[1]?.text.length ?? 0) < STREAMED.length).toBe(true)
    expect(of('compaction-applied')).toMatchObject([{ reason: 'overflow' }])
  })
})

describe('what is no overflow is the caller’s', () => {
  it.each([
    ['a rate limit', () => refusal('Rate limited: too many tokens per minute', 429, 'rate_limit_error')],
    ['a broken rule', () => refusal('messages.1: tool_use ids were found without tool_result blocks')],
    ['overload', () => refusal('Overloaded', 529, 'overloaded_error')],
    ['words of a gateway', () => new Response('<html>502</html>\n', { status: 502, headers: { 'x-gateway': 'g' } })],
  ])('%s, byte for byte', async (_, answer) => {
    const server = new MessagesServer()
    let sent: Response | undefined
    server.next.push(() => {
      sent = answer()
      return sent
    })
    const expected = answer()
    const { post } = watched(server)
    const response = await post(WHOLE)
    expect(response).toBe(sent)
    expect(response.status).toBe(expected.status)
    expect(await response.text()).toBe(await expected.text())
    expect([...response.headers]).toEqual([...expected.headers])
    expect(server.seen).toHaveLength(1)
  })
})

describe('an answer without an end', () => {
  it.each([
    ['an error', 500, {}],
    ['a whole answer', 200, { 'content-type': 'application/json' }],
  ])('%s passes as it comes once it is larger than any that is judged', async (_, status, headers) => {
    const server = new MessagesServer()
    const megabyte = new Uint8Array(1024 * 1024).fill(0x20)
    let pieces = 0
    const endless = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull(controller) {
          pieces++
          controller.enqueue(megabyte)
        },
      },
      { highWaterMark: 0 },
    )
    server.next.push(() => new Response(endless, { status, headers }))
    const response = await watched(server).post(WHOLE)
    expect(response.status).toBe(status)
    expect(pieces).toBeLessThan(12)
    await response.body?.cancel()
  })
})

describe('when nothing helps', () => {
  it('the caller gets the last refusal byte for byte, with a header that says what would', async () => {
    const server = new MessagesServer()
    for (let at = 0; at < 5; at++) server.next.push(() => refusal(`${TOO_LONG} (${at})`))
    const { post } = watched(server)
    const response = await post(WHOLE)
    expect(response.status).toBe(400)
    expect(response.headers.get('request-id')).toBe('req_1')
    expect(response.headers.get(ERROR_HEADER)).toMatch(/^The provider refused .* use a model with a larger window\.$/)
    const attempts = server.main.length
    expect(await response.text()).toBe(await refusal(`${TOO_LONG} (${attempts - 1})`).text())
    const sizes = server.main.map(({ text }) => text.length)
    expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => b - a))
    expect(attempts).toBe(3)
  })

  it('a held stream comes as it is, with that header', async () => {
    const server = new MessagesServer()
    const pieces = [...eventsOf('x').slice(0, 2), OVERFLOW_EVENT]
    for (let at = 0; at < 5; at++) server.next.push(() => eventStream(pieces))
    const { post } = watched(server)
    const response = await post(STREAMED)
    expect(response.status).toBe(200)
    expect(response.headers.get(ERROR_HEADER)).toContain('prompt is too long')
    expect(await response.text()).toBe(pieces.join(''))
  })

  it('a request that cannot fit is answered in the provider’s form, and not sent', async () => {
    const server = new MessagesServer()
    const { post } = watched(server, { window: 8_000 })
    const system = 'A rule of the house. '.repeat(10_000)
    const response = await post(bodyText([TASK, ...toolSteps(1, 10)], { system }))
    expect(server.seen).toHaveLength(0)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringMatching(/^prompt is too long: .*was not sent/) },
    })
  })
})

describe('a caller that leaves', () => {
  it('ends the call upstream, and hears its own reason', async () => {
    const server = new MessagesServer()
    const controller = new AbortController()
    server.next.push(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
          controller.abort(new Error('the user pressed a key'))
        }),
    )
    const { post } = watched(server)
    await expect(post(WHOLE, { signal: controller.signal })).rejects.toThrow('the user pressed a key')
  })
})
