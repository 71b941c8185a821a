import { isCodexRecord } from './codex/codex-record.ts'
import type { SessionFormat } from './imported-session.ts'
import { type Fields, isFields } from './json-fields.ts'

/**
 * The session format a record belongs to, by its own fields; undefined where they do not say. File names play no part.
 * A request body, or a message or list of messages on its own, is `request`.
 */
export function formatOfRecord(record: unknown): SessionFormat | undefined {
  if (Array.isArray(record)) return record.some(isListed) ? 'request' : undefined
  if (!isFields(record)) return undefined
  if (isClaudeCodeRecord(record)) return 'claude-code'
  if (isPiRecord(record)) return 'pi'
  if (isCodexRecord(record)) return 'codex'
  if (isRequestBody(record) || isMessage(record)) return 'request'
  return undefined
}

/** A whole request body, whatever its dialect: it has a list of messages, contents or input items. */
export function isRequestBody(value: unknown): value is Fields {
  if (!isFields(value)) return false
  if (typeof value.input === 'string') return typeof value.model === 'string'
  return ['messages', 'contents', 'prompt', 'input'].some((key) => isMessageList(value[key], key))
}

/** One message, content or input item on its own. */
export function isMessage(value: unknown): value is Fields {
  if (!isFields(value)) return false
  if (typeof value.role === 'string') return 'content' in value || 'parts' in value || 'tool_calls' in value
  return typeof value.call_id === 'string' && typeof value.type === 'string'
}

/** A message in a list of its own; contents may have no role. */
function isListed(value: unknown): boolean {
  return isMessage(value) || (isFields(value) && Array.isArray(value.parts) && !('info' in value))
}

/** Input items need no role (reasoning, calls, results), contents may do without one. */
function isMessageList(value: unknown, key: string): boolean {
  if (!Array.isArray(value)) return false
  const [first] = value as readonly unknown[]
  if (first === undefined || isMessage(first)) return true
  if (!isFields(first)) return false
  return key === 'input' ? typeof first.type === 'string' : key === 'contents' && Array.isArray(first.parts)
}

/** A line of a Claude Code session file, or of its `stream-json` output (which spells the ids with an underscore). */
function isClaudeCodeRecord(record: Fields): boolean {
  if (typeof record.type !== 'string' || 'payload' in record || 'data' in record) return false
  if (record.type === 'file-history-snapshot') return 'snapshot' in record
  if (record.type === 'summary') return 'leafUuid' in record
  if (record.type === 'user' || record.type === 'assistant') return isFields(record.message) && 'role' in record.message
  return 'sessionId' in record || 'session_id' in record || ('uuid' in record && 'parentUuid' in record)
}

/** A pi entry. `message` entries are told from Codex items of that name by the message they wrap. */
function isPiRecord(record: Fields): boolean {
  if (record.type === 'session') return typeof record.id === 'string' && 'timestamp' in record
  if (record.type === 'message') return isFields(record.message) && typeof record.message.role === 'string'
  if (record.type === 'compaction') return typeof record.summary === 'string' && !('encrypted_content' in record)
  return typeof record.type === 'string' && PI_ENTRIES.has(record.type) && 'timestamp' in record
}

const PI_ENTRIES: ReadonlySet<string> = new Set([
  'model_change',
  'thinking_level_change',
  'branch_summary',
  'custom_message',
  'session_info',
])
