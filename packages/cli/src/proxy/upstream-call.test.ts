import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { startProxy } from './start-proxy.ts'
import { UpstreamClient } from './upstream-call.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A server that answers every connection with these bytes and ends it; and the request lines that it saw. */
async function upstream(answer: string | Uint8Array) {
  const lines: string[] = []
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (piece) => {
      lines.push(piece.toString('latin1').split('\r\n')[0] as string)
      socket.end(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lines }
}

function get(url: string): Promise<Response> {
  const client = new UpstreamClient()
  ends.push(() => client.close())
  return client.send({ method: 'GET', url, headers: new Headers(), body: null }, 'readable')
}

describe('an upstream that gives no answer is an error', () => {
  test.each([
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\nabc'],
    ['nothing', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\nConte'],
    ['no HTTP', 'hello\r\n\r\n'],
  ])('%s', async (_, answer) => {
    const { url } = await upstream(answer)
    await expect(get(url)).rejects.toThrow()
  })

  test('its client hears of it', async () => {
    const { url } = await upstream('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\n')
    const proxy = await startProxy({ upstreams: [url] })
    ends.push(() => proxy.close())
    const response = await fetch(`${proxy.url}/v1/models`)
    expect(response.status).toBe(502)
    expect(await response.text()).toContain('gave no answer (NoAnswer)')
  })
})

describe('an encoded body', () => {
  const text = JSON.stringify(Array.from({ length: 500 }, (_, at) => `line ${at}`))
  const encodings = { gzip: gzipSync(text), deflate: deflateSync(text), br: brotliCompressSync(text) }
  const answered = (encoding: string, body: Uint8Array) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`
    return upstream(Buffer.concat([Buffer.from(head), body]))
  }

  test.each(Object.entries(encodings))('%s is decoded, and one that ends too early is an error', async (name, body) => {
    const whole = await answered(name, body)
    expect(await (await get(whole.url)).text()).toBe(text)
    for (const length of [1, body.length >> 1, body.length - 1]) {
      const cut = await answered(name, body.subarray(0, length))
      await expect(get(cut.url).then((response) => response.text())).rejects.toThrow()
    }
  })

  test('that has no byte is empty', async () => {
    const { url } = await answered('gzip', new Uint8Array())
    expect(await (await get(url)).text()).toBe('')
  })
})

test('no path leads out of the path of an upstream', async () => {
  const { url, lines } = await upstream('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}')
  const proxy = await startProxy({ upstreams: [`${url}/tenant-a/v1`], token: 'abcdefghijklmnopqrstuvwx' })
  ends.push(() => proxy.close())
  const statusOf = async (path: string) => {
    const sent = httpRequest(proxy.url, { path: `/t/abcdefghijklmnopqrstuvwx${path}`, agent: false }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode
  }
  for (const path of ['/../../x', '/v1/../../x', '/v1/%2e%2e/%2E./x', '/..\\..\\x', '/..%2f..%2fx', '/%252e%252e/x'])
    expect([path, await statusOf(path)]).toEqual([path, 400])
  expect(lines).toEqual([])
  expect(await statusOf('/v1/models/a..b')).toBe(200)
  expect(lines).toEqual(['GET /tenant-a/v1/models/a..b HTTP/1.1'])
})
