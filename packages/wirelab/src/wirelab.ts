import type { AddressInfo } from 'node:net'
import { type HttpBindings, type ServerType, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { type Fault, FaultQueue } from './faults.ts'
import type { LabRules, WireFormat } from './format.ts'
import { FORMATS } from './formats/formats.ts'
import { handleCall } from './handle-call.ts'
import type { CallRecord } from './lab-call.ts'
import type { LabState } from './lab-state.ts'
import { overflowWording } from './overflow-wordings.ts'
import { type CacheOptions, PrefixCache } from './prefix-cache.ts'
import { answer, type Script } from './script/script.ts'
import { isSummaryCall, type SummaryScript } from './script/summary-calls.ts'
import { type CounterOption, tokenCounter } from './token-counter.ts'

/** How the simulator behaves. Everything has a default. */
export interface WirelabOptions {
  /** TCP port on loopback. Default 0: a free one. */
  readonly port?: number
  /** Tokens that the model takes at once. Default 200,000. */
  readonly window?: number
  readonly rules?: Partial<LabRules>
  /** What the model answers. Default: one short text. */
  readonly script?: Script
  /** What answers calls that ask for a summary. Default `normal`. */
  readonly summarizer?: SummaryScript
  /** Which bodies ask for a summary. Default: `isSummaryCall`. */
  readonly isSummaryCall?: (body: unknown) => boolean
  readonly faults?: readonly Fault[]
  readonly cache?: CacheOptions
  /** Default `class-run`. */
  readonly counter?: CounterOption
  /** The row of the overflow table by which a prompt above the window is refused. Default: the API's own. */
  readonly wording?: string
  /**
   * Is a request refused whose input fits, but not together with its output cap? Default: as the API does; current models
   * of Anthropic do not.
   */
  readonly sumsOutput?: boolean
  /** Bytes that a body may have. Default 32 MB. */
  readonly bytesLimit?: number
  /** Milliseconds since the epoch, for the prompt cache. Default: the clock. */
  readonly now?: () => number
  /** Hears of every call when it is decided what becomes of it, before the answer goes out. */
  readonly onCall?: (call: CallRecord) => void
  /** The APIs to speak. Default: all. */
  readonly formats?: readonly WireFormat[]
}

/** A running simulator. */
export interface Wirelab {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string
  /** Every call seen, in order of arrival. */
  readonly calls: readonly CallRecord[]
  /** Queues a fault for the next calls that match it. */
  inject(fault: Fault): void
  /** Faults that were queued and have not hit all their calls. */
  readonly faultsLeft: number
  /** Ends open streams and frees the port. Calling it again does nothing. */
  close(): Promise<void>
}

const MEGABYTE = 1024 * 1024

/**
 * Starts a simulator of the providers' HTTP APIs on loopback.
 *
 * @example
 * const lab = await startWirelab({ window: 50_000, script: toolLoop({ steps: 3, tool: 'read', final: 'Done.' }) })
 * const client = new Anthropic({ baseURL: lab.url, apiKey: 'any' })
 */
export async function startWirelab(options: WirelabOptions = {}): Promise<Wirelab> {
  const state = await initialState(options)
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.all('*', (context) =>
    handleCall(context.req.raw, state, { breakOff: () => context.env.outgoing.socket?.destroy() }),
  )
  const server = await listen(app, options.port ?? 0)
  const { port } = server.address() as AddressInfo
  let closed: Promise<void> | undefined
  return {
    url: `http://127.0.0.1:${port}`,
    calls: state.calls,
    inject: (fault) => state.faults.add(fault),
    get faultsLeft() {
      return state.faults.size
    },
    close() {
      closed ??= closeServer(server)
      return closed
    },
  }
}

async function initialState(options: WirelabOptions): Promise<LabState> {
  const faults = new FaultQueue()
  for (const fault of options.faults ?? []) faults.add(fault)
  return {
    formats: options.formats ?? FORMATS,
    window: options.window ?? 200_000,
    rules: { thinkingBinding: 'turn', strictAlternation: false, systemInMessages: true, ...options.rules },
    script: options.script ?? answer('Done.'),
    summarizer: options.summarizer ?? 'normal',
    isSummaryCall: options.isSummaryCall ?? isSummaryCall,
    faults,
    cache: new PrefixCache({ ...options.cache, now: options.now ?? Date.now }),
    count: await tokenCounter(options.counter ?? 'class-run'),
    wording: options.wording === undefined ? undefined : overflowWording(options.wording),
    sumsOutput: options.sumsOutput,
    bytesLimit: options.bytesLimit ?? 32 * MEGABYTE,
    calls: [],
    onCall: options.onCall ?? (() => {}),
    answered: { main: 0, summary: 0 },
    begun: 0,
  }
}

function listen(app: { readonly fetch: Parameters<typeof serve>[0]['fetch'] }, port: number): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => resolve(server))
    server.once('error', reject)
  })
}

function closeServer(server: ServerType): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)))
    if ('closeAllConnections' in server) server.closeAllConnections()
  })
}
