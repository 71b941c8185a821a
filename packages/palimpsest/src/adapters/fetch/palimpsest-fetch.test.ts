import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { CompactorEvent } from '../../compactor/events.ts'
import { presetByName } from '../../engine/presets/preset-codec.ts'
import { importsOf } from '../../imports.test-data.ts'
import type { PalimpsestFetchOptions, WireWarning } from './index.ts'
import { palimpsestFetch } from './index.ts'
import {
  bodyText,
  json,
  MESSAGES_URL,
  MessagesServer,
  messageOf,
  TASK,
  toolSteps,
} from './messages-server.test-data.ts'

function watched(server: MessagesServer, options: PalimpsestFetchOptions = {}) {
  const events: CompactorEvent[] = []
  const warnings: WireWarning[] = []
  const send = palimpsestFetch({
    fetch: server.fetch,
    onEvent: (event) => events.push(event),
    onWarning: (warning) => warnings.push(warning),
    ...options,
  })
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    send(MESSAGES_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key-of-the-caller', ...headers },
      body,
    })
  return { send, post, events, warnings, of: (type: string) => events.filter((event) => event.type === type) }
}

const KEEN = presetByName('keen')
const SHORT = bodyText([TASK, ...toolSteps(2, 100)])
const LONG = bodyText([TASK, ...toolSteps(40, 3_000)])

describe('what needs nothing passes as it came', () => {
  it('sends the very arguments on, for a body below the trigger', async () => {
    const got: unknown[] = []
    const init = { method: 'POST', body: SHORT, keepalive: true }
    const send = palimpsestFetch({
      fetch: async (...given) => {
        got.push(...given)
        return json(messageOf('Done.'))
      },
    })
    await send(MESSAGES_URL, init)
    expect(got[0]).toBe(MESSAGES_URL)
    expect(got[1]).toBe(init)
  })

  it('keeps the bytes and the encoding of a compressed body', async () => {
    const server = new MessagesServer()
    const body = new Uint8Array(gzipSync(SHORT))
    const sent: unknown[] = []
    const { post } = watched(server, {
      fetch: async (_, init) => {
        sent.push(init?.body, new Headers(init?.headers).get('content-encoding'))
        return json(messageOf('Done.'))
      },
    })
    await post(body, { 'content-encoding': 'gzip' })
    expect(sent[0]).toBe(body)
    expect(sent[1]).toBe('gzip')
  })

  it.each([
    ['GET', 'https://api.example.com/v1/models', null],
    ['POST', 'https://api.example.com/v1/embeddings', LONG],
    ['POST', 'https://api.example.com/v1/messages/batches', LONG],
    ['POST', MESSAGES_URL, 'this is no JSON'],
    ['POST', MESSAGES_URL, '{"prompt":"of another API"}'],
  ])('%s %s', async (method, url, body) => {
    const server = new MessagesServer()
    server.next.push(() => new Response('as it is', { status: 418 }))
    const { send } = watched(server, { window: 1_000 })
    const response = await send(url, { method, body })
    expect(server.seen.map(({ text }) => text === (body ?? ''))).toEqual([true])
    expect([response.status, await response.text()]).toEqual([418, 'as it is'])
  })

  it('does not touch an upload, and reads nothing of it', async () => {
    const got: unknown[] = []
    const send = palimpsestFetch({
      fetch: async (...given) => {
        got.push(...given)
        return json({})
      },
    })
    const init = { method: 'POST', body: new FormData() }
    await send('https://api.example.com/v1/files', init)
    expect(got[1]).toBe(init)
    const body = new Blob(['x']).stream()
    await send('https://api.example.com/v1/files', { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(body.locked).toBe(false)
  })

  it('does not touch a signed request, and says so once', async () => {
    const server = new MessagesServer()
    const { post, warnings } = watched(server, { window: 32_000 })
    const authorization = 'AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-east-1/bedrock/aws4_request, Signature=00'
    await post(LONG, { authorization })
    await post(LONG, { authorization })
    expect(server.seen.map(({ text }) => text === LONG)).toEqual([true, true])
    expect(warnings).toMatchObject([{ type: 'signed-request', url: MESSAGES_URL }])
  })
})

describe('a conversation above the trigger', () => {
  it('goes out smaller, with untouched items byte for byte and headers that fit the new body', async () => {
    const server = new MessagesServer(32_000)
    const { post, of } = watched(server, { window: 32_000, summarizer: 'extractive' })
    const headers = { 'content-encoding': 'gzip', 'content-length': '12', digest: 'sha-256=x' }
    const response = await post(new Uint8Array(gzipSync(LONG)), headers)
    expect(response.status).toBe(200)
    const [seen, ...more] = server.seen
    expect(more).toEqual([])
    expect(seen?.text.length).toBeLessThan(LONG.length)
    expect(seen?.text).toContain('"temperature":1.0')
    expect(seen?.text).toContain('{"big": 12345678901234567890}')
    const newest = LONG.slice(LONG.lastIndexOf('{\n  "role": "assistant"'), LONG.lastIndexOf(']}'))
    for (const item of newest.split(/,\n(?= \{)/)) expect(seen?.text.includes(item.trim())).toBe(true)
    const kept = ['content-encoding', 'digest', 'x-api-key'].map((name) => seen?.headers.get(name) ?? null)
    expect(kept).toEqual([null, null, 'key-of-the-caller'])
    expect(of('compaction-applied')).toHaveLength(1)
  })

  it('is the same request from whatever a client makes of it', async () => {
    const texts: string[] = []
    const init = { method: 'POST', headers: { 'x-api-key': 'k' } }
    const encoded = new TextEncoder().encode(LONG)
    const ways: ((send: typeof fetch) => Promise<Response>)[] = [
      (send) => send(MESSAGES_URL, { ...init, body: LONG }),
      (send) => send(new URL(MESSAGES_URL), { ...init, body: encoded }),
      (send) => send(new Request(MESSAGES_URL, { ...init, body: LONG })),
      (send) => send(new Request(MESSAGES_URL, { ...init, body: 'other' }), { body: LONG }),
      (send) => send(MESSAGES_URL, { ...init, body: new Blob([LONG]).stream(), duplex: 'half' } as RequestInit),
      (send) => send(MESSAGES_URL, { ...init, body: encoded.buffer }),
      (send) => send(MESSAGES_URL, { ...init, body: new DataView(encoded.buffer) }),
      (send) => send(MESSAGES_URL, { ...init, body: new Blob([LONG]) }),
    ]
    for (const way of ways) {
      const server = new MessagesServer()
      await way(watched(server, { window: 32_000, summarizer: 'extractive' }).send)
      texts.push(...server.seen.map(({ text }) => text))
    }
    expect(texts).toHaveLength(ways.length)
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]?.length).toBeLessThan(LONG.length)
  })

  it('asks the same model for the summary, by the caller’s own means', async () => {
    const server = new MessagesServer(32_000)
    const { post, of } = watched(server, { window: 32_000, preset: KEEN })
    const betas = 'oauth-2025-04-20, context-management-2025-06-27,interleaved-thinking-2025-05-14'
    await post(LONG, { 'anthropic-beta': betas, 'anthropic-version': '2023-06-01', 'idempotency-key': 'once' })
    const [main, ...more] = server.main
    const summary = server.seen[0]
    expect(more).toHaveLength(0)
    expect(summary?.isSummary).toBe(true)
    expect(summary?.text.includes('{"big": 12345678901234567890}')).toBe(true)
    expect(summary?.url).toBe(MESSAGES_URL)
    expect(summary?.body).toMatchObject({ model: 'claude-sonnet-4-5' })
    expect(Object.fromEntries(summary?.headers ?? [])).toMatchObject({
      'x-api-key': 'key-of-the-caller',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'oauth-2025-04-20',
    })
    expect(summary?.headers.has('idempotency-key')).toBe(false)
    expect(main?.text.includes('src/file-11.ts was read to its end')).toBe(true)
    expect(main?.headers.get('anthropic-beta')).toBe(betas)
    expect(of('summarizer-called')).toMatchObject([{ by: 'claude-sonnet-4-5' }])
  })
})

it('runs wherever there is fetch: nothing of Node is imported, and nothing foreign', () => {
  const files = new Set([join(import.meta.dirname, 'index.ts')])
  for (const path of files) {
    const foreign = importsOf({ path, text: readFileSync(path, 'utf8') }).filter((name) => !/^\.\.?\//.test(name))
    expect([path, ...foreign]).toEqual([path])
    for (const name of importsOf({ path, text: readFileSync(path, 'utf8') })) files.add(join(path, '..', name))
  }
  expect(files.size).toBeGreaterThan(100)
})
