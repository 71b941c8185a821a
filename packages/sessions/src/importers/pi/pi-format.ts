import { join } from 'node:path'
import type { ClientFormat } from '../client-format.ts'
import { type Fields, isFields } from '../json-fields.ts'
import { PiReader } from './pi-reader.ts'

/** Sessions of pi. */
export const piFormat: ClientFormat = {
  name: 'pi',
  client: 'pi',
  isLine: isPiRecord,
  reader: (skipped) => new PiReader(skipped),
  places: (home, environment) => [
    {
      folder: join(environment.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'sessions'),
      depth: 1,
      isSession: (name) => name.endsWith('.jsonl'),
    },
  ],
}

/** `message` entries are told from Codex items of that name by the message they wrap. */
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
