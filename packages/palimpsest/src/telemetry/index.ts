export type { CompactionLogRecord } from './compaction-log.ts'
export type { Heard, HeardEvent } from './heard-event.ts'
export {
  ATTRIBUTES,
  COMPACTION_LOG,
  METRICS,
  type MetricDefinition,
  OPERATIONS,
  PURPOSES,
  REASONS,
  SCOPE,
  SEMANTIC_CONVENTIONS,
  SPAN_EVENTS,
} from './names.ts'
export { type OpenTelemetryOptions, openTelemetry, type ParentNotes, type Telemetry } from './open-telemetry.ts'
export type { Operation, OperationOptions, OperationSpan } from './operation-span.ts'
export { providerName } from './provider-name.ts'
export type { SpansInForce } from './spans-in-force.ts'
