import type { Stores } from 'palimpsest'
import type { WireExchangeOptions } from 'palimpsest/fetch'
import type { ProxyTelemetry } from '../telemetry/proxy-telemetry.ts'
import type { ProxyLog } from './log-line.ts'

/** How a proxy works. Everything has a default but where calls go. */
export interface ProxyOptions {
  /**
   * Where calls go: a URL for all of them, or names with a URL each (`anthropic=https://…`). The names `anthropic`, `openai`,
   * `codex`, `google` and `bedrock` know their provider's own URL.
   */
  readonly upstreams: readonly string[]
  /** The address to listen on. Another one than loopback wants a token. Default `127.0.0.1`. */
  readonly host?: string
  /** Default 0: a free one. */
  readonly port?: number
  /** What clients must know: they send it as `x-palimpsest-token`, or as `/t/TOKEN` before the path. At least 16 characters. */
  readonly token?: string
  /** Bytes that the body of a model call may have. Default 64 MB. */
  readonly maxBodyBytes?: number
  /** Where records, histories and learned limits are kept. Default: in memory. */
  readonly stores?: Stores
  /** One name for whoever calls. Default: one for each credential, which nobody gets back from it. */
  readonly namespace?: string
  /** Under which namespaces are derived from credentials; processes that share stores share it. Default: random. */
  readonly secret?: string
  /** How conversations are kept inside their windows. */
  readonly exchange?: Omit<WireExchangeOptions, 'namespace' | 'stores' | 'decode' | 'onEvent' | 'onWarning' | 'session'>
  /** Default: nothing is logged. */
  readonly log?: ProxyLog
  /** Spans and metrics of OpenTelemetry. Default: none. */
  readonly telemetry?: ProxyTelemetry
}

/** A running proxy. */
export interface RunningProxy {
  /** `http://<host>:<port>`, without a path. */
  readonly url: string
  /** The upstreams in words, without passwords. */
  readonly upstreams: readonly string[]
  /** What `/metrics` says. */
  metrics(): string
  /** Takes no new connection and resolves when the last answer has gone out. Calling it again gives the same promise. */
  close(): Promise<void>
  /** Breaks open answers off: `close` resolves soon. */
  breakOff(): void
}
