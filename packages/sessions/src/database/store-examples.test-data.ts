import type { CompactionRecord, HistoryEntry } from 'palimpsest'

/** A record of which only the key and the text of its summary matter. */
export function exampleRecord(key: string, content = 'summary'): CompactionRecord {
  return {
    key,
    anchor: `anchor of ${key}`,
    extent: 4,
    length: 6,
    plan: { drop: [{ from: 0, to: 4 }], summaries: [{ insert_after: 3, content }] },
    strategy: 'test',
    reason: 'threshold',
    at_turn: 2,
    kept_from: 4,
    tokens_before: 400,
    tokens_after: 40,
  }
}

/** The only version of a position. */
export function exampleEntry(position: number, markdown: string): HistoryEntry {
  return { position, fingerprint: 'a'.repeat(16), markdown }
}
