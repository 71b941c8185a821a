import { compactionAttributes } from './compaction-spans.ts'
import type { Heard } from './heard-event.ts'
import { COMPACTION_LOG } from './names.ts'

/**
 * The one info line of a compaction, as a log record of OpenTelemetry: a logger of `@opentelemetry/api-logs` takes it as it is, any
 * other logger its body and attributes. No text of the conversation.
 */
export interface CompactionLogRecord {
  readonly severityNumber: 9
  readonly severityText: 'INFO'
  readonly eventName: typeof COMPACTION_LOG.event
  readonly body: typeof COMPACTION_LOG.body
  readonly attributes: Record<string, string | number>
}

export function compactionLogRecord(event: Heard<'compaction-applied'>): CompactionLogRecord {
  const all = compactionAttributes(event)
  const told = COMPACTION_LOG.attributes.flatMap((name) => {
    const value = all[name]
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : []
  })
  return {
    severityNumber: 9,
    severityText: 'INFO',
    eventName: COMPACTION_LOG.event,
    body: COMPACTION_LOG.body,
    attributes: Object.fromEntries(told),
  }
}
