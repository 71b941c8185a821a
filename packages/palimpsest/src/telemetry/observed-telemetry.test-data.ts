import { context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { CompactionLogRecord } from './compaction-log.ts'
import { type OpenTelemetryOptions, openTelemetry } from './open-telemetry.ts'

/** Telemetry with the real SDK behind it, and what came of it. Call `end` when the test is over. */
export async function observedTelemetry(
  options: Omit<OpenTelemetryOptions, 'logger'> & { readonly notesParents?: boolean } = {},
) {
  const { notesParents = true, ...own } = options
  const logged: CompactionLogRecord[] = []
  const telemetry = await openTelemetry({ ...own, logger: { emit: (record) => logged.push(record) } })
  const spans = new InMemorySpanExporter()
  const spanProcessors = [...(notesParents ? [telemetry.spanProcessor] : []), new SimpleSpanProcessor(spans)]
  const tracerProvider = new BasicTracerProvider({ spanProcessors })
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const manager = new AsyncLocalStorageContextManager().enable()
  context.setGlobalContextManager(manager)
  trace.setGlobalTracerProvider(tracerProvider)
  metrics.setGlobalMeterProvider(meterProvider)
  return {
    telemetry,
    logged,
    tracer: trace.getTracer('the application'),
    spans: () => spans.getFinishedSpans(),
    span(name: string) {
      const found = spans.getFinishedSpans().filter((span) => span.name === name)
      if (found.length !== 1) throw new RangeError(`There are ${found.length} spans named ${name}.`)
      return found[0] as (typeof found)[number]
    },
    /** The newest state of each metric, by name. */
    async metrics() {
      await reader.forceFlush()
      const newest = exporter.getMetrics().at(-1)?.scopeMetrics ?? []
      return new Map(newest.flatMap((scope) => scope.metrics).map((metric) => [metric.descriptor.name, metric]))
    },
    async end() {
      await meterProvider.shutdown()
      await tracerProvider.shutdown()
      context.disable()
      trace.disable()
      metrics.disable()
    },
  }
}

export type ObservedTelemetry = Awaited<ReturnType<typeof observedTelemetry>>
