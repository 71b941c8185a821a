import { expect, test } from 'vitest'
import { telemetrySettings } from './telemetry-settings.ts'

const HTTP = 'http://collector.example:4318'

test.each([
  [{}, 'nothing'],
  [{ OTEL_SERVICE_NAME: 'x', OTEL_RESOURCE_ATTRIBUTES: 'a=b' }, 'nothing'],
  [{ OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }, 'nothing'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, 'nothing'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: HTTP, OTEL_SDK_DISABLED: 'true' }, 'nothing'],
  [{ OTEL_METRICS_EXPORTER: 'prometheus', OTEL_SDK_DISABLED: 'TRUE' }, 'nothing'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: HTTP }, 'traces otlp | metrics otlp | logs otlp'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: HTTP, OTEL_SDK_DISABLED: 'false' }, 'traces otlp | metrics otlp | logs otlp'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: HTTP }, 'traces otlp | metrics | logs'],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: HTTP }, 'traces | metrics otlp | logs'],
  [{ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: HTTP }, 'traces | metrics | logs otlp'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: HTTP, OTEL_LOGS_EXPORTER: 'none' }, 'traces otlp | metrics otlp | logs'],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'traces otlp | metrics | logs'],
  [{ OTEL_METRICS_EXPORTER: 'prometheus' }, 'traces | metrics prometheus | logs'],
  [{ OTEL_METRICS_EXPORTER: 'otlp, prometheus,otlp' }, 'traces | metrics otlp,prometheus | logs'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: HTTP, OTEL_METRICS_EXPORTER: 'prometheus' },
    'traces otlp | metrics prometheus | logs otlp',
  ],
] as const)('%j asks for %s', (env, asked) => {
  const settings = telemetrySettings(env)
  const signals = (['traces', 'metrics', 'logs'] as const).map((name) => `${name} ${settings?.[name].join(',')}`.trim())
  expect(settings === undefined ? 'nothing' : signals.join(' | ')).toBe(asked)
  expect(settings?.warnings ?? []).toEqual([])
})

test('numbers that are none count as not given', () => {
  const asked = { OTEL_METRICS_EXPORTER: 'prometheus' }
  expect(telemetrySettings(asked)).toMatchObject({
    prometheus: { host: 'localhost', port: 9464 },
    metricInterval: 60_000,
  })
  const odd = { OTEL_EXPORTER_PROMETHEUS_PORT: 'many', OTEL_METRIC_EXPORT_INTERVAL: '-1' }
  expect(telemetrySettings({ ...asked, ...odd })).toMatchObject({ prometheus: { port: 9464 }, metricInterval: 60_000 })
  const set = {
    ...{ OTEL_EXPORTER_PROMETHEUS_HOST: '0.0.0.0', OTEL_EXPORTER_PROMETHEUS_PORT: '9999' },
    OTEL_METRIC_EXPORT_INTERVAL: '5000',
  }
  expect(telemetrySettings({ ...asked, ...set })).toMatchObject({
    prometheus: { host: '0.0.0.0', port: 9999 },
    metricInterval: 5_000,
  })
})

test('what is not known here is said', () => {
  const env = {
    ...{ OTEL_TRACES_EXPORTER: 'zipkin,otlp', OTEL_LOGS_EXPORTER: 'console' },
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  }
  expect(telemetrySettings(env)).toMatchObject({
    traces: ['otlp'],
    logs: [],
    warnings: [
      'OTEL_TRACES_EXPORTER: "zipkin" is not known here. It takes otlp, none.',
      'OTEL_LOGS_EXPORTER: "console" is not known here. It takes otlp, none.',
      'OTEL_EXPORTER_OTLP_PROTOCOL: OTLP is spoken over HTTP here, not gRPC. A collector takes it on port 4318.',
    ],
  })
})
