import type * as Api from '@opentelemetry/api'
import type { Context, MeterProvider, Span, Tracer, TracerProvider } from '@opentelemetry/api'
import { type CompactionLogRecord, compactionLogRecord } from './compaction-log.ts'
import { CompactionMetrics } from './compaction-metrics.ts'
import { CompactionSpans, markCompacted } from './compaction-spans.ts'
import type { HeardEvent } from './heard-event.ts'
import { SCOPE } from './names.ts'
import {
  NO_SPAN,
  type Operation,
  type OperationOptions,
  type OperationSpan,
  startOperationSpan,
} from './operation-span.ts'
import { PendingChats } from './pending-chats.ts'
import { providerName } from './provider-name.ts'
import { isChat, SpanFinder, type SpansInForce } from './spans-in-force.ts'

/** Where telemetry goes. Everything has a default. */
export interface OpenTelemetryOptions {
  /** Default: the global one, also where it is registered later. */
  readonly tracerProvider?: TracerProvider
  /** Default: the global one, also where it is registered later. */
  readonly meterProvider?: MeterProvider
  /** Takes one info record for each compaction: `logs.getLogger('palimpsest')` of `@opentelemetry/api-logs`, or a logger of your own. */
  readonly logger?: {
    /** Takes one record. What it throws is passed over. */
    emit(record: CompactionLogRecord): void
  }
  /** The value of `gen_ai.provider.name`. Default: read from the upstream of each call, where the conventions know its provider. */
  readonly provider?: string
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/** Turns the events of compactors into spans, span events, attributes, metrics and log records. */
export interface Telemetry {
  /** Is `@opentelemetry/api` there? Without it only the logger is told anything. */
  readonly active: boolean
  /**
   * Takes the events of a compactor: give it as `onEvent` to any way in. Never throws.
   * @param spans The spans that the event belongs to, from a caller who knows; default: those in force where it is called.
   */
  readonly onEvent: (event: HeardEvent, spans?: SpansInForce) => void
  /** Runs this as the turn that `span` stands for: compactions in it are events of that span. */
  inTurn<Result>(span: Span, run: () => Result): Result
  /**
   * Runs this as the model call that `span` stands for; it is marked where the conversation was compacted since the last one.
   * `session` finds a compaction outside of any turn too.
   */
  inChat<Result>(span: Span, run: () => Result, call?: { readonly session?: string }): Result
  /** Marks a span of a model call as the first since its conversation was compacted, if it is that. For callers without a callback. */
  markChat(span: Span, call: { readonly session?: string; readonly turn?: Span }): void
  /** Starts a span for a loop of your own that has no instrumentation: `invoke_agent`, `chat` or `execute_tool`, of this agent, model or tool; '' where it is not known yet. */
  startOperation(operation: Operation, subject: string, options?: OperationOptions): OperationSpan
  /**
   * A span processor for your tracer provider. It notes which span stands in which, so that the turn above an instrumented call is
   * found: the AI SDK's own spans and others that follow the conventions need nothing else. It exports nothing.
   */
  readonly spanProcessor: ParentNotes
}

/** A span processor, as the SDK takes one. */
export interface ParentNotes {
  /** Notes below which turn a chat span begins. */
  onStart(span: Span, parentContext: Context): void
  /** Nothing: spans are exported by the processors beside it. */
  onEnd(span: unknown): void
  /** Nothing is held back. */
  forceFlush(): Promise<void>
  /** Nothing is to be let go of. */
  shutdown(): Promise<void>
}

/**
 * OpenTelemetry for compactors. Where `@opentelemetry/api` is not installed, what it gives does nothing; where no SDK is registered,
 * next to nothing.
 *
 * @example
 * const telemetry = await openTelemetry()
 * const tracerProvider = new NodeTracerProvider({ spanProcessors: [telemetry.spanProcessor, exporting] })
 * tracerProvider.register()
 * const model = wrapLanguageModel({ model: anthropic('claude-sonnet-4-5'), middleware: palimpsest({ onEvent: telemetry.onEvent }) })
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Promise<Telemetry> {
  return telemetryFrom(() => import('@opentelemetry/api'), options)
}

/** The same, with the API that `load` finds. @throws what `load` throws where it is not that the package is missing. */
export async function telemetryFrom(
  load: () => Promise<typeof Api>,
  options: OpenTelemetryOptions = {},
): Promise<Telemetry> {
  const api = await load().catch(undefinedIfMissing)
  return api === undefined ? withoutApi(options) : new LiveTelemetry(api, options)
}

function undefinedIfMissing(error: unknown): undefined {
  const { code } = error as { readonly code?: unknown }
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return undefined
  throw error
}

/** Log records need no API. */
function withoutApi({ logger }: OpenTelemetryOptions): Telemetry {
  return {
    active: false,
    onEvent: logger === undefined ? () => {} : (event) => tell(logger, event),
    inTurn: (_, run) => run(),
    inChat: (_, run) => run(),
    markChat() {},
    startOperation: () => NO_SPAN,
    spanProcessor: { onStart() {}, onEnd() {}, forceFlush: async () => {}, shutdown: async () => {} },
  }
}

class LiveTelemetry implements Telemetry {
  readonly active = true
  readonly #api: typeof Api
  readonly #options: OpenTelemetryOptions
  readonly #finder: SpanFinder
  readonly #pending = new PendingChats()
  readonly #spans: CompactionSpans
  #metered: { readonly provider: MeterProvider; readonly metrics: CompactionMetrics } | undefined

  constructor(api: typeof Api, options: OpenTelemetryOptions) {
    this.#api = api
    this.#options = options
    this.#finder = new SpanFinder(api)
    this.#spans = new CompactionSpans({
      api,
      tracer: () => this.#tracer(),
      pending: this.#pending,
      providerOf: this.#providerOf,
      now: options.now ?? Date.now,
    })
  }

  readonly onEvent = (event: HeardEvent, spans?: SpansInForce): void => {
    const at = spans ?? this.#finder.inForce()
    try {
      this.#spans.take(event, at)
      this.#metrics().take(event)
    } catch (error) {
      this.#api.diag.error('palimpsest: an event could not be told', error)
    }
    const { logger } = this.#options
    // a log record belongs to the span that is active
    if (logger !== undefined) this.#finder.runIn(at.turn, () => tell(logger, event))
  }

  inTurn<Result>(span: Span, run: () => Result): Result {
    return this.#finder.runInTurn(span, run)
  }

  inChat<Result>(span: Span, run: () => Result, { session }: { readonly session?: string } = {}): Result {
    const { turn } = this.#finder.inForce()
    this.markChat(span, { ...(session !== undefined && { session }), ...(turn !== undefined && { turn }) })
    return this.#finder.runInChat(span, run)
  }

  markChat(span: Span, call: { readonly session?: string; readonly turn?: Span }): void {
    if (this.#pending.take(call)) markCompacted(span)
  }

  startOperation(operation: Operation, subject: string, options: OperationOptions = {}): OperationSpan {
    return startOperationSpan(this.#api, this.#tracer(), { operation, subject }, options)
  }

  readonly spanProcessor: ParentNotes = {
    onStart: (span, parentContext) => {
      this.#finder.note(span, parentContext)
      if (!this.#pending.any || !isChat(span)) return
      const turn = this.#finder.turnOf(span, parentContext)
      if (turn !== undefined) this.markChat(span, { turn })
    },
    onEnd() {},
    forceFlush: async () => {},
    shutdown: async () => {},
  }

  readonly #providerOf = ({ upstream }: HeardEvent): string | undefined =>
    this.#options.provider ?? providerName(upstream)

  #tracer(): Tracer {
    return (this.#options.tracerProvider ?? this.#api.trace.getTracerProvider()).getTracer(SCOPE)
  }

  /** The global meter provider gives instruments that do nothing until one is registered: then they are made anew. */
  #metrics(): CompactionMetrics {
    const provider = this.#options.meterProvider ?? this.#api.metrics.getMeterProvider()
    if (this.#metered?.provider !== provider) {
      const metrics = new CompactionMetrics(provider.getMeter(SCOPE), this.#providerOf)
      this.#metered = { provider, metrics }
    }
    return this.#metered.metrics
  }
}

/** A logger's own fault is not the conversation's. */
function tell(logger: NonNullable<OpenTelemetryOptions['logger']>, event: HeardEvent): void {
  if (event.type !== 'compaction-applied') return
  try {
    logger.emit(compactionLogRecord(event))
  } catch {
    // nobody is left to be told
  }
}
