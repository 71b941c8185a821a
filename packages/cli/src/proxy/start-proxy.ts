import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CompactorEvent } from 'palimpsest'
import { type WireExchange, wireExchange } from 'palimpsest/fetch'
import { namespaceOf } from 'palimpsest/stores/node'
import { credentialOf } from 'palimpsest/wire'
import { contentDecoded } from 'palimpsest/wire/node'
import { usageError } from '../error-report.ts'
import { reason } from '../written-file.ts'
import { admissionBy, isLoopback } from './access-token.ts'
import { answerRequest, type ProxySetting } from './answer-request.ts'
import { logEvent, logWarning } from './event-log.ts'
import { Metrics } from './metrics.ts'
import { randomSecret } from './namespace-secret.ts'
import type { ProxyOptions, RunningProxy } from './proxy-options.ts'
import { UpstreamClient } from './upstream-call.ts'
import { Upstreams } from './upstreams.ts'

const LOOPBACK = '127.0.0.1'
const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024

/** Clients keep connections for longer than Node's 5 seconds, and would send into one that is just being ended. */
const KEEP_ALIVE_MS = 75_000

/**
 * Starts an HTTP proxy that keeps the conversations of any client inside the model's window: one port for all wire formats.
 *
 * @throws PalimpsestError `invalid-input` for options that cannot work, a port that is taken included.
 * @example
 * const proxy = await startProxy({ upstreams: ['anthropic'] })
 * const client = new Anthropic({ baseURL: proxy.url })
 */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const host = options.host ?? LOOPBACK
  if (!isLoopback(host) && options.token === undefined) throw openToAll(host)
  const setting = settingOf(options)
  const server = createServer((incoming, outgoing) => {
    // a client that is done with its connection lets a closing proxy end
    outgoing.once('close', () => server.listening || setImmediate(() => server.closeIdleConnections()))
    if (!server.listening) outgoing.shouldKeepAlive = false
    void answerRequest(incoming, outgoing, setting)
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await listening(server, { host, port: options.port ?? 0 })
  return running(server, setting, host)
}

function openToAll(host: string): Error {
  return usageError(
    `The proxy would listen on ${host}, where others can reach it, and no token is given.`,
    'Give --token SECRET (or PALIMPSEST_TOKEN), or leave out --host so that only this machine reaches it.',
  )
}

function settingOf(options: ProxyOptions): ProxySetting {
  const metrics = new Metrics()
  const log = options.log ?? (() => {})
  return {
    admission: admissionBy(options.token),
    upstreams: new Upstreams(options.upstreams),
    client: new UpstreamClient(),
    exchange: exchangeOf(options, { metrics, log }),
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    metrics,
    log,
    ...(options.telemetry !== undefined && { telemetry: options.telemetry }),
    now: () => performance.now(),
  }
}

function exchangeOf(options: ProxyOptions, { metrics, log }: Pick<ProxySetting, 'metrics' | 'log'>): WireExchange {
  const { namespace, secret = randomSecret(), stores, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options
  return wireExchange({
    ...options.exchange,
    ...(stores !== undefined && { stores }),
    namespace: namespace ?? (({ headers, url }) => namespaceOf(credentialOf(headers, url) ?? 'no credential', secret)),
    decode: (bytes, encoding) =>
      contentDecoded(bytes, encoding, { maxBytes: maxBodyBytes }) as Promise<Uint8Array<ArrayBuffer>>,
    onEvent: (event: CompactorEvent) => {
      metrics.observe(event)
      logEvent(event, log)
      options.telemetry?.onEvent(event)
    },
    onWarning: (warning) => {
      metrics.add('palimpsest_unprepared_calls_total', { kind: warning.type })
      logWarning(warning, log)
    },
  })
}

function listening(server: Server, address: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(cannotListen(cause, address)))
    server.listen(address.port, address.host, resolve)
  })
}

function cannotListen(cause: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): Error {
  const why = cause.code === 'EADDRINUSE' ? 'another process has the port' : reason(cause)
  return usageError(`The proxy cannot listen on ${host}:${port}: ${why}.`, 'Take another one with --port.', cause)
}

function running(server: Server, { client, upstreams, metrics }: ProxySetting, host: string): RunningProxy {
  const { port } = server.address() as AddressInfo
  let closed: Promise<void> | undefined
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    upstreams: upstreams.shown,
    metrics: () => metrics.text(),
    close() {
      closed ??= new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }).then(() => client.close())
      return closed
    },
    breakOff: () => server.closeAllConnections(),
  }
}
