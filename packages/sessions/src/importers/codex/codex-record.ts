import { type Fields, isFields } from '../json-fields.ts'

/** One record of a rollout, its envelope (if it had one) taken off. */
export interface CodexRecord {
  readonly kind: 'meta' | 'context' | 'item' | 'event' | 'compacted' | 'other'
  readonly payload: Fields
  readonly timestamp: unknown
}

/** A line of a Codex rollout, with the envelope of today or without one (before September 2025). */
export function isCodexRecord(record: Fields): boolean {
  return codexRecord(record) !== undefined
}

/** What a parsed line is to Codex; undefined where it is no line of a rollout. */
export function codexRecord(record: Fields): CodexRecord | undefined {
  return isFields(record.payload) ? enveloped(record, record.payload) : bare(record)
}

function enveloped(record: Fields, payload: Fields): CodexRecord | undefined {
  if (typeof record.type !== 'string') return undefined
  const kind = ENVELOPES.get(record.type)
  if (kind === undefined && !('timestamp' in record)) return undefined
  return { kind: kind ?? 'other', payload, timestamp: record.timestamp }
}

/** The first line of an old rollout is the session's header, lines of `record_type` are bookkeeping, the rest are items. */
function bare(record: Fields): CodexRecord | undefined {
  if (typeof record.record_type === 'string') return { kind: 'other', payload: record, timestamp: undefined }
  if (typeof record.type === 'string') {
    return isBareItem(record, record.type) ? { kind: 'item', payload: record, timestamp: undefined } : undefined
  }
  const isHeader = typeof record.id === 'string' && 'timestamp' in record && 'instructions' in record
  return isHeader ? { kind: 'meta', payload: record, timestamp: record.timestamp } : undefined
}

function isBareItem(record: Fields, type: string): boolean {
  if (type === 'message') return typeof record.role === 'string' && Array.isArray(record.content)
  if (type === 'reasoning') return Array.isArray(record.summary)
  return BARE_ITEMS.has(type) && (typeof record.call_id === 'string' || type === 'web_search_call')
}

const ENVELOPES: ReadonlyMap<string, CodexRecord['kind']> = new Map([
  ['session_meta', 'meta'],
  ['turn_context', 'context'],
  ['response_item', 'item'],
  ['event_msg', 'event'],
  ['compacted', 'compacted'],
])

const BARE_ITEMS: ReadonlySet<string> = new Set([
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'web_search_call',
])
