import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { openTelemetry } from 'palimpsest/otel'
import { afterEach } from 'vitest'

/** OpenTelemetry with its real SDK, registered for one test of this file at a time, and what came of it. */
export function observing(): () => Promise<Observed> {
  const ends: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })
  return async () => {
    const logged: { readonly attributes: Readonly<Record<string, unknown>> }[] = []
    const telemetry = await openTelemetry({ logger: { emit: (record) => logged.push(record) } })
    const exporter = new InMemorySpanExporter()
    const tracerProvider = new BasicTracerProvider({
      spanProcessors: [telemetry.spanProcessor, new SimpleSpanProcessor(exporter)],
    })
    const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
    const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 })
    const meterProvider = new MeterProvider({ readers: [reader] })
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    trace.setGlobalTracerProvider(tracerProvider)
    metrics.setGlobalMeterProvider(meterProvider)
    ends.push(async () => {
      await meterProvider.shutdown()
      await tracerProvider.shutdown()
      for (const registered of [context, trace, metrics]) registered.disable()
    })
    return {
      telemetry,
      logged,
      spans: () => exporter.getFinishedSpans(),
      async points(name) {
        await reader.forceFlush()
        const all =
          measured
            .getMetrics()
            .at(-1)
            ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
        const found = all.find(({ descriptor }) => descriptor.name === name)
        return (found?.dataPoints ?? []).map(({ attributes, value }) => ({
          attributes,
          value: typeof value === 'number' ? value : ((value as { sum?: number }).sum ?? 0),
        }))
      },
    }
  }
}

export interface Observed {
  readonly telemetry: Awaited<ReturnType<typeof openTelemetry>>
  readonly logged: readonly { readonly attributes: Readonly<Record<string, unknown>> }[]
  readonly spans: () => readonly ReadableSpan[]
  /** The values of a metric, by attributes; of a histogram their sums. */
  readonly points: (
    name: string,
  ) => Promise<readonly { readonly attributes: Readonly<Record<string, unknown>>; readonly value: number }[]>
}

/** Events of all spans, as `name of the span: name of the event`; without those of the AI SDK itself. */
export function eventsOf(spans: readonly ReadableSpan[]): readonly string[] {
  const all = spans.flatMap(({ name, events }) => events.map((event) => `${name}: ${event.name}`))
  return all.filter((event) => !event.includes(': ai.stream.'))
}

/** Names of the spans that are marked as the first after a compaction. */
export function markedSpans(spans: readonly ReadableSpan[]): readonly string[] {
  return spans.filter(({ attributes }) => attributes['gen_ai.conversation.compacted'] === true).map(({ name }) => name)
}

export function summarySpans(spans: readonly ReadableSpan[]): readonly ReadableSpan[] {
  return spans.filter(({ attributes }) => attributes['palimpsest.call.purpose'] === 'summarize')
}

export function parentOf(span: ReadableSpan | undefined, spans: readonly ReadableSpan[]): ReadableSpan | undefined {
  return spans.find((one) => one.spanContext().spanId === span?.parentSpanContext?.spanId)
}

/** Reasons on the span events of compactions. */
export function reasonsOf(spans: readonly ReadableSpan[]): readonly unknown[] {
  const compactions = spans.flatMap(({ events }) => events).filter(({ name }) => name.endsWith('.compacted'))
  return compactions.map(({ attributes }) => attributes?.['palimpsest.compaction.reason'])
}
