import type * as Api from '@opentelemetry/api'
import type { Attributes, Span, Tracer } from '@opentelemetry/api'
import { ATTRIBUTES, OPERATIONS } from './names.ts'

/** A span of a loop of one's own: a turn, a model call or a tool. Without `@opentelemetry/api` it is there, and does nothing. */
export interface OperationSpan {
  readonly span?: Span
  /** Adds attributes; nothing once it has ended. */
  set(attributes: Attributes): void
  /** Ends it once; with `failure`, a short name of what went wrong, as an error. */
  end(failure?: string): void
}

/** Where a span stands, and what it begins with. */
export interface OperationOptions {
  /** Default: what is active. */
  readonly parent?: OperationSpan | undefined
  readonly attributes?: Attributes
}

/** What a span is of: a model call, a turn of an agent, a tool. */
export type Operation = (typeof OPERATIONS)[keyof typeof OPERATIONS]

/** Starts the span of an operation, named as the semantic conventions name it. */
export function startOperationSpan(
  api: typeof Api,
  tracer: Tracer,
  { operation, subject }: { readonly operation: Operation; readonly subject: string },
  { parent, attributes }: OperationOptions,
): OperationSpan {
  const active = api.context.active()
  const context = parent?.span === undefined ? active : api.trace.setSpan(active, parent.span)
  const options = {
    kind: operation === OPERATIONS.chat ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL,
    attributes: { [ATTRIBUTES.operation]: operation, ...attributes },
  }
  const span = tracer.startSpan(subject === '' ? operation : `${operation} ${subject}`, options, context)
  return {
    span,
    set: (more) => void span.setAttributes(more),
    end(failure) {
      if (!span.isRecording()) return
      if (failure !== undefined) {
        span.setAttribute(ATTRIBUTES.errorType, failure)
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: failure })
      }
      span.end()
    },
  }
}

export const NO_SPAN: OperationSpan = { set() {}, end() {} }
