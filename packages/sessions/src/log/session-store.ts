import type { StoreCall } from 'palimpsest'
import type { Checkpoint, EntryPlace, SessionEntry, ToolResultsKept } from './session-entry.ts'

/**
 * Keeps session logs, of one namespace: two namespaces never share anything. Every call is atomic: a process that dies in it
 * leaves what was there, or all of what was asked for. What a call confirmed is there for every reader.
 *
 * What the world refuses is a PalimpsestError `effect-failed`; a session that is not there is `not-found`, a log that went on
 * meanwhile is `conflict`.
 */
export interface SessionStore {
  /**
   * Appends entries, in order: the first one begins a session. The entries must follow the last one that is stored; those
   * that are stored already (equal `seq` and `hash`) are passed over, so a call that was not confirmed can be made again.
   * With `counters` the session's counters are written, in the same step; not where all entries are stored already, since
   * they were written then, and others may have written theirs meanwhile.
   * @throws PalimpsestError `conflict` where another entry has that place, or one is missing before it; `invalid-input` for
   * a session that does not begin with `session-started`.
   */
  append(session: string, entries: readonly SessionEntry[], options?: AppendOptions): Promise<void>
  /** Undefined where there is no such session. */
  find(session: string, call?: StoreCall): Promise<SessionSummary | undefined>
  /** Those that were written to last come first. */
  list(options?: ListOptions): Promise<readonly SessionSummary[]>
  /** Entries of [from, to) of `seq`, in order; by default all. Empty where there is no such session. */
  read(session: string, range?: EntryRange): Promise<readonly SessionEntry[]>
  /** The place of the last entry; undefined where there is no such session. */
  head(session: string, call?: StoreCall): Promise<EntryPlace | undefined>
  /** The newest checkpoint before the entry `before`, by default of all. */
  checkpoint(session: string, options?: StoreCall & { readonly before?: number }): Promise<StoredCheckpoint | undefined>
  /**
   * `message-appended` entries of these positions, as they stand on the way to the entry `until` (exclusive) that passes over
   * the `abandoned` ones. In order of position.
   */
  messages(session: string, wanted: WantedMessages): Promise<readonly StoredMessage[]>
  /**
   * A new session with the entries of another one up to `until` (exclusive; by default all): a copy, so each can be removed
   * alone. Its counters are counted from these entries.
   * @throws PalimpsestError `not-found`; `conflict` where the new id is taken. RangeError for `until` below 2: a session has
   * at least one entry.
   */
  fork(session: string, into: string, options?: StoreCall & { readonly until?: number }): Promise<void>
  /** Removes a session with all that is in it; false where there is none. Records, artifacts and histories stay. */
  remove(session: string, call?: StoreCall): Promise<boolean>
  /**
   * Runs alone among all that lock the same name in this namespace, in any process: others wait. A holder that dies lets go.
   * @throws the reason of the signal, when it is aborted before `run` began.
   */
  alone<Result>(name: string, run: () => Promise<Result>, call?: StoreCall): Promise<Result>
}

export interface AppendOptions extends StoreCall {
  /** The entry that these come after, as their writer knows it: `conflict` where it is not stored as such. */
  readonly after?: Pick<EntryPlace, 'seq' | 'hash'>
  readonly counters?: SessionCounters
}

/** Written once per turn, when it ends; they take the place of those that were there. */
export interface SessionCounters {
  /** Whole input of the last chat call, in tokens. */
  readonly lastInputTokens?: number
  /** Compactions so far. */
  readonly compactions: number
}

/** What a list shows of a session. */
export interface SessionSummary {
  readonly id: string
  readonly dialect: string
  readonly model?: string
  readonly cwd?: string
  readonly title?: string
  readonly toolResults: ToolResultsKept
  /** Milliseconds since the epoch, of the first and the last entry. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly entries: number
  /** Messages of the transcript, without those that a rewind left behind. */
  readonly messages: number
  readonly lastInputTokens?: number
  readonly compactions: number
  /** The session that this one was forked from, and the entry before which it left it: one more than the last one copied. */
  readonly forked?: { readonly from: string; readonly until: number }
}

export interface ListOptions extends StoreCall {
  readonly cwd?: string
  /** The most sessions. Default 1,000. */
  readonly limit?: number
}

export interface EntryRange extends StoreCall {
  readonly from?: number
  readonly to?: number
}

export interface StoredCheckpoint extends EntryPlace {
  readonly state: Checkpoint['state']
}

export interface WantedMessages extends StoreCall {
  /** Ranges [from, to) of positions. */
  readonly positions: readonly { readonly from: number; readonly to: number }[]
  readonly until: number
  readonly abandoned: readonly { readonly from: number; readonly to: number }[]
}

/** One message at its position. */
export interface StoredMessage {
  readonly position: number
  readonly item: unknown
  readonly injected?: true
}
