import type { Context, ContextAPI, Span, TraceAPI } from '@opentelemetry/api'
import { ATTRIBUTES, OPERATIONS, PURPOSES } from './names.ts'

/** The spans that telemetry lands on. */
export interface SpansInForce {
  /** From a user message until control returns. */
  readonly turn?: Span
  /** One model call. */
  readonly chat?: Span
}

/** The part of `@opentelemetry/api` that finds spans. */
export interface SpanFinding {
  readonly trace: Pick<TraceAPI, 'getSpan' | 'setSpan'>
  readonly context: Pick<ContextAPI, 'active' | 'with'>
  createContextKey(description: string): symbol
}

/**
 * Which span is the turn and which the chat: those that the caller named, else the nearest ones among the active span and its
 * ancestors that say so. Ancestors are known of spans that were noted.
 */
export class SpanFinder {
  readonly #api: SpanFinding
  readonly #turnKey: symbol
  readonly #chatKey: symbol
  readonly #parents = new WeakMap<Span, Span>()

  constructor(api: SpanFinding) {
    this.#api = api
    this.#turnKey = api.createContextKey('palimpsest turn span')
    this.#chatKey = api.createContextKey('palimpsest chat span')
  }

  /** A span knows its parent's id, not the parent: this keeps it for as long as the span lives. */
  note(span: Span, parentContext: Context): void {
    const parent = this.#api.trace.getSpan(parentContext)
    // a span of another process takes no events
    if (parent !== undefined && parent !== span && !parent.spanContext().isRemote) this.#parents.set(span, parent)
  }

  inForce(context = this.#api.context.active()): SpansInForce {
    const lineage = this.lineage(this.#api.trace.getSpan(context))
    const chat = this.#named(context, this.#chatKey) ?? lineage.find(isChat)
    const turn = this.#named(context, this.#turnKey) ?? turnAmong(lineage)
    return { ...(turn !== undefined && { turn }), ...(chat !== undefined && { chat }) }
  }

  /** The turn that a new span belongs to. */
  turnOf(span: Span, parentContext: Context): Span | undefined {
    return this.#named(parentContext, this.#turnKey) ?? turnAmong(this.lineage(span))
  }

  /** Runs this with a span active, where there is one. */
  runIn(span: Span | undefined, run: () => void): void {
    const { trace, context } = this.#api
    if (span === undefined) run()
    else context.with(trace.setSpan(context.active(), span), run)
  }

  runInTurn<Result>(span: Span, run: () => Result): Result {
    const { trace, context } = this.#api
    const inside = trace.setSpan(context.active(), span).deleteValue(this.#chatKey).setValue(this.#turnKey, span)
    return context.with(inside, run)
  }

  runInChat<Result>(span: Span, run: () => Result): Result {
    const { trace, context } = this.#api
    return context.with(trace.setSpan(context.active(), span).setValue(this.#chatKey, span), run)
  }

  /** A span and its known ancestors, itself first. */
  lineage(span: Span | undefined): readonly Span[] {
    const found: Span[] = []
    for (let at = span; at !== undefined && found.length < DEEPEST; at = this.#parents.get(at)) found.push(at)
    return found
  }

  #named(context: Context, key: symbol): Span | undefined {
    return context.getValue(key) as Span | undefined
  }
}

/** Ancestors that are looked at: a trace deeper than this has no turn far above its chat. */
const DEEPEST = 32

const CHAT_OPERATIONS: readonly unknown[] = [OPERATIONS.chat, 'generate_content', 'text_completion']

/** Is this a model call, by the semantic conventions or by the AI SDK's own names? Never a call for a summary. */
export function isChat(span: Span): boolean {
  const attributes = attributesOf(span)
  if (attributes[ATTRIBUTES.purpose] === PURPOSES.summarize) return false
  return (
    CHAT_OPERATIONS.includes(attributes[ATTRIBUTES.operation]) || /\.do(?:Generate|Stream)$/.test(aiSdkOperation(span))
  )
}

/** An agent's turn by its attributes; without one what the chat stands in; without a chat the active span itself. */
function turnAmong(whole: readonly Span[]): Span | undefined {
  const lineage = whole.filter((span) => span.isRecording())
  const named = lineage.find(isTurn)
  if (named !== undefined) return named
  const chat = lineage.findIndex(isChat)
  return lineage[chat + 1] ?? lineage[chat] ?? lineage[0]
}

function isTurn(span: Span): boolean {
  if (attributesOf(span)[ATTRIBUTES.operation] === OPERATIONS.agent) return true
  return /^ai\.(?:generate|stream)(?:Text|Object)$/.test(aiSdkOperation(span))
}

function aiSdkOperation(span: Span): string {
  return String(attributesOf(span)['ai.operationId'] ?? '')
}

/** Spans of the SDK show their attributes; those of the API alone do not. */
function attributesOf(span: Span): Readonly<Record<string, unknown>> {
  return (span as { readonly attributes?: Readonly<Record<string, unknown>> }).attributes ?? {}
}
