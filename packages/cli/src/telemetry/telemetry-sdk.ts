import { context, DiagLogLevel, diag, metrics, propagation, trace } from '@opentelemetry/api'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import { type IMetricReader, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { openTelemetry, SCOPE, type Telemetry } from 'palimpsest/otel'
import { reason } from '../written-file.ts'
import type { Environment, TelemetrySettings } from './telemetry-settings.ts'

/** The SDK of OpenTelemetry at work. */
export interface RunningSdk {
  readonly telemetry: Telemetry
  /** Sends what is left and ends; may take long, and may fail. */
  shutdown(): Promise<void>
}

/** Milliseconds of one export, where nobody says: what is left at the end may not hold the process up for long. */
const EXPORT_MS = 3_000

/** Starts the SDK for what the settings ask for. What cannot be started is told, and left out. */
export async function startSdk(
  settings: TelemetrySettings,
  { env, warn }: { readonly env: Environment; readonly warn: (line: string) => void },
): Promise<RunningSdk> {
  warnOnce(warn)
  const otlp = env.OTEL_EXPORTER_OTLP_TIMEOUT === undefined ? { timeoutMillis: EXPORT_MS } : {}
  const resource = resourceFromAttributes({ 'service.name': 'palimpsest' }).merge(
    detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }),
  )
  const readers = await metricReaders(settings, { otlp, warn })
  const meterProvider = new MeterProvider({ resource, readers: [...readers] })
  const loggerProvider = new LoggerProvider({
    resource,
    processors: settings.logs.map(() => new BatchLogRecordProcessor({ exporter: new OTLPLogExporter(otlp) })),
  })
  const telemetry = await openTelemetry({
    meterProvider,
    ...(settings.logs.length > 0 && { logger: loggerProvider.getLogger(SCOPE) }),
  })
  const exporting = settings.traces.map(() => new BatchSpanProcessor(new OTLPTraceExporter(otlp)))
  const tracerProvider = new NodeTracerProvider({ resource, spanProcessors: [telemetry.spanProcessor, ...exporting] })
  tracerProvider.register()
  metrics.setGlobalMeterProvider(meterProvider)
  return {
    telemetry,
    async shutdown() {
      await Promise.allSettled([tracerProvider, meterProvider, loggerProvider].map((provider) => provider.shutdown()))
      for (const registered of [trace, context, propagation, metrics, diag]) registered.disable()
    },
  }
}

interface ReaderSetup {
  readonly otlp: { readonly timeoutMillis?: number }
  readonly warn: (line: string) => void
}

async function metricReaders(
  { metrics: exporters, metricInterval, prometheus }: TelemetrySettings,
  { otlp, warn }: ReaderSetup,
): Promise<readonly IMetricReader[]> {
  const readers: IMetricReader[] = []
  for (const name of exporters) {
    if (name === 'otlp') {
      const timing = { exportIntervalMillis: metricInterval, exportTimeoutMillis: Math.min(metricInterval, EXPORT_MS) }
      readers.push(new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter(otlp), ...timing }))
    } else {
      const exporter = new PrometheusExporter({ ...prometheus, preventServerStart: true })
      const why = await exporter.startServer().then(() => undefined, reason)
      if (why === undefined) readers.push(exporter)
      else
        warn(`Prometheus finds no metrics here: ${prometheus.host}:${prometheus.port} cannot be listened on (${why}).`)
    }
  }
  return readers
}

/** The SDK tells what it could not send each time anew, with much detail. */
function warnOnce(warn: (line: string) => void): void {
  let told = false
  const tell = () => {
    if (!told) warn('Telemetry could not be sent: is there a collector where OTEL_EXPORTER_OTLP_ENDPOINT points?')
    told = true
  }
  const silent = () => {}
  diag.setLogger(
    { error: tell, warn: silent, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  )
}
