import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildCommand, palimpsestHere, repository } from '../built-command.test-data.ts'

beforeAll(buildCommand)

const started: ChildProcess[] = []
const servers: Server[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** The command as its own process, once it has said a line that matches. */
async function start(words: readonly string[], ready: RegExp) {
  const child = spawn(process.execPath, [join(repository, 'packages/cli/bin/palimpsest.js'), ...words], {
    env: { PATH: process.env.PATH, HOME: tmpdir() },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  const seen = { out: '', err: '' }
  child.stdout.on('data', (piece) => {
    seen.out += piece
  })
  child.stderr.on('data', (piece) => {
    seen.err += piece
  })
  while (!ready.test(seen.err)) await once(child.stderr, 'data')
  return { child, seen, url: /on (http:\S+),/.exec(seen.err)?.[1] as string, ended: once(child, 'close') }
}

async function upstream(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => request.resume().on('end', () => answer(response)))
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const EVENT = 'data: {"type":"response.output_text.delta","delta":"Hi"}\n\n'

async function openStream(words: readonly string[] = []) {
  let finish: () => void = () => {}
  const at = await upstream((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(EVENT)
    finish = () => response.end(EVENT)
  })
  const proxy = await start(['proxy', '--upstream', at, '--port', '0', ...words], /gemini\n/)
  const body = JSON.stringify({ model: 'm', input: 'Hi', stream: true })
  const response = await fetch(`${proxy.url}/v1/responses`, { method: 'POST', body })
  return { ...proxy, response, finish: () => finish() }
}

describe('palimpsest proxy', () => {
  test('says where it listens, and how each client is pointed at it', async () => {
    const { seen, url } = await start(['proxy', '--upstream', 'http://127.0.0.1:9', '--port', '0'], /BEDROCK\)\n/)
    expect(seen.err).toContain(`ANTHROPIC_BASE_URL=${url} claude`)
    expect(seen.err).toContain(`base_url='${url}/v1'`)
    expect(seen.err).toContain(`GOOGLE_GEMINI_BASE_URL=${url} gemini`)
    expect(seen.err).toContain(`OPENAI_BASE_URL=${url}/v1`)
  })

  test('told to stop, it lets an open answer end, and ends with 0', async () => {
    const { child, seen, response, finish, ended } = await openStream(['--log', 'json'])
    child.kill('SIGTERM')
    while (!seen.err.includes('Stopping')) await once(child.stderr as NodeJS.ReadableStream, 'data')
    finish()
    expect(await response.text()).toBe(EVENT + EVENT)
    expect(await ended).toEqual([0, null])
    expect(
      seen.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toContainEqual(
      expect.objectContaining({
        message: 'call',
        outcome: 'answered',
        format: 'openai-responses',
        path: '/v1/responses',
      }),
    )
  })

  test('told twice, it breaks the answer off', async () => {
    const { child, seen, response, ended } = await openStream()
    child.kill('SIGINT')
    while (!seen.err.includes('Stopping')) await once(child.stderr as NodeJS.ReadableStream, 'data')
    child.kill('SIGINT')
    await expect(response.text()).rejects.toThrow()
    expect(await ended).toEqual([0, null])
  })

  test.each([
    [[], "required option '--upstream <where...>' not specified"],
    [['--upstream', 'nowhere'], '"nowhere" names no upstream'],
    [['--upstream', 'openai', '--host', '0.0.0.0'], 'no token is given'],
    [['--upstream', 'openai', '--port', '70000'], 'It wants a port'],
    [['--upstream', 'openai', '--reader', 'Read'], '--reader names a tool'],
    [['--upstream', 'openai', '--history', import.meta.filename], '--history: nothing can be written to'],
    [['--upstream', 'openai', '--policy', 'none'], 'none'],
  ])('%j ends with 2 and says why', async (words, message) => {
    const { code, err } = await palimpsestHere(['proxy', ...words])
    expect(err).toContain(message)
    expect(code).toBe(2)
  })

  test('a port that is taken is said', async () => {
    const at = await upstream((response) => response.end())
    const { code, err } = await palimpsestHere(['proxy', '--upstream', 'openai', '--port', new URL(at).port])
    expect(err).toContain('another process has the port')
    expect(code).toBe(2)
  })
})

describe('palimpsest wirelab', () => {
  test('answers, refuses and sums up', async () => {
    const words = ['wirelab', '--port', '0', '--window', '1k', '--script', 'answer', '--text', 'Hello.']
    const { child, seen, url, ended } = await start(words, /any key will do\n/)
    const ask = (content: string) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content }] }),
      })
    expect(await (await ask('Hi')).text()).toContain('Hello.')
    expect((await ask('word '.repeat(3_000))).status).toBe(400)
    child.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    expect(seen.out).toMatch(/^openai-chat generate main {2}\d+ tokens {2}answered 200\n/)
    expect(seen.out).toMatch(/ tokens {2}refused 400 {2}overflow/)
    expect(seen.err).toContain('2 calls: 1 answered, 1 refused, 0 faulted, 0 for summaries')
  })
})
