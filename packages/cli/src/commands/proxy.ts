import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { memoryStores, redacting, type Stores, withoutArtifacts } from 'palimpsest'
import { DirectoryHistory } from 'palimpsest/stores/node'
import { usageError } from '../error-report.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { ownProfiles } from '../model-profiles.ts'
import { readPolicy } from '../policy.ts'
import { clientLines } from '../proxy/client-lines.ts'
import { type LogFormat, proxyLog } from '../proxy/log-line.ts'
import { givenSecret, namespaceSecret } from '../proxy/namespace-secret.ts'
import type { ProxyOptions, RunningProxy } from '../proxy/proxy-options.ts'
import { openProxyStores, type ProxyStores } from '../proxy/proxy-stores.ts'
import { startProxy } from '../proxy/start-proxy.ts'
import { Upstreams } from '../proxy/upstreams.ts'
import { stopSignals } from '../stop-signal.ts'
import { startTelemetry } from '../telemetry/start-telemetry.ts'
import type { Terminal } from '../terminal.ts'

export interface ProxyCommandOptions {
  readonly upstream: readonly string[]
  readonly port: number
  readonly host: string
  readonly window?: number
  readonly policy: string
  readonly summarizer?: string
  readonly store: string
  readonly history?: string
  readonly redact?: boolean
  readonly reader?: string
  readonly token?: string
  readonly namespace?: string
  /** Megabytes. */
  readonly maxBody: number
  readonly cacheMarks: boolean
  readonly log: LogFormat
}

/** Runs the proxy until it is told to stop: open answers end first, and a second signal breaks them off. */
export async function proxy(options: ProxyCommandOptions, terminal: Terminal): Promise<ExitCode> {
  refuseUnread(options)
  const opened = await openProxyStores(options.store)
  const seen = await telemetryOf(terminal)
  try {
    const started = await startProxy({ ...(await proxyOptions(options, opened, terminal)), ...seen.options })
    const stop = stopSignals()
    for (const line of greeting(started, options)) terminal.say(line)
    await stop.first
    terminal.say('Stopping: open answers end first. Press Ctrl+C again to break them off.')
    void stop.second.then(() => started.breakOff())
    await started.close()
    return exitCode.fine
  } finally {
    await opened.close()
    await seen.stop()
  }
}

/** Spans and metrics, where the standard variables of OpenTelemetry ask for them. */
async function telemetryOf(terminal: Terminal): Promise<{
  readonly options: Pick<ProxyOptions, 'telemetry'>
  stop(): Promise<void>
}> {
  const started = await startTelemetry({ env: process.env, warn: (line) => terminal.say(`note: ${line}`) })
  if (started === undefined) return { options: {}, stop: async () => {} }
  const { proxyTelemetry } = await import('../telemetry/proxy-telemetry.ts')
  return { options: { telemetry: proxyTelemetry(started.telemetry) }, stop: started.stop }
}

function refuseUnread({ history, reader }: ProxyCommandOptions): void {
  if (reader === undefined || history !== undefined) return
  throw usageError(
    '--reader names a tool, and no folder that it could read.',
    'Add --history DIR, with a folder that the client sees under the same path.',
  )
}

async function proxyOptions(
  options: ProxyCommandOptions,
  opened: ProxyStores,
  terminal: Terminal,
): Promise<ProxyOptions> {
  const { namespace } = options
  const token = options.token ?? (process.env.PALIMPSEST_TOKEN || undefined)
  return {
    upstreams: options.upstream,
    host: options.host,
    port: options.port,
    maxBodyBytes: options.maxBody * 1024 * 1024,
    ...(await storesOf(options, opened)),
    ...(namespace === undefined ? { secret: await sharedSecret(opened) } : { namespace }),
    exchange: await exchangeOptions(options),
    log: proxyLog(options.log, (text) => terminal.data(text)),
    ...(token !== undefined && { token }),
  }
}

/** Proxies that share stores must derive the same namespaces. */
async function sharedSecret({ stores, secretFile }: ProxyStores): Promise<string> {
  if (stores !== undefined && secretFile === undefined && givenSecret() === undefined) {
    throw usageError(
      'A store on a server is shared, and PALIMPSEST_SECRET is not set: no other proxy would find what this one keeps.',
      'Set PALIMPSEST_SECRET to the same long random words for all proxies of that store, or give --namespace NAME.',
    )
  }
  return namespaceSecret(secretFile)
}

/** Without a store nothing is kept that nobody could read: each wire format then has a memory of its own. */
async function storesOf(
  { history, redact }: ProxyCommandOptions,
  { stores }: ProxyStores,
): Promise<{ readonly stores?: Stores }> {
  if (stores === undefined && history === undefined) return {}
  const kept = stores ?? memoryStores()
  const named = history === undefined ? kept : { ...kept, history: await writableHistory(resolve(history)) }
  return { stores: redact ? redacting(named) : named }
}

/** Refused at once, not at the first compaction, where nothing can be written there. */
async function writableHistory(folder: string): Promise<DirectoryHistory> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
  } catch {
    throw usageError(
      `--history: nothing can be written to ${folder}.`,
      'Name a folder of your own; it is made where it is missing.',
    )
  }
  return new DirectoryHistory(folder)
}

async function exchangeOptions(options: ProxyCommandOptions): Promise<NonNullable<ProxyOptions['exchange']>> {
  const { window, reader, cacheMarks } = options
  const preset = await readPolicy(options.policy)
  return {
    // a client's own tool reads files, not references: large results are cut, and stand whole in the history
    preset: reader === undefined ? preset : withoutArtifacts(preset),
    profiles: ownProfiles(),
    summarizer: summarizerNamed(options.summarizer ?? (process.env.PALIMPSEST_SUMMARIZER_MODEL || 'model')),
    cache: cacheMarks ? 'auto' : 'off',
    ...(window !== undefined && { window }),
    ...(reader !== undefined && { reader: { tool: reader } }),
  }
}

function summarizerNamed(name: string): 'model' | 'extractive' | { readonly model: string } {
  return name === 'model' || name === 'extractive' ? name : { model: name }
}

function greeting({ url, upstreams }: RunningProxy, options: ProxyCommandOptions): readonly string[] {
  const known = new Upstreams(options.upstream)
  const token = (options.token ?? process.env.PALIMPSEST_TOKEN ?? '') !== ''
  return [
    `palimpsest proxy on ${url}, for ${upstreams.join(', ')}`,
    ...clientLines({ url, token, serves: (provider) => known.serves(provider) }).map((line) => `  ${line}`),
  ]
}
