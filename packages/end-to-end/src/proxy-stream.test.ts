import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { anthropicClient } from './fetch-clients.test-data.ts'
import { endAll, metric, startBoth, startOne, startUpstream } from './proxy.test-data.ts'

afterEach(endAll)

const BODY = JSON.stringify({
  model: 'claude-opus-5',
  max_tokens: 100,
  stream: true,
  messages: [{ role: 'user', content: 'Hi' }],
})
const STREAM = { 'content-type': 'text/event-stream' }

function delta(text: string): string {
  const data = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
  return `event: content_block_delta\ndata: ${JSON.stringify(data)}\n\n`
}

function deferred() {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

function post(url: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/v1/messages`, { method: 'POST', body: BODY, ...(signal !== undefined && { signal }) })
}

test('a stream passes piece by piece, as it comes', async () => {
  const seen = deferred()
  const url = await startUpstream((_, response) => {
    response.writeHead(200, STREAM).write(delta('first'))
    // the second piece exists only once the first has been read at the far end
    void seen.promise.then(() => response.end(delta('second')))
  })
  const { proxy } = await startOne({ upstreams: [url] })
  const response = await post(proxy.url)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  expect(await read()).toBe(delta('first'))
  expect(metric(proxy, 'palimpsest_proxy_streams_in_flight')).toBe(1)
  seen.resolve()
  expect(await read()).toBe(delta('second'))
  expect((await reader.read()).done).toBe(true)
})

test('a client that goes away ends the call of the upstream', async () => {
  const ended = deferred()
  const url = await startUpstream((_, response) => {
    response.once('close', ended.resolve)
    response.writeHead(200, STREAM).write(delta('first'))
  })
  const { proxy, lines } = await startOne({ upstreams: [url] })
  const leave = new AbortController()
  const response = await post(proxy.url, leave.signal)
  await (response.body as ReadableStream<Uint8Array>).getReader().read()
  leave.abort()
  await ended.promise
  await expect.poll(() => lines.map(({ fields }) => fields.outcome)).toEqual(['client-gone'])
  expect(metric(proxy, 'palimpsest_proxy_streams_in_flight')).toBe(0)
})

test('a stream that the upstream breaks off is broken off for the client', async () => {
  const url = await startUpstream((_, response) => {
    response.writeHead(200, STREAM).write(delta('first'), () => response.destroy())
  })
  const { proxy, lines } = await startOne({ upstreams: [url] })
  const response = await post(proxy.url)
  await expect(response.text()).rejects.toThrow()
  await expect.poll(() => lines.map(({ fields }) => fields.outcome)).toEqual(['broken'])
})

test('a stream that nobody asked to encode is read and passed decoded', async () => {
  const url = await startUpstream((_, response) => {
    response.writeHead(200, { ...STREAM, 'content-encoding': 'gzip' }).end(gzipSync(delta('hello')))
  })
  const { proxy } = await startOne({ upstreams: [url] })
  const response = await post(proxy.url)
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(await response.text()).toBe(delta('hello'))
})

test('an error of the upstream comes as it was: status, headers, bytes', async () => {
  const body = '{"type":"error",  "error":{"type":"rate_limit_error","message":"slow down"}}'
  const url = await startUpstream((_, response) => {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7', 'request-id': 'r1' }).end(body)
  })
  const { proxy } = await startOne({ upstreams: [url] })
  const response = await post(proxy.url)
  expect(response.status).toBe(429)
  expect([response.headers.get('retry-after'), response.headers.get('request-id')]).toEqual(['7', 'r1'])
  expect(await response.text()).toBe(body)
})

describe('closing', () => {
  test('lets an open stream end, takes no new call, and then is done', async () => {
    const seen = deferred()
    const url = await startUpstream((_, response) => {
      response.writeHead(200, STREAM).write(delta('first'))
      void seen.promise.then(() => response.end(delta('last')))
    })
    const { proxy } = await startOne({ upstreams: [url] })
    const response = await post(proxy.url)
    let isClosed = false
    const closed = proxy.close().then(() => {
      isClosed = true
    })
    await expect(fetch(`${proxy.url}/healthz`)).rejects.toThrow()
    expect(isClosed).toBe(false)
    seen.resolve()
    expect(await response.text()).toBe(delta('first') + delta('last'))
    await closed
  })

  test('breaks open streams off where it is told to', async () => {
    const url = await startUpstream((_, response) => response.writeHead(200, STREAM).write(delta('first')))
    const { proxy } = await startOne({ upstreams: [url] })
    const response = await post(proxy.url)
    const closed = proxy.close()
    proxy.breakOff()
    await expect(response.text()).rejects.toThrow()
    await closed
  })
})

test('an overflow before the first content is never seen by the client', async () => {
  const { lab, proxy } = await startBoth({ script: () => ({ parts: [{ kind: 'text', text: 'Done.' }] }) })
  lab.inject({ kind: 'overflow', when: 'before-content' })
  const words = 'A line of an old answer that nobody needs. '.repeat(300)
  const { content } = await anthropicClient({ url: proxy.url, fetch: globalThis.fetch })
    .messages.stream({
      model: 'claude-opus-5',
      max_tokens: 100,
      messages: [
        { role: 'user', content: 'Tell.' },
        { role: 'assistant', content: words },
        { role: 'user', content: 'More.' },
        { role: 'assistant', content: words },
        { role: 'user', content: 'And the end?' },
      ],
    })
    .finalMessage()
  expect(content).toMatchObject([{ text: 'Done.' }])
  expect(metric(proxy, 'palimpsest_overflow_retries_total')).toBe(1)
  expect(metric(proxy, 'palimpsest_compactions_total{reason="overflow"}')).toBe(1)
})
