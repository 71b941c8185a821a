import type { Generated } from 'kysely'

/**
 * The tables, as the newest migration leaves them, in SQLite and PostgreSQL alike.
 *
 * - A column named `…digest` names something of any length by `digestOf`, so that every key has a bounded size.
 * - Ids and texts go through `storedText` and `textOf`: neither store holds every JavaScript string as it is.
 * - JSON stands as text: `jsonb` would change numbers and the order of keys.
 * - Times, token counts and windows are doubles: exactly the numbers that JavaScript has.
 */
export interface Tables {
  sessions: SessionRow
  entries: EntryRow
  records: RecordRow
  artifacts: ArtifactRow
  histories: HistoryRow
  history_entries: HistoryEntryRow
  limits: LimitRow
  locks: LockRow
}

/** One session. What grows with every append is read from its entries; only the counters stand here. */
export interface SessionRow {
  /** Names the session in `entries`; never given again. */
  number: Generated<number>
  /** Of namespace and id. */
  digest: string
  /** Of the namespace: sessions of one namespace are listed by it. */
  namespace_digest: string
  namespace: string
  id: string
  /** What its first entry says. */
  dialect: string
  model: string | null
  cwd: string | null
  title: string | null
  tool_results: string
  created_at: number
  /** The session that it was forked from, and the entry before which it left that one. */
  forked_from: string | null
  forked_until: number | null
  /** Written once per turn, when it ends. */
  last_input_tokens: number | null
  compactions: Generated<number>
}

/** One entry; the key is (session, seq), and entries leave with their session. */
export interface EntryRow {
  session: number
  seq: number
  at: number
  hash: string
  type: string
  /** Of messages alone. */
  position: number | null
  /** Of the transcript after this entry. */
  messages: number
  /** JSON of the entry without its place. */
  body: string
}

/** One compaction record, in the order of `number`. */
export interface RecordRow {
  number: Generated<number>
  /** Of root and key. */
  digest: string
  root_digest: string
  root: string
  key: string
  /** JSON. */
  record: string
}

/** One stored original; the key is (namespace_digest, key). */
export interface ArtifactRow {
  namespace_digest: string
  namespace: string
  key: string
  content: string
}

/** One history: what its entries have in common. */
export interface HistoryRow {
  number: Generated<number>
  /** Of namespace and session. */
  digest: string
  namespace: string
  session: string
}

/** One evicted message, once per (history, position, fingerprint), in the order of `number`. */
export interface HistoryEntryRow {
  number: Generated<number>
  history: number
  position: number
  fingerprint: string
  markdown: string
}

/** What a provider stated; the lowest that is not forgotten counts. */
export interface LimitRow {
  /** Of namespace, upstream and model. */
  digest: string
  namespace: string
  upstream: string
  model: string
  size: number
  at: number
}

/** Who runs alone under a name, in SQLite. (PostgreSQL has advisory locks.) */
export interface LockRow {
  /** Of the name. */
  digest: string
  /** Machine, process, and the call. */
  machine: string
  pid: number
  owner: string
  expires_at: number
}
