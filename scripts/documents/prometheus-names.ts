import type { MetricDefinition } from '../../packages/palimpsest/src/telemetry/names.ts'

/**
 * The series that Prometheus makes of a metric of OTLP: what is no letter, digit or underscore becomes an underscore, a unit in braces is
 * dropped, monotonic sums end with `_total`, gauges of unit 1 with `_ratio`; a classic histogram is three series.
 * https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
 *
 * @throws RangeError for a unit whose suffix this does not know: then the exporter of OpenTelemetry JS, which appends none, and the
 * translation of OTLP would give two names.
 */
export function prometheusSeries({ name, kind, unit }: MetricDefinition): readonly string[] {
  const base = prometheusLabel(name)
  if (unit !== '1' && !/^\{\w+\}$/.test(unit)) throw new RangeError(`${name}: which suffix does the unit ${unit} have?`)
  switch (kind) {
    case 'counter':
      return [withEnd(base, '_total')]
    case 'gauge':
      return [unit === '1' ? withEnd(base, '_ratio') : base]
    case 'histogram':
      return ['_bucket', '_sum', '_count'].map((end) => base + end)
  }
}

/** The label that Prometheus makes of an attribute. */
export function prometheusLabel(attribute: string): string {
  return attribute.replace(/\W+/g, '_')
}

function withEnd(name: string, end: string): string {
  return name.endsWith(end) ? name : name + end
}
