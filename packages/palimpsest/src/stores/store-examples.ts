import type { CompactionRecord } from '../engine/record/compaction-record.ts'
import type { HistoryEntry } from './history-entry.ts'

/** A history entry of this text. */
export function entry(position: number, markdown: string): HistoryEntry {
  return { position, fingerprint: 'f'.repeat(16), markdown }
}

/** A record of which only the key, and the text of its summary, matter. */
export function toyRecord(key: string, content = 'summary'): CompactionRecord {
  return {
    key,
    anchor: `anchor of ${key}`,
    extent: 2,
    length: 3,
    plan: { drop: [{ from: 0, to: 2 }], summaries: [{ insert_after: 1, content }] },
    strategy: 'test',
    reason: 'threshold',
    at_turn: 1,
    kept_from: 2,
    tokens_before: 20,
    tokens_after: 10,
  }
}
