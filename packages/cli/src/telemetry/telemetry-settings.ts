/** Variables of this process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What the standard variables of OpenTelemetry ask for. */
export interface TelemetrySettings {
  readonly traces: readonly 'otlp'[]
  readonly metrics: readonly ('otlp' | 'prometheus')[]
  readonly logs: readonly 'otlp'[]
  /** Where Prometheus reads: this machine alone, unless something else is said. */
  readonly prometheus: { readonly host: string; readonly port: number }
  /** Milliseconds between two exports of metrics. */
  readonly metricInterval: number
  /** What was asked for and is not done, one line each. */
  readonly warnings: readonly string[]
}

const PROMETHEUS_PORT = 9464
const METRIC_INTERVAL_MS = 60_000

/**
 * Reads `OTEL_*`: which exporters are wanted. Undefined where none is. An endpoint alone asks for OTLP; `OTEL_SDK_DISABLED=true` asks
 * for nothing, whatever else is set. Endpoints, headers, sampling, limits and the resource are read by the SDK itself.
 */
export function telemetrySettings(env: Environment): TelemetrySettings | undefined {
  if (givenValue(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const warnings: string[] = []
  const traces = exporters(env, 'TRACES', ['otlp'] as const, warnings)
  const metrics = exporters(env, 'METRICS', ['otlp', 'prometheus'] as const, warnings)
  const logs = exporters(env, 'LOGS', ['otlp'] as const, warnings)
  if (traces.length + metrics.length + logs.length === 0 && warnings.length === 0) return undefined
  const isOtlp = [...traces, ...metrics, ...logs].includes('otlp')
  if (isOtlp) warnings.push(...protocolWarnings(env))
  return {
    traces,
    metrics,
    logs,
    warnings,
    prometheus: {
      host: givenValue(env, 'OTEL_EXPORTER_PROMETHEUS_HOST') ?? 'localhost',
      port: numberOf(env, 'OTEL_EXPORTER_PROMETHEUS_PORT') ?? PROMETHEUS_PORT,
    },
    metricInterval: numberOf(env, 'OTEL_METRIC_EXPORT_INTERVAL') ?? METRIC_INTERVAL_MS,
  }
}

type Signal = 'TRACES' | 'METRICS' | 'LOGS'

function exporters<Known extends string>(
  env: Environment,
  signal: Signal,
  known: readonly Known[],
  warnings: string[],
): readonly Known[] {
  const variable = `OTEL_${signal}_EXPORTER`
  const named = givenValue(env, variable)
  if (named === undefined) return hasEndpoint(env, signal) ? known.filter((name) => name === 'otlp') : []
  const names = named
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'none')
  const isKnown = (name: string): name is Known => (known as readonly string[]).includes(name)
  const unknown = names.filter((name) => !isKnown(name))
  if (unknown.length > 0) {
    warnings.push(`${variable}: "${unknown.join(',')}" is not known here. It takes ${[...known, 'none'].join(', ')}.`)
  }
  return [...new Set(names.filter(isKnown))]
}

function hasEndpoint(env: Environment, signal: Signal): boolean {
  return ['OTEL_EXPORTER_OTLP_ENDPOINT', `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`].some(
    (name) => givenValue(env, name) !== undefined,
  )
}

function protocolWarnings(env: Environment): readonly string[] {
  return ['', 'TRACES_', 'METRICS_', 'LOGS_'].flatMap((signal) => {
    const variable = `OTEL_EXPORTER_OTLP_${signal}PROTOCOL`
    if (givenValue(env, variable) !== 'grpc') return []
    return [`${variable}: OTLP is spoken over HTTP here, not gRPC. A collector takes it on port 4318.`]
  })
}

/** An empty variable is one that is not set, as the specification has it. */
function givenValue(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === '' ? undefined : value
}

/** What is no number counts as not set. */
function numberOf(env: Environment, name: string): number | undefined {
  const value = givenValue(env, name)
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined
}
