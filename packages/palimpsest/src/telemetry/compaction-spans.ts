import type * as Api from '@opentelemetry/api'
import type { Attributes, Span, Tracer } from '@opentelemetry/api'
import { type Heard, type HeardEvent, reasonOf } from './heard-event.ts'
import { ATTRIBUTES, OPERATIONS, PURPOSES, SPAN_EVENTS } from './names.ts'
import type { PendingChats } from './pending-chats.ts'
import type { SpansInForce } from './spans-in-force.ts'

export interface SpanSetup {
  readonly api: typeof Api
  readonly tracer: () => Tracer
  readonly pending: PendingChats
  readonly providerOf: (event: HeardEvent) => string | undefined
  readonly now: () => number
}

/** Puts what a compactor tells on the spans in force; a call of a summariser gets a span of its own. */
export class CompactionSpans {
  readonly #setup: SpanSetup

  constructor(setup: SpanSetup) {
    this.#setup = setup
  }

  take(event: HeardEvent, spans: SpansInForce): void {
    switch (event.type) {
      case 'compaction-applied':
        recording(spans.turn)?.addEvent(SPAN_EVENTS.compacted, compactionAttributes(event))
        if (!markCompacted(spans.chat)) this.#setup.pending.add(event.session, spans.turn)
        return
      case 'overflow-detected':
        if (event.remedy === 'none') return
        recording(spans.turn)?.addEvent(SPAN_EVENTS.overflowRetry, overflowAttributes(event))
        return
      case 'summarizer-called':
        if (modelAsked(event) !== undefined) this.#summarizerSpan(event, spans)
        return
      case 'usage-observed':
        if (spans.chat !== undefined && this.#setup.pending.take({ session: event.session })) markCompacted(spans.chat)
    }
  }

  /** It is told when it is over: its span begins that much earlier. */
  #summarizerSpan(event: Heard<'summarizer-called'>, spans: SpansInForce): void {
    const { api, tracer, providerOf, now } = this.#setup
    const end = now()
    const model = modelAsked(event)
    const name = model === UNNAMED ? OPERATIONS.chat : `${OPERATIONS.chat} ${model}`
    const options = {
      kind: api.SpanKind.CLIENT,
      startTime: new Date(end - event.milliseconds),
      attributes: summarizerAttributes(event, providerOf(event)),
    }
    const span = tracer().startSpan(name, options, this.#parentContext(spans))
    const failure = failureOf(event)
    if (failure !== undefined) {
      span.setAttribute(ATTRIBUTES.errorType, failure)
      span.setStatus({ code: api.SpanStatusCode.ERROR, message: failure })
    }
    span.end(new Date(end))
  }

  /** What is active; where nothing is, what the caller named. */
  #parentContext({ chat, turn }: SpansInForce) {
    const { trace, context } = this.#setup.api
    const active = context.active()
    const parent = trace.getSpan(active) ?? chat ?? turn
    return parent === undefined ? active : trace.setSpan(active, parent)
  }
}

/** Marks a chat span as the first after a compaction; false where there is none to mark. */
export function markCompacted(chat: Span | undefined): boolean {
  const span = recording(chat)
  span?.setAttribute(ATTRIBUTES.compacted, true)
  return span !== undefined
}

/** What stands on the span event and in the log line of a compaction. */
export function compactionAttributes(event: Heard<'compaction-applied'>): Attributes {
  return {
    [ATTRIBUTES.conversation]: event.session,
    ...(event.model !== undefined && { [ATTRIBUTES.requestModel]: event.model }),
    [ATTRIBUTES.tokensBefore]: Math.round(event.tokensBefore),
    [ATTRIBUTES.tokensAfter]: Math.round(event.tokensAfter),
    [ATTRIBUTES.messagesEvicted]: event.evicted,
    [ATTRIBUTES.compactionReason]: reasonOf(event),
    [ATTRIBUTES.strategies]: [...event.strategies],
    ...(event.historyPath !== undefined && { [ATTRIBUTES.path]: event.historyPath }),
  }
}

/** The provider's words are left out: they may quote the request. */
function overflowAttributes({ facts, attempt, remedy, session, model }: Heard<'overflow-detected'>): Attributes {
  return {
    [ATTRIBUTES.conversation]: session,
    ...(model !== undefined && { [ATTRIBUTES.requestModel]: model }),
    [ATTRIBUTES.overflowKind]: facts.kind,
    [ATTRIBUTES.overflowAttempt]: attempt,
    ...(facts.limit !== undefined && { [ATTRIBUTES.overflowLimit]: facts.limit }),
    ...(facts.size !== undefined && { [ATTRIBUTES.overflowSize]: facts.size }),
    ...(remedy !== undefined && { [ATTRIBUTES.overflowRemedy]: remedy }),
  }
}

function summarizerAttributes(event: Heard<'summarizer-called'>, provider: string | undefined): Attributes {
  const model = modelAsked(event)
  return {
    [ATTRIBUTES.operation]: OPERATIONS.chat,
    [ATTRIBUTES.purpose]: PURPOSES.summarize,
    [ATTRIBUTES.conversation]: event.session,
    ...(model !== UNNAMED && { [ATTRIBUTES.requestModel]: model }),
    ...(provider !== undefined && { [ATTRIBUTES.provider]: provider }),
    [ATTRIBUTES.inputTokens]: event.usage.input,
    [ATTRIBUTES.outputTokens]: event.usage.output,
    [ATTRIBUTES.rejectedSummaries]: event.rejections?.length ?? 0,
  }
}

const WITHOUT_MODEL: readonly string[] = ['extractive', 'none']
const UNNAMED = ''

/** The model that was asked for a summary, '' where nobody says which; undefined where none was. */
export function modelAsked({ asked, by, usage, rejections = [] }: Heard<'summarizer-called'>): string | undefined {
  if (asked !== undefined) return asked
  if (!WITHOUT_MODEL.includes(by)) return by
  const wasAsked = usage.input + usage.output > 0 || rejections.includes('failed') || rejections.includes('deadline')
  return wasAsked ? UNNAMED : undefined
}

/** Why the model that was asked wrote nothing that could be used. */
function failureOf({ by, rejections = [] }: Heard<'summarizer-called'>): string | undefined {
  return WITHOUT_MODEL.includes(by) ? (rejections.at(-1) ?? 'failed') : undefined
}

function recording(span: Span | undefined): Span | undefined {
  return span?.isRecording() === true ? span : undefined
}
