import { join } from 'node:path'
import type { ClientFormat } from '../client-format.ts'
import { type Fields, isFields } from '../json-fields.ts'
import { ClaudeCodeReader } from './claude-code-reader.ts'

/** Sessions of Claude Code: its logs, and its `stream-json` output (which spells the ids with an underscore). */
export const claudeCodeFormat: ClientFormat = {
  name: 'claude-code',
  client: 'Claude Code',
  isLine: isClaudeCodeRecord,
  reader: (skipped) => new ClaudeCodeReader(skipped),
  places: (home, environment) => [
    {
      folder: join(environment.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects'),
      depth: 1,
      // Logs of subagents stand beside the sessions.
      isSession: (name) => name.endsWith('.jsonl') && !name.startsWith('agent-'),
    },
  ],
}

function isClaudeCodeRecord(record: Fields): boolean {
  if (typeof record.type !== 'string' || 'payload' in record || 'data' in record) return false
  if (record.type === 'file-history-snapshot') return 'snapshot' in record
  if (record.type === 'summary') return 'leafUuid' in record
  if (record.type === 'user' || record.type === 'assistant') return isFields(record.message) && 'role' in record.message
  return 'sessionId' in record || 'session_id' in record || ('uuid' in record && 'parentUuid' in record)
}
