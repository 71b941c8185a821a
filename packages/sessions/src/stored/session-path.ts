import { isAbandoned, type MessageEntry, messagesOnPath } from '../log/fold-session.ts'
import type {
  CompactionApplied,
  CompactionImported,
  EntryPlace,
  SessionEntry,
  SessionSnapshot,
} from '../log/session-entry.ts'

/** A compaction on the way to the end of a session. */
export interface PathCompaction {
  /** Messages before it. */
  readonly position: number
  readonly entry: EntryPlace & (CompactionApplied | CompactionImported)
}

/** What stands on the way to the end of a session, without what rewinds left behind. */
export interface SessionPath {
  readonly messages: readonly MessageEntry[]
  readonly compactions: readonly PathCompaction[]
}

/** The way through these entries, which are all of a session. */
export function sessionPath(entries: readonly SessionEntry[], snapshot: SessionSnapshot): SessionPath {
  const compactions: PathCompaction[] = []
  let position = 0
  for (const entry of entries) {
    if (isAbandoned(snapshot.abandoned, entry.seq)) continue
    if (entry.type === 'message-appended') position += 1
    if (entry.type === 'compaction-applied' || entry.type === 'compaction-imported')
      compactions.push({ position, entry })
  }
  return { messages: messagesOnPath(entries, snapshot), compactions }
}
