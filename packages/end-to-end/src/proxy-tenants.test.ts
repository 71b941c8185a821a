import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LogLine, ProxyOptions } from '@palimpsest/cli/proxy'
import { memoryStores } from 'palimpsest'
import { DirectoryHistory, directoryStores } from 'palimpsest/stores/node'
import { afterEach, describe, expect, test } from 'vitest'
import { type AgentClient, CLIENTS, type ClientSetup, type Tool } from './fetch-clients.test-data.ts'
import { endAll, metric, partLoop, readPart, refusals, startBoth, startOne } from './proxy.test-data.ts'

const folders: string[] = []
afterEach(async () => {
  await endAll()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-proxy-'))
  folders.push(folder)
  return folder
}

/** Twice the window, in results that are too small to be cut: older ones are summarised. */
const STEPS = 90
const window = 20_000

function startParts(own: Partial<ProxyOptions> = {}) {
  return startBoth({ window, script: partLoop(STEPS) }, { exchange: { window }, ...own })
}

function agentOf(url: string, apiKey: string, tool: Tool = readPart): AgentClient {
  const agent = CLIENTS['@anthropic-ai/sdk streaming'] as (setup: ClientSetup, tool: Tool) => AgentClient
  return agent({ url, fetch: globalThis.fetch, apiKey }, tool)
}

const COMPACTED = 'palimpsest_compactions_total{reason="threshold"}'
const SUMMARIES = 'palimpsest_proxy_upstream_calls_total{purpose="summary"}'

describe('two tenants', () => {
  test('with the same opening share nothing, at the same time', async () => {
    const { lab, proxy } = await startParts()
    const tenants = ['left', 'right']
    const runs = tenants.map((name) =>
      agentOf(proxy.url, `key-of-${name}`, (input) => `${name}-hand\n${readPart(input)}`).run('Read the parts.'),
    )
    expect(await Promise.all(runs)).toEqual(['All is done.', 'All is done.'])
    expect(refusals(lab)).toEqual([])
    expect(lab.calls.some(({ purpose }) => purpose === 'summary')).toBe(true)
    for (const { bodyText, headers } of lab.calls) {
      const [tenant, ...others] = new Set(bodyText.match(/\b(?:left|right)(?=-hand)/g))
      expect(others).toEqual([])
      if (tenant !== undefined) expect(headers['x-api-key'] ?? headers.authorization).toContain(`key-of-${tenant}`)
    }
  })

  test('with one and the same conversation compact it each; one tenant does it once', async () => {
    const { proxy } = await startParts()
    await agentOf(proxy.url, 'key-a').run('Read the parts.')
    const [compactions, summaries] = [metric(proxy, COMPACTED), metric(proxy, SUMMARIES)]
    expect(compactions).toBeGreaterThan(0)
    expect(summaries).toBeGreaterThan(0)
    await agentOf(proxy.url, 'key-a').run('Read the parts.')
    expect([metric(proxy, COMPACTED), metric(proxy, SUMMARIES)]).toEqual([compactions, summaries])
    await agentOf(proxy.url, 'key-b').run('Read the parts.')
    expect([metric(proxy, COMPACTED), metric(proxy, SUMMARIES)]).toEqual([2 * compactions, 2 * summaries])
  })

  test('are one where the namespace is named, whatever key they show', async () => {
    const { proxy } = await startParts({ namespace: 'me' })
    await agentOf(proxy.url, 'key-before').run('Read the parts.')
    const compactions = metric(proxy, COMPACTED)
    await agentOf(proxy.url, 'key-after').run('Read the parts.')
    expect(metric(proxy, COMPACTED)).toBe(compactions)
  })
})

test('a store in a folder outlives the proxy', async () => {
  const stores = directoryStores(scratch())
  const secret = 'the same for both'
  const { lab, proxy } = await startParts({ stores, secret })
  await agentOf(proxy.url, 'key-a').run('Read the parts.')
  expect(metric(proxy, COMPACTED)).toBeGreaterThan(0)
  const { proxy: next } = await startOne({ upstreams: [lab.url], stores, secret, exchange: { window } })
  expect(await agentOf(next.url, 'key-a').run('Read the parts.')).toBe('All is done.')
  expect(metric(next, COMPACTED)).toBe(0)
  expect(refusals(lab)).toEqual([])
})

test('a client that shares the folder of histories is told where to read, and finds it there', async () => {
  const folder = scratch()
  const { lab, proxy } = await startParts({
    stores: { ...memoryStores(), history: new DirectoryHistory(folder) },
    exchange: { window, reader: { tool: 'Read' } },
  })
  await agentOf(proxy.url, 'key-a').run('Read the parts.')
  const last = lab.calls.at(-1)?.bodyText ?? ''
  const [file] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  const path = join(folder, file as string)
  expect(last).toContain(path)
  expect(last).toContain('`Read`')
  expect(readFileSync(path, 'utf8')).toContain('value_0_0')
})

test('without a reader no request names a path or a reference', async () => {
  const folder = scratch()
  const history = new DirectoryHistory(folder)
  const { lab, proxy, lines } = await startParts({ stores: { ...memoryStores(), history } })
  await agentOf(proxy.url, 'key-a').run('Read the parts.')
  expect(lab.calls.filter(({ bodyText }) => bodyText.includes(folder) || bodyText.includes('artifact://'))).toEqual([])
  const evicting = lines.find(({ message, fields }) => message === 'compacted' && Number(fields.evicted) > 0)
  expect(String(evicting?.fields.history)).toContain(folder)
})

test('each compaction is one line of the log, and no secret or word of a conversation is ever in it', async () => {
  const token = 'the-token-of-this-proxy'
  const { lab, proxy, lines } = await startParts({ token })
  const secrets = [
    'sk-ant-secret-of-a-tenant',
    'AIzaSecretInTheQuery',
    token,
    'value_0_0',
    'Read the parts.',
    'bad json',
  ]
  await agentOf(`${proxy.url}/t/${token}`, 'sk-ant-secret-of-a-tenant').run('Read the parts.')
  const more = [
    ['/v1/messages', '{"messages": "bad json'],
    [
      '/v1beta/models/m:generateContent?key=AIzaSecretInTheQuery',
      '{"contents": [{"parts": [{"text": "Read the parts."}]}]}',
    ],
    ['/nowhere/sk-ant-secret-of-a-tenant?key=AIzaSecretInTheQuery', 'bad json'],
  ] as const
  for (const [path, body] of more) {
    const headers = { authorization: 'Bearer sk-ant-secret-of-a-tenant', 'x-palimpsest-token': token }
    await fetch(`${proxy.url}${path}`, { method: 'POST', body, headers })
  }
  const compacted = lines.filter(({ message }) => message === 'compacted')
  expect(compacted).toHaveLength(metric(proxy, COMPACTED))
  expect(compacted[0]).toEqual(COMPACTION_LINE)
  expect(lines.filter(({ message }) => message.startsWith('sent as it came'))).toHaveLength(1)
  const seen = JSON.stringify(lines) + proxy.metrics()
  expect(secrets.filter((secret) => seen.includes(secret))).toEqual([])
  // the test looks for what was really there
  expect(JSON.stringify(lab.calls)).toContain('sk-ant-secret-of-a-tenant')
})

const COMPACTION_LINE: LogLine = {
  level: 'info',
  message: 'compacted',
  fields: expect.objectContaining({
    session: expect.stringMatching(/./),
    reason: 'threshold',
    tokens_before: expect.any(Number),
    tokens_after: expect.any(Number),
    evicted: expect.any(Number),
    model: 'claude-opus-5',
  }),
}
