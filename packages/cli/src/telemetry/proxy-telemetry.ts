import { context, propagation, trace } from '@opentelemetry/api'
import type { CompactorEvent } from 'palimpsest'
import { ATTRIBUTES, OPERATIONS, type OperationSpan, providerName, type Telemetry } from 'palimpsest/otel'

/** The proxy's calls as spans. */
export interface ProxyTelemetry {
  /**
   * Runs one model call of a client as a span `chat {model}`, below the span that the client names in `traceparent`. Compactions in it
   * stand on that span. `run` tells in one word what came of it.
   */
  modelCall<Outcome extends string>(headers: Headers, run: () => Promise<Outcome>): Promise<Outcome>
  readonly onEvent: (event: CompactorEvent) => void
}

export function proxyTelemetry(telemetry: Telemetry): ProxyTelemetry {
  const open = new Map<object, OperationSpan>()
  return {
    async modelCall(headers, run) {
      const from = propagation.extract(context.active(), Object.fromEntries(headers))
      const operation = context.with(from, () => telemetry.startOperation(OPERATIONS.chat, ''))
      const { span } = operation
      if (span === undefined) return run()
      open.set(span, operation)
      try {
        const outcome = await context.with(from, () => telemetry.inChat(span, run))
        operation.end(NO_FAULT.includes(outcome) ? undefined : outcome)
        return outcome
      } finally {
        operation.end('failed')
        open.delete(span)
      }
    },
    onEvent(event) {
      const span = trace.getActiveSpan()
      const operation = span && open.get(span)
      if (operation !== undefined) describe(operation, event)
      telemetry.onEvent(event)
    },
  }
}

const NO_FAULT: readonly string[] = ['answered', 'client-gone']

/** What is known of a call once something happens in it. */
function describe({ span, set }: OperationSpan, event: CompactorEvent): void {
  const provider = providerName(event.upstream)
  set({ [ATTRIBUTES.conversation]: event.session, ...(provider !== undefined && { [ATTRIBUTES.provider]: provider }) })
  if (event.model !== undefined && event.model !== '') {
    span?.updateName(`${OPERATIONS.chat} ${event.model}`)
    set({ [ATTRIBUTES.requestModel]: event.model })
  }
  if (event.type !== 'usage-observed') return
  const { input, output, cacheRead, cacheWrite } = event.usage
  set({
    [ATTRIBUTES.inputTokens]: input,
    [ATTRIBUTES.outputTokens]: output,
    [ATTRIBUTES.cacheReadTokens]: cacheRead,
    [ATTRIBUTES.cacheWriteTokens]: cacheWrite,
  })
}
