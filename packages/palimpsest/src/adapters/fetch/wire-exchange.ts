import { compactionLimits } from '../../compactor/compaction-limits.ts'
import type { Compactor, Prepared, PrepareOptions } from '../../compactor/compactor.ts'
import { ContextOverflowError } from '../../compactor/context-overflow-error.ts'
import { createCompactor } from '../../compactor/create-compactor.ts'
import { PalimpsestError } from '../../engine/errors.ts'
import { DEFAULT_PRESET } from '../../engine/presets/presets.ts'
import { sha256 } from '../../engine/record/sha256.ts'
import { callPurpose } from '../../wire/call-purpose.ts'
import { credentialOf, redactUrl } from '../../wire/credentials.ts'
import { type Route, routeOf } from '../../wire/routes.ts'
import { callSummarizer } from './call-summarizer.ts'
import { webContentDecoded } from './content-decoding.ts'
import { countBy } from './count-call.ts'
import type { CallFacts, WireExchangeOptions, WireWarning } from './exchange-options.ts'
import { type ModelCall, readModelCall, requestWith } from './model-call.ts'
import { explained, overflowAnswer } from './overflow-answer.ts'
import { PathModels } from './path-models.ts'
import type { ModelRoute } from './request-envelope.ts'
import { SeenWindows, type WindowScope } from './seen-windows.ts'
import { judgeAnswer, type Verdict } from './verdict.ts'
import { isSigned, type Send, type WholeRequest, type WireRequest, wholeRequest } from './wire-request.ts'

/** Answers one HTTP request, by sending it as it should go out. Rejects only as `send` does, or with the caller's abort. */
export type WireExchange = (request: WireRequest, send: Send) => Promise<Response>

/**
 * Keeps calls over HTTP inside their windows, whatever client makes them: calls of a model are prepared, sent, and sent
 * again smaller where the provider refuses them as too large; everything else passes as it came.
 *
 * @throws PalimpsestError `invalid-input` for options that no call could be prepared with.
 * @example
 * const exchange = wireExchange({ window: 128_000 })
 * const call = { method: 'POST', url, headers, body: JSON.stringify(body) }
 * const response = await exchange(call, (request) => fetch(request.url, request))
 */
export function wireExchange(options: WireExchangeOptions = {}): WireExchange {
  const exchange = new Exchange(options)
  return (request, send) => exchange.answer(request, send)
}

const MAIN = { purpose: 'main' } as const
const DEFAULT_HOLD_MS = 30_000

class Exchange {
  readonly #options: WireExchangeOptions
  readonly #compactors = new Map<string, Compactor<unknown>>()
  readonly #pathModels = new PathModels()
  readonly #windows = new SeenWindows()
  #hasToldOfSignature = false

  constructor(options: WireExchangeOptions) {
    compactionLimits(options.preset ?? DEFAULT_PRESET, {}, options)
    this.#options = options
  }

  async answer(request: WireRequest, send: Send): Promise<Response> {
    const route = routeOf(request.method, request.url, request.headers)
    if (!isModelRoute(route) || this.#isLocked(request)) return send(request, MAIN)
    const whole = await wholeRequest(request)
    const call = await this.#read(whole, route)
    if (call === undefined) return send(whole, MAIN)
    const first = await this.#prepare(call, send)
    if (first.kind === 'as-it-came') return send(whole, MAIN)
    if (first.kind === 'too-large') return overflowAnswer(route.dialect, first.error)
    if (route.kind === 'count') return send(outgoing(call, first.prepared, 1), MAIN)
    return this.#converse(call, first, send)
  }

  /** Another body would be refused: the signature is of this one. */
  #isLocked(request: WireRequest): boolean {
    if (!isSigned(request)) return false
    if (!this.#hasToldOfSignature) {
      this.#hasToldOfSignature = true
      const message = 'The request is signed, so it is sent as it is: a changed one would be refused.'
      const hint = 'Use a bearer token (a Bedrock API key), or the middleware of the SDK, which comes before signing.'
      this.#warn('signed-request', request, new PalimpsestError('invalid-input', message, { hint }))
    }
    return true
  }

  async #read(request: WholeRequest, route: ModelRoute): Promise<ModelCall | undefined> {
    try {
      return await readModelCall(request, route, this.#options.decode ?? webContentDecoded)
    } catch (cause) {
      const error = new PalimpsestError('invalid-input', 'The body cannot be read, so it is sent as it is.', { cause })
      this.#warn('unread-body', request, cause instanceof PalimpsestError ? cause : error)
      return undefined
    }
  }

  async #prepare(call: ModelCall, send: Send): Promise<FirstAttempt> {
    const { native } = call.envelope
    try {
      this.#pathModels.remember(native, call.model)
      const { scope, options } = this.#setting(call, send)
      const prepared = await this.#compactorOf(call).prepare(native, options)
      this.#windows.see(scope, prepared.window)
      return { kind: 'prepared', prepared, scope }
    } catch (error) {
      call.request.signal?.throwIfAborted()
      // a count is no less true for a request that does not fit
      if (error instanceof ContextOverflowError && call.route.kind !== 'count') return { kind: 'too-large', error }
      if (!(error instanceof ContextOverflowError)) this.#warn('not-prepared', call.request, unexpected(error))
      return { kind: 'as-it-came' }
    }
  }

  /** Whose call this is, and how far to go for it. */
  #setting(call: ModelCall, send: Send): { readonly scope: WindowScope; readonly options: PrepareOptions } {
    const { signal, method, url, headers } = call.request
    const facts: CallFacts = { method, url, headers, body: call.source.value }
    const conversation = call.dialect.open(call.envelope.native)
    const namespace = namespaceOf(this.#options, facts)
    const upstream = new URL(url).host
    const scope = { namespace, upstream, model: this.#options.model ?? conversation.model ?? call.model ?? '' }
    const session = this.#options.session?.(facts)
    const summarizer = callSummarizer(call, { options: this.#options, send, windows: this.#windows, scope })
    const effort = EFFORTS[callPurpose(conversation, call.dialect)]
    const named = { ...(session !== undefined && { session }), ...(signal !== undefined && { signal }) }
    const countTokens = (this.#options.counter ?? 'off') === 'off' ? undefined : countBy(call, send)
    const counting = countTokens === undefined ? {} : { countTokens }
    return { scope, options: { namespace, upstream, effort, summarizer, ...named, ...counting } }
  }

  /** Attempt after attempt, until there is an answer that the caller may see. */
  async #converse(call: ModelCall, { prepared: first, scope }: PreparedCall, send: Send): Promise<Response> {
    const holdMilliseconds = this.#options.holdMilliseconds ?? DEFAULT_HOLD_MS
    let prepared = first
    for (let attempt = 1; ; attempt++) {
      const response = await send(outgoing(call, prepared, attempt), MAIN)
      const verdict = await judgeAnswer(response, prepared, call, holdMilliseconds)
      if (verdict.kind === 'answer') return verdict.response
      if (verdict.facts.kind === 'tokens') this.#windows.see(scope, verdict.facts.limit)
      const next = await this.#next(verdict, call)
      if (next instanceof Response) return next
      await verdict.discard()
      prepared = next
    }
  }

  /** The next attempt, or what the caller gets where there is none. */
  async #next(verdict: Extract<Verdict, { kind: 'overflow' }>, call: ModelCall): Promise<Prepared<unknown> | Response> {
    try {
      return (await verdict.next()) ?? verdict.response
    } catch (error) {
      call.request.signal?.throwIfAborted()
      if (error instanceof PalimpsestError) return explained(verdict.response, error)
      this.#warn('not-prepared', call.request, unexpected(error))
      return verdict.response
    }
  }

  /** One for each wire format: it finds the conversations of all callers. */
  #compactorOf({ dialect }: ModelCall): Compactor<unknown> {
    const known = this.#compactors.get(dialect.name)
    if (known !== undefined) return known
    const { summarizer, session, namespace, decode, holdMilliseconds, onWarning, counter, ...options } = this.#options
    const counting = counter === 'always' ? { counter } : {}
    const compactor = createCompactor<unknown>({ ...options, ...counting, dialect: this.#pathModels.taughtTo(dialect) })
    this.#compactors.set(dialect.name, compactor)
    return compactor
  }

  #warn(type: WireWarning['type'], { url }: WireRequest, error: PalimpsestError): void {
    try {
      this.#options.onWarning?.({ type, url: redactUrl(url), error })
    } catch {
      // a listener's own fault is not the call's
    }
  }
}

interface PreparedCall {
  readonly kind: 'prepared'
  readonly prepared: Prepared<unknown>
  readonly scope: WindowScope
}

/** What a call begins with; or that it goes on as it came; or why it is not sent. */
type FirstAttempt =
  | PreparedCall
  | { readonly kind: 'as-it-came' }
  | { readonly kind: 'too-large'; readonly error: ContextOverflowError }

const EFFORTS = { opening: 'recovery', summary: 'without-model', turn: 'full' } as const

function isModelRoute(route: Route): route is ModelRoute {
  return route.kind === 'generate' || route.kind === 'count' || route.kind === 'compact'
}

/** As it came where nothing changes. A retry is another request: a key that says it is the same would be a lie. */
function outgoing(call: ModelCall, prepared: Prepared<unknown>, attempt: number): WireRequest {
  if (!prepared.changed) return call.request
  const request = requestWith(call, prepared.request as object)
  if (attempt > 1) request.headers.delete('idempotency-key')
  return request
}

/** A digest names the credential in stores and never gives it back. */
function namespaceOf({ namespace }: WireExchangeOptions, facts: CallFacts): string {
  if (typeof namespace === 'string') return namespace
  if (namespace !== undefined) return namespace(facts)
  const credential = credentialOf(facts.headers, facts.url)
  return credential === undefined ? 'no-credential' : sha256(`palimpsest namespace\n${credential}`).slice(0, 32)
}

function unexpected(cause: unknown): PalimpsestError {
  if (cause instanceof PalimpsestError) return cause
  return new PalimpsestError('effect-failed', 'The call could not be prepared, so it is sent as it is.', { cause })
}
