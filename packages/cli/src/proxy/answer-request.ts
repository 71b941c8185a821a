import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ERROR_HEADER, type Send, type WireExchange, type WireRequest } from 'palimpsest/fetch'
import { type Route, redactUrl, routeOf } from 'palimpsest/wire'
import type { ProxyTelemetry } from '../telemetry/proxy-telemetry.ts'
import type { Admission } from './access-token.ts'
import type { ProxyLog } from './log-line.ts'
import type { Metrics } from './metrics.ts'
import { hasParentSegment } from './parent-segment.ts'
import { type Refusal, refusalResponse } from './refusal.ts'
import { webStream, wholeBody } from './request-body.ts'
import type { UpstreamClient } from './upstream-call.ts'
import type { Upstreams } from './upstreams.ts'

/** What answers stand on. */
export interface ProxySetting {
  readonly admission: (target: string, headers: Headers) => Admission
  readonly upstreams: Upstreams
  readonly client: UpstreamClient
  readonly exchange: WireExchange
  readonly maxBodyBytes: number
  readonly metrics: Metrics
  readonly log: ProxyLog
  readonly telemetry?: ProxyTelemetry
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
}

/** Answers one request of a client. Never rejects. */
export async function answerRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  setting: ProxySetting,
): Promise<void> {
  try {
    const call = new ClientCall(incoming, outgoing, setting)
    if (call.isAboutProxy) call.tellOfProxy()
    else await call.answerAndRecord()
  } catch (error) {
    // a fault of ours ends this call, and no other
    setting.log({ level: 'error', message: 'internal error', fields: { error: nameOf(error) } })
    outgoing.destroy()
  }
}

/** What came of a call, in one word. */
type Outcome =
  | 'answered'
  /** The upstream's own error, as it came. */
  | 'upstream-error'
  /** It does not fit and cannot be made to. */
  | 'overflow'
  /** The proxy's own refusal: token, size, upgrade, no upstream. */
  | 'refused'
  | 'unreachable'
  | 'client-gone'
  /** The upstream broke the answer off. */
  | 'broken'

/** One request of a client, and the way to its answer. */
class ClientCall {
  readonly #incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  readonly #setting: ProxySetting
  readonly #headers: Headers
  readonly #target: string
  readonly #admitted: boolean
  readonly #route: Route
  readonly #abort = new AbortController()
  /** Requests that went to the upstream for the caller's own call. */
  #attempts = 0
  #status = 0
  /** The code or kind of an error; never its words, which may quote. */
  #error: string | undefined

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, setting: ProxySetting) {
    this.#incoming = incoming
    this.#outgoing = outgoing
    this.#setting = setting
    this.#headers = headersOf(incoming)
    const { target, admitted } = setting.admission(ownTarget(incoming), this.#headers)
    this.#target = target
    this.#admitted = admitted
    this.#route = routeOf(this.#method, target, this.#headers)
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) this.#abort.abort()
    })
  }

  get #method(): string {
    return this.#incoming.method ?? 'GET'
  }

  get isAboutProxy(): boolean {
    return this.#method === 'GET' && /^\/(?:healthz|metrics)$/.test(this.#target)
  }

  /** Health is anybody's to ask; numbers are for those who may call. */
  tellOfProxy(): void {
    if (this.#target === '/healthz') this.#tell(200, 'ok\n')
    else if (this.#admitted) this.#tell(200, this.#setting.metrics.text())
    else this.#tell(401, 'The token is missing or wrong.\n')
  }

  #tell(status: number, text: string): void {
    this.#incoming.resume()
    this.#outgoing.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text)
  }

  async answerAndRecord(): Promise<void> {
    const begun = this.#setting.now()
    const outcome = await this.#answerSeen()
    this.#record(outcome, this.#setting.now() - begun)
  }

  /** A call for an answer is a span, to the end of the answer's body. */
  #answerSeen(): Promise<Outcome> {
    const { telemetry } = this.#setting
    const isSeen = this.#admitted && this.#route.kind === 'generate'
    return telemetry !== undefined && isSeen ? telemetry.modelCall(this.#headers, () => this.#answer()) : this.#answer()
  }

  async #answer(): Promise<Outcome> {
    try {
      const request = await this.#request()
      if ('status' in request) return await this.#refuse(request)
      return await this.#forward(request)
    } catch (error) {
      if (this.#abort.signal.aborted) return 'client-gone'
      this.#error = nameOf(error)
      // an answer that has begun can only be broken off, as the upstream did
      this.#outgoing.destroy()
      return 'broken'
    }
  }

  /** The request for the upstream, or why there is none. */
  async #request(): Promise<WireRequest | Refusal> {
    if (!this.#admitted) return notAdmitted
    if (hasParentSegment(this.#target)) return climbingPath
    if (this.#route.kind === 'websocket') return noWebsocket
    const { upstreams, maxBodyBytes, metrics } = this.#setting
    const url = upstreams.urlOf({ route: this.#route, target: this.#target, headers: this.#headers })
    if (url === undefined) return noUpstream(upstreams.shown)
    const head = { method: this.#method, url, headers: this.#headers, signal: this.#abort.signal }
    if (!this.#isModelCall) return { ...head, body: hasBody(this.#incoming) ? webStream(this.#incoming) : null }
    const body = await wholeBody(this.#incoming, maxBodyBytes)
    if (body === 'too-large') return tooLarge(maxBodyBytes)
    metrics.add('palimpsest_proxy_request_body_bytes_total', { format: this.#format }, body.length)
    return { ...head, body }
  }

  async #refuse(refusal: Refusal): Promise<Outcome> {
    this.#incoming.resume()
    await this.#pass(refusalResponse(refusal, this.#route))
    return 'refused'
  }

  async #forward(request: WireRequest): Promise<Outcome> {
    const answered = await this.#setting.exchange(request, this.#send).catch((error: unknown) => {
      if (this.#abort.signal.aborted) throw error
      this.#error = nameOf(error)
      return unreachable(request.url, this.#error)
    })
    if (!(answered instanceof Response)) {
      await this.#pass(refusalResponse(answered, this.#route))
      return 'unreachable'
    }
    await this.#pass(answered)
    if (answered.headers.has(ERROR_HEADER)) return 'overflow'
    return answered.ok ? 'answered' : 'upstream-error'
  }

  readonly #send: Send = (request, { purpose }) => {
    const { client, metrics } = this.#setting
    metrics.add('palimpsest_proxy_upstream_calls_total', { purpose })
    if (purpose === 'main') this.#attempts += 1
    if (purpose === 'main' && this.#attempts > 1) metrics.add('palimpsest_overflow_retries_total')
    return client.send(request, this.#isModelCall ? 'readable' : 'as-sent')
  }

  /** Head and body, piece by piece as they come, at the client's own pace. */
  async #pass(response: Response): Promise<void> {
    const outgoing = this.#outgoing
    this.#status = response.status
    outgoing.statusCode = response.status
    outgoing.statusMessage = response.statusText
    for (const [name, value] of response.headers) outgoing.appendHeader(name, value)
    if (response.body === null || this.#method === 'HEAD') outgoing.end()
    else await this.#passBody(response.body, isStream(response))
    if (!outgoing.writableFinished) await once(outgoing, 'finish', { signal: this.#abort.signal })
  }

  async #passBody(body: ReadableStream<Uint8Array>, stream: boolean): Promise<void> {
    const { metrics } = this.#setting
    const { signal } = this.#abort
    if (stream) metrics.add('palimpsest_proxy_streams_in_flight')
    try {
      this.#outgoing.flushHeaders()
      for await (const piece of body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
        if (!this.#outgoing.write(piece)) await once(this.#outgoing, 'drain', { signal })
      }
      this.#outgoing.end()
    } finally {
      if (stream) metrics.add('palimpsest_proxy_streams_in_flight', {}, -1)
    }
  }

  #record(outcome: Outcome, milliseconds: number): void {
    const { metrics, log } = this.#setting
    metrics.add('palimpsest_proxy_requests_total', { format: this.#format, outcome })
    log({
      level: outcome === 'answered' ? 'info' : 'warn',
      message: 'call',
      fields: {
        outcome,
        status: this.#status === 0 ? undefined : this.#status,
        format: this.#format,
        method: this.#method,
        path: loggedPath(this.#target),
        attempts: this.#attempts,
        error: this.#error,
        ms: Math.round(milliseconds),
      },
    })
  }

  get #isModelCall(): boolean {
    return ['generate', 'count', 'compact'].includes(this.#route.kind)
  }

  get #format(): string {
    return 'dialect' in this.#route ? this.#route.dialect : 'other'
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string)
  }
  return headers
}

/** Path and query; clients that take us for a forward proxy send a whole URL. */
function ownTarget({ url = '/' }: IncomingMessage): string {
  return url.replace(/^https?:\/\/[^/?]*/i, '')
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function isStream({ headers }: Response): boolean {
  return /event-?stream/.test(headers.get('content-type') ?? '')
}

const notAdmitted: Refusal = {
  status: 401,
  message:
    'palimpsest: the token is missing or wrong. Send it as the header x-palimpsest-token, or put /t/TOKEN before the path ' +
    'of the base URL.',
}

const climbingPath: Refusal = {
  status: 400,
  message: 'palimpsest: the path has a ".." in it, which could lead out of the path of the upstream. Send it resolved.',
}

const noWebsocket: Refusal = {
  status: 426,
  message: 'palimpsest: messages of a WebSocket are not looked after. Use HTTP, with server-sent events for streams.',
}

function noUpstream(known: readonly string[]): Refusal {
  const message = `palimpsest: no upstream is given for this API. Known are: ${known.join(', ')}. Add one with --upstream.`
  return { status: 404, message }
}

function tooLarge(maxBytes: number): Refusal {
  const megabytes = maxBytes / (1024 * 1024)
  const message = `palimpsest: the body is larger than ${Number(megabytes.toFixed(2))} MB. Allow more with --max-body.`
  return { status: 413, message }
}

function unreachable(url: string, error: string): Refusal {
  return { status: 502, message: `palimpsest: the upstream ${new URL(url).host} gave no answer (${error}).` }
}

function nameOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^\w+$/.test(code) ? code : String(name)
}

const MAX_PATH_CHARACTERS = 200

/** Without the query: keys may stand there. */
function loggedPath(target: string): string {
  return redactUrl(target.replace(/\?.*$/s, '')).slice(0, MAX_PATH_CHARACTERS)
}
