import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ReplyPart, startWirelab } from '@palimpsest/wirelab'
import { PRESETS } from 'palimpsest'
import { METRICS } from 'palimpsest/otel'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startProxy } from '../proxy/start-proxy.ts'
import { startOtlpReceiver } from './otlp-receiver.test-data.ts'
import { proxyTelemetry } from './proxy-telemetry.ts'
import { type StartedTelemetry, startTelemetry } from './start-telemetry.ts'

const ends: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
  vi.unstubAllEnvs()
})

/** Telemetry for these variables, which the SDK reads from the process too. */
async function started(variables: Readonly<Record<string, string>>) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  const warned: string[] = []
  const telemetry = await startTelemetry({ env: process.env, warn: (line) => warned.push(line) })
  if (telemetry !== undefined) ends.push(() => telemetry.stop())
  return { telemetry, warned }
}

const WINDOW = 20_000
const TASK = 'Read the files. The secret is xyzzy.'

/** A conversation that does not fit the simulator's window. */
function longRequest(stream: boolean) {
  const steps = Array.from({ length: 40 }, (_, step) => [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `toolu_${step}`, name: 'read', input: { step } }],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: `toolu_${step}`, content: `line ${step} of the file\n`.repeat(100) },
      ],
    },
  ])
  const tools = [{ name: 'read', description: 'Reads.', input_schema: { type: 'object' } }]
  const messages = [{ role: 'user', content: TASK }, ...steps.flat()]
  return JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 1_000, stream, tools, messages })
}

async function seenProxy({ telemetry }: StartedTelemetry) {
  const parts: readonly ReplyPart[] = [{ kind: 'text', text: 'Done.' }]
  const lab = await startWirelab({ window: WINDOW, script: () => ({ parts }) })
  ends.push(() => lab.close())
  const proxy = await startProxy({
    upstreams: [`anthropic=${lab.url}`],
    namespace: 'test',
    telemetry: proxyTelemetry(telemetry),
    exchange: { window: WINDOW, preset: PRESETS.hango as NonNullable<typeof PRESETS.hango>, summarizer: 'model' },
  })
  ends.push(() => proxy.close())
  return {
    async ask(stream: boolean, traceparent?: string) {
      const response = await fetch(`${proxy.url}/v1/messages`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', 'x-api-key': 'key-of-the-caller' },
          'anthropic-version': '2023-06-01',
          ...(traceparent !== undefined && { traceparent }),
        },
        body: longRequest(stream),
      })
      expect(response.status).toBe(200)
      return response.text()
    },
  }
}

describe('G1, G2, G3 over OTLP, from a proxy', () => {
  test.each([false, true])('spans, metrics and log lines reach the collector; stream: %s', async (stream) => {
    const receiver = await startOtlpReceiver()
    ends.push(() => receiver.close())
    const { telemetry, warned } = await started({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_SERVICE_NAME: 'my-proxy',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    })
    const proxy = await seenProxy(telemetry as StartedTelemetry)
    await proxy.ask(stream, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')
    await telemetry?.stop()
    expect(warned).toEqual([])

    const [chat] = receiver.spans().filter(({ attributes }) => !('palimpsest.call.purpose' in attributes))
    expect(chat).toMatchObject({
      name: 'chat claude-sonnet-4-5',
      kind: 3,
      parentSpanId: 'b7ad6b7169203331',
      status: 0,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'claude-sonnet-4-5',
        'gen_ai.conversation.compacted': true,
        'gen_ai.usage.input_tokens': expect.any(Number),
      },
      resource: { 'service.name': 'my-proxy', 'deployment.environment.name': 'test' },
    })
    expect(chat?.events.map(({ name }) => name)).toEqual(['gen_ai.conversation.compacted'])
    const [summary] = receiver.spans().filter((span) => span.attributes['palimpsest.call.purpose'] === 'summarize')
    expect(summary).toMatchObject({ name: 'chat claude-sonnet-4-5', kind: 3, parentSpanId: chat?.spanId })

    const metrics = receiver.metrics()
    const units = new Set(metrics.map(({ name, unit, kind }) => `${name} ${unit} ${kind}`))
    const { inputTokens, window, compactions, evictedMessages, tokenUsage, cacheReadRatio } = METRICS
    for (const { name, unit, kind } of [
      inputTokens,
      window,
      compactions,
      evictedMessages,
      tokenUsage,
      cacheReadRatio,
    ]) {
      expect(units).toContain(`${name} ${unit} ${kind === 'counter' ? 'sum' : kind}`)
    }
    expect(metrics).toContainEqual(
      expect.objectContaining({ name: compactions.name, attributes: { reason: 'threshold' }, value: 1 }),
    )
    const purposes = metrics.filter(({ name }) => name === tokenUsage.name).map(({ attributes }) => attributes)
    expect(new Set(purposes.map((attributes) => attributes['palimpsest.call.purpose']))).toEqual(
      new Set(['main', 'summarize']),
    )
    expect(receiver.logs()).toMatchObject([
      {
        severityText: 'INFO',
        body: 'context compacted',
        attributes: { 'palimpsest.compaction.reason': 'threshold' },
      },
    ])
    const sent = JSON.stringify(receiver.posts)
    for (const secret of ['xyzzy', 'key-of-the-caller', 'of the file']) expect(sent).not.toContain(secret)
  })
})

describe('nothing of it breaks a run', () => {
  test('where nothing asks for it there is none', async () => {
    expect((await started({ OTEL_SERVICE_NAME: 'x' })).telemetry).toBeUndefined()
  })

  test('a collector that is away: the run goes on, and it is said once', async () => {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    const { telemetry, warned } = await started({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
    const proxy = await seenProxy(telemetry as StartedTelemetry)
    expect(await proxy.ask(false)).toContain('Done.')
    await telemetry?.stop()
    expect(warned).toEqual([
      'Telemetry could not be sent: is there a collector where OTEL_EXPORTER_OTLP_ENDPOINT points?',
    ])
  }, 20_000)

  test('a collector that never answers: the end does not wait for it', async () => {
    const server = createServer(() => {})
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ends.push(
      () => server.closeAllConnections(),
      () => void server.close(),
    )
    const { port } = server.address() as AddressInfo
    const { telemetry } = await started({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${port}/v1/traces` })
    telemetry?.telemetry.startOperation('chat', 'any').end()
    await telemetry?.stop()
  }, 20_000)

  test('a variable that the SDK cannot read', async () => {
    const { telemetry } = await started({
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_RESOURCE_ATTRIBUTES: 'no equals sign',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'not a url',
    })
    await telemetry?.stop()
  })
})

describe('Prometheus', () => {
  test('reads metrics by the names that it makes of ours', async () => {
    const port = await freePort()
    const { telemetry, warned } = await started({
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    })
    const proxy = await seenProxy(telemetry as StartedTelemetry)
    await proxy.ask(false)
    const text = await (await fetch(`http://localhost:${port}/metrics`)).text()
    expect(warned).toEqual([])
    expect(text).toMatch(/palimpsest_context_compactions_total\{[^}]*reason="threshold"[^}]*\} 1/)
    for (const name of [
      'palimpsest_context_input_tokens_bucket',
      'palimpsest_context_window',
      'palimpsest_context_evicted_messages_bucket',
      'palimpsest_cache_read_ratio_bucket',
      'gen_ai_client_token_usage_bucket',
    ]) {
      expect(text).toContain(`${name}{`)
    }
  })

  test('a port that is taken is said, and nothing else happens', async () => {
    const server = createServer()
    server.listen(0, 'localhost')
    await once(server, 'listening')
    ends.push(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { telemetry, warned } = await started({
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    })
    expect(warned).toHaveLength(1)
    expect(warned[0]).toContain(`localhost:${port} cannot be listened on`)
    const proxy = await seenProxy(telemetry as StartedTelemetry)
    expect(await proxy.ask(false)).toContain('Done.')
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
