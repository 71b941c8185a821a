import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import { ConverseCommand } from '@aws-sdk/client-bedrock-runtime'
import { startWirelab } from '@palimpsest/wirelab'
import { afterEach, describe, expect, test } from 'vitest'
import { anthropicClient, geminiClient, openaiClient } from './fetch-clients.test-data.ts'
import { endAll, metric, startBoth, startOne, startUpstream } from './proxy.test-data.ts'
import { bedrockClient } from './proxy-bedrock.test-data.ts'

afterEach(endAll)

const TOKEN = 'a-token-that-nobody-guesses'
const HI = { model: 'claude-opus-5', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] }

function client(url: string, apiKey = 'any') {
  return anthropicClient({ url, fetch: globalThis.fetch, apiKey })
}

describe('a body above the limit is refused in the form of the provider, and goes nowhere', () => {
  const text = 'x'.repeat(200_000)
  const start = () => startBoth({}, { maxBodyBytes: 100_000 })

  test('Anthropic', async () => {
    const { lab, proxy } = await start()
    const asked = client(proxy.url).messages.create({ ...HI, messages: [{ role: 'user', content: text }] })
    await expect(asked).rejects.toMatchObject({ status: 413, error: { error: { type: 'request_too_large' } } })
    expect(lab.calls).toHaveLength(0)
    expect(metric(proxy, 'palimpsest_proxy_requests_total{format="anthropic-messages",outcome="refused"}')).toBe(1)
  })

  test('OpenAI', async () => {
    const { lab, proxy } = await start()
    const asked = openaiClient({ url: proxy.url, fetch: globalThis.fetch }).responses.create({
      model: 'm',
      input: text,
    })
    await expect(asked).rejects.toMatchObject({ status: 413, message: expect.stringContaining('--max-body') })
    expect(lab.calls).toHaveLength(0)
  })

  test('Google', async () => {
    const { lab, proxy } = await start()
    const { models } = geminiClient({ url: proxy.url, fetch: globalThis.fetch })
    await expect(models.generateContent({ model: 'm', contents: text })).rejects.toMatchObject({ status: 413 })
    expect(lab.calls).toHaveLength(0)
  })

  test('Amazon', async () => {
    const { lab, proxy } = await start()
    const messages = [{ role: 'user' as const, content: [{ text }] }]
    const asked = bedrockClient(proxy.url).send(new ConverseCommand({ modelId: 'm', messages }))
    await expect(asked).rejects.toMatchObject({ name: 'ValidationException', $metadata: { httpStatusCode: 413 } })
    expect(lab.calls).toHaveLength(0)
  })

  test('of a body whose length is not told, too', async () => {
    const { lab, proxy } = await start()
    const body = new Response(JSON.stringify({ text })).body
    const response = await fetch(`${proxy.url}/v1/messages`, { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(response.status).toBe(413)
    expect(lab.calls).toHaveLength(0)
  })

  test('other calls are not held, so they have no limit', async () => {
    const url = await startUpstream((body, response) => response.end(String(body.length)))
    const { proxy } = await startOne({ upstreams: [url], maxBodyBytes: 1_000 })
    const response = await fetch(`${proxy.url}/v1/files`, { method: 'POST', body: text })
    expect(await response.text()).toBe(String(text.length))
  })
})

describe('a token', () => {
  test('is asked for, in the form of the provider', async () => {
    const { lab, proxy } = await startBoth({}, { token: TOKEN })
    await expect(client(proxy.url).messages.create(HI)).rejects.toThrow(Anthropic.AuthenticationError)
    await expect(client(`${proxy.url}/t/${TOKEN}x`).messages.create(HI)).rejects.toThrow(Anthropic.AuthenticationError)
    expect((await fetch(`${proxy.url}/metrics`)).status).toBe(401)
    expect((await fetch(`${proxy.url}/healthz`)).status).toBe(200)
    expect(lab.calls).toHaveLength(0)
  })

  test.each([
    ['before the path', `/t/${TOKEN}`, {}],
    ['in a header', '', { 'x-palimpsest-token': TOKEN }],
  ])('%s lets a call pass, and does not go on', async (_, path, headers) => {
    const { lab, proxy } = await startBoth(
      { script: [{ parts: [{ kind: 'text', text: 'Hello.' }] }] },
      { token: TOKEN },
    )
    await client(`${proxy.url}${path}`).messages.create(HI, { headers })
    expect(lab.calls).toMatchObject([{ path: '/v1/messages', outcome: 'answered' }])
    expect(JSON.stringify(lab.calls)).not.toContain(TOKEN)
    expect((await fetch(`${proxy.url}/t/${TOKEN}/metrics`)).status).toBe(200)
  })

  test('is needed where others can reach the port, and must not be short', async () => {
    const upstreams = ['anthropic']
    await expect(startOne({ upstreams, host: '0.0.0.0' })).rejects.toThrow('no token is given')
    await expect(startOne({ upstreams, token: 'short' })).rejects.toThrow('The token has 5 characters.')
    await startOne({ upstreams, host: '0.0.0.0', token: TOKEN })
  })
})

test('a WebSocket is refused, so that the client takes HTTP', async () => {
  const { lab, proxy } = await startBoth()
  const asked = httpRequest(`${proxy.url}/v1/responses`, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'eA==',
    },
  })
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.resume()
  expect(response.statusCode).toBe(426)
  expect(lab.calls).toHaveLength(0)
})

test('an offer of HTTP/2 is no WebSocket: it is passed over', async () => {
  const { proxy } = await startBoth({ script: () => ({ parts: [{ kind: 'text', text: 'Hello.' }] }) })
  const asked = httpRequest(`${proxy.url}/v1/messages`, {
    method: 'POST',
    headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQCAAAAAAIAAAAA' },
  })
  asked.end(JSON.stringify(HI))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.resume()
  expect(response.statusCode).toBe(200)
})

test('a whole URL, as forward proxies get one, is read by its path', async () => {
  const { lab, proxy } = await startBoth({ script: () => ({ parts: [{ kind: 'text', text: 'Hello.' }] }) })
  const { hostname, port } = new URL(proxy.url)
  const asked = httpRequest({ hostname, port, method: 'POST', path: 'http://api.anthropic.com/v1/messages' })
  asked.end(JSON.stringify(HI))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.resume()
  expect(response.statusCode).toBe(200)
  expect(lab.calls).toMatchObject([{ path: '/v1/messages', outcome: 'answered' }])
})

describe('several upstreams', () => {
  test('each API goes to its own, and one without is refused', async () => {
    const [anthropic, openai] = [
      await startUpstream((_, to) => to.end('a')),
      await startUpstream((_, to) => to.end('o')),
    ]
    const { proxy } = await startOne({ upstreams: [`anthropic=${anthropic}`, `openai=${openai}`] })
    const post = async (path: string, headers = {}) =>
      (await fetch(`${proxy.url}${path}`, { method: 'POST', body: '{}', headers })).text()
    expect(await post('/v1/messages')).toBe('a')
    expect(await post('/v1/files', { 'anthropic-version': '2023-06-01' })).toBe('a')
    expect(await post('/v1/chat/completions')).toBe('o')
    expect(await post('/v1/responses')).toBe('o')
    expect(await post('/v1beta/models/m:generateContent')).toContain('no upstream is given for this API')
  })

  test('one that cannot be reached is a 502 of the provider’s form', async () => {
    const gone = await startWirelab()
    await gone.close()
    const { proxy } = await startOne({ upstreams: [gone.url] })
    await expect(client(proxy.url).messages.create(HI)).rejects.toMatchObject({
      status: 502,
      error: { error: { type: 'api_error', message: expect.stringContaining('ECONNREFUSED') } },
    })
  })
})
