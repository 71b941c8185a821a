import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type CallRecord, startWirelab, type Wirelab } from '@palimpsest/wirelab'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { buildCommand, palimpsest, repository, scratchFolder } from '../built-command.test-data.ts'
import { anthropic, inventedSteps } from '../invented-requests.test-data.ts'

const WINDOW = 12_000
const scratch = scratchFolder()
const running: ChildProcess[] = []
let lab: Wirelab

beforeAll(buildCommand)
afterAll(scratch.remove)
beforeEach(async () => {
  lab = await startWirelab({ window: WINDOW, script: () => ({ parts: [{ kind: 'text', text: 'Read.' }] }) })
})
afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
  await lab.close()
})

/** The command as a process of its own, with its state in this store. */
async function proxyOn(
  store: string,
  env: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Promise<string> {
  const words = ['proxy', '--upstream', lab.url, '--port', '0', '--window', String(WINDOW), '--store', store, ...more]
  const child = spawn(process.execPath, [join(repository, 'packages/cli/bin/palimpsest.js'), ...words], {
    env: { PATH: process.env.PATH, HOME: scratch.path, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.push(child)
  let said = ''
  child.stderr.on('data', (piece) => {
    said += piece
  })
  while (!/BEDROCK\)\n/.test(said)) {
    if (child.exitCode !== null) throw new Error(said)
    await Promise.race([once(child.stderr, 'data'), once(child, 'exit')])
  }
  return /on (http:\S+),/.exec(said)?.[1] ?? ''
}

const whole = anthropic(inventedSteps(16, 3_000)) as { readonly messages: readonly object[] }

/** Sends the conversation as it is after so many steps. */
async function ask(proxy: string, steps: number, change = (body: string) => body): Promise<number> {
  const response = await fetch(`${proxy}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'key-of-one', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: change(JSON.stringify({ ...whole, messages: whole.messages.slice(0, 1 + 2 * steps) })),
  })
  await response.text()
  return response.status
}

async function compactionsOf(proxy: string): Promise<number> {
  const text = await (await fetch(`${proxy}/metrics`)).text()
  return Number(/^palimpsest_compactions_total\{reason="threshold"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

function calls(purpose: CallRecord['purpose']): readonly CallRecord[] {
  return lab.calls.filter((call) => call.purpose === purpose)
}

function messagesOf(call: CallRecord | undefined): readonly unknown[] {
  const { messages = [] } = (call?.body ?? {}) as { readonly messages?: readonly unknown[] }
  return messages.map(withoutMarks)
}

/** Cache breakpoints move; what they stand on does not. */
function withoutMarks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, one) => (key === 'cache_control' ? undefined : one)))
}

/** One conversation that moves between two proxies: the second sends what the first made of it. */
async function expectShared(store: string, env: Readonly<Record<string, string>>): Promise<void> {
  const [one, two] = [await proxyOn(store, env), await proxyOn(store, env)]
  expect(await ask(one, 12)).toBe(200)
  const summaries = calls('summary').length
  expect(summaries).toBeGreaterThan(0)
  expect([await ask(two, 13), await ask(one, 14)]).toEqual([200, 200])
  const [first, second, third] = calls('main')
  expect(calls('main').map(({ outcome }) => outcome)).toEqual(['answered', 'answered', 'answered'])
  expect(messagesOf(first).length).toBeLessThan(20)
  expect(messagesOf(second).slice(0, messagesOf(first).length)).toEqual(messagesOf(first))
  expect(messagesOf(third).slice(0, messagesOf(second).length)).toEqual(messagesOf(second))
  expect([await compactionsOf(one), await compactionsOf(two)]).toEqual([1, 0])
  expect(calls('summary')).toHaveLength(summaries)
}

describe('two proxies on one store: a conversation that moves between them is compacted once', () => {
  it('in a file of SQLite, beside which their secret lies', async () => {
    const folder = scratch.folder('sqlite')
    await expectShared(join(folder, 'proxy.db'), {})
    expect(readdirSync(folder)).toContain('proxy.db.secret')
    if (process.platform !== 'win32') {
      for (const name of readdirSync(folder))
        expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0])
    }
  })

  it('on a PostgreSQL server, with the same PALIMPSEST_SECRET', async ({ skip }) => {
    const server = await postgres()
    if ('missing' in server) return skip(server.missing)
    const { url, remove } = await ownDatabase(server.url)
    try {
      await expectShared(url, { PALIMPSEST_SECRET: 'the same for both' })
    } finally {
      for (const child of running.splice(0)) child.kill('SIGKILL')
      await remove()
    }
  })
})

it('--redact keeps what looks like a secret out of the history', async () => {
  const secret = `sk-ant-api03-${'Ab3'.repeat(31)}-AA`
  const kept = async (...more: readonly string[]) => {
    const folder = scratch.folder('redacted')
    const proxy = await proxyOn(folder, {}, more)
    expect(await ask(proxy, 12, (text) => text.replaceAll('berth 0-1 holds', `the key is ${secret} and`))).toBe(200)
    const files = readdirSync(join(folder, 'history'), { recursive: true, encoding: 'utf8' })
    return files
      .filter((name) => name.endsWith('.md'))
      .map((name) => readFileSync(join(folder, 'history', name), 'utf8'))
      .join('')
  }
  expect(await kept()).toContain(`the key is ${secret} and`)
  const redacted = await kept('--redact')
  expect(redacted).toContain('the key is [redacted:')
  expect(redacted).not.toContain(secret)
})

describe('a store that is refused', () => {
  it('on a server wants a secret, or one namespace for all', async ({ skip }) => {
    const server = await postgres()
    if ('missing' in server) return skip(server.missing)
    const words = ['proxy', '--upstream', 'openai', '--port', '0', '--store', server.url]
    const { code, err } = palimpsest(words, { env: { PALIMPSEST_SECRET: '' } })
    expect(err).toMatch(
      /^error: A store on a server is shared, and PALIMPSEST_SECRET is not set.*\nhint: .*--namespace NAME\.\n$/,
    )
    expect(code).toBe(2)
  })

  it.each([
    ['a server that does not answer', () => 'postgres://me:hidden@127.0.0.1:9/work', /127\.0\.0\.1:9\/work/],
    ['a file that is no database', () => scratch.file('notes.db', 'no database '.repeat(100)), /notes\.db/],
    ['a file without a name of a database', () => scratch.file('notes.txt', 'x'), /is a file\.\nhint: .*sqlite:/],
  ])('%s: one clear line, and 2', (_name, store, message) => {
    const { code, err } = palimpsest(['proxy', '--upstream', 'openai', '--port', '0', '--store', store()], {
      env: { PALIMPSEST_SECRET: 'x' },
    })
    expect(err).toMatch(message)
    expect(err).not.toMatch(/hidden|internal error/)
    expect(code).toBe(2)
  })
})

async function postgres(): Promise<{ readonly url: string } | { readonly missing: string }> {
  const starter = inject('postgresStarter' as never) as string | undefined
  if (starter === undefined) return { missing: 'this run starts no PostgreSQL server' }
  const answer = (await (await fetch(starter)).json()) as { url: string } | { missing: string } | { failed: string }
  if ('failed' in answer) throw new Error(answer.failed)
  return answer
}

async function ownDatabase(server: string): Promise<{ readonly url: string; remove(): Promise<void> }> {
  const name = `palimpsest_proxy_${randomBytes(8).toString('hex')}`
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  await run(`create database ${name} encoding 'UTF8' template template0`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, remove: () => run(`drop database if exists ${name} with (force)`) }
}
