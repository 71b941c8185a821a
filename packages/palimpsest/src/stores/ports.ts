import type { CompactionRecord } from '../engine/record/compaction-record.ts'
import type { HistoryEntry } from './history-entry.ts'
import type { HistorySearch, SearchBounds } from './search-history.ts'

/**
 * Options of every store call. A signal that is aborted makes it reject with the signal's reason before anything is written;
 * what the world refuses is a PalimpsestError `effect-failed`.
 */
export interface StoreCall {
  readonly signal?: AbortSignal
}

/**
 * Compaction records. `root` names a conversation and all of its forks: records of one root are looked through together.
 * A record stays as long as its conversation may continue: losing one is an error, not a cache miss.
 */
export interface RecordStore {
  /** Records of this root, oldest first. */
  list(root: string, call?: StoreCall): Promise<readonly CompactionRecord[]>
  /**
   * Adds a record, once it can be read again. Of two records with one key the first stays, and is what both calls give:
   * two processes that compact the same prefix go on with the same view.
   */
  commit(root: string, record: CompactionRecord, call?: StoreCall): Promise<CompactionRecord>
  /**
   * Runs alone among all that ask for the same root, in whatever process, and gives what `run` gives. Ends with `run`, however
   * that ends; a holder whose process dies lets go by itself. A signal that is aborted ends the waiting, and `run` never
   * begins; once begun, `run` heeds the signal itself. Not to be asked for again from within: that would wait for itself.
   * A process that stood still for seconds may overlap with the next one, so `run` must do no harm when it runs twice.
   */
  alone<Result>(root: string, run: () => Promise<Result>, call?: StoreCall): Promise<Result>
}

/** Originals of offloaded parts. Storing is idempotent: the key comes from namespace and content. */
export interface ArtifactStore {
  /**
   * Gives the key once the content can be read again. Stored well-formed: a lone half of a surrogate pair becomes U+FFFD.
   */
  put(namespace: string, content: string, call?: StoreCall): Promise<string>
  /** Undefined where this namespace has no such artifact, whatever the key looks like. */
  get(namespace: string, key: string, call?: StoreCall): Promise<string | undefined>
}

/** Evicted messages of each session, in order, as Markdown. */
export interface HistoryStore {
  /**
   * Appends the entries that are not there yet, in order; gives the path under which a reader finds them. An entry is known
   * by position and fingerprint, and stands there once however many processes append it.
   */
  append(session: HistorySession, entries: readonly HistoryEntry[], call?: StoreCall): Promise<string>
  /** The history of a session; undefined where there is none. Of a range, at least its entries. */
  read(session: HistorySession, call?: HistoryCall): Promise<string | undefined>
  /**
   * For stores with an index of words: what `searchHistory` finds in the history, at least the positions that hold a word as a
   * whole one. Where it is not there, the history is read and searched.
   */
  search?(session: HistorySession, query: string, call?: SearchCall): Promise<HistorySearch>
}

/** What of a history is read. A store may give more of it than that. */
export interface HistoryCall extends StoreCall {
  /** First position; 0 by default. */
  readonly from?: number
  /** The position before which to stop; by default there is none. */
  readonly to?: number
}

/** How far a search goes, and what ends it. */
export interface SearchCall extends StoreCall, SearchBounds {}

/** Whose history it is: a session is known within its namespace alone. */
export interface HistorySession {
  readonly namespace: string
  readonly session: string
}

/** Limits that providers stated, by (namespace, upstream, model). */
export interface LimitStore {
  /** The limit that is known, unless it was forgotten. */
  get(scope: LimitScope, call?: StoreCall): Promise<LearnedLimit | undefined>
  /** Lowers the limit that is known, or sets it; a higher one changes nothing before the known one is forgotten. */
  learn(scope: LimitScope, limit: LearnedLimit, call?: StoreCall): Promise<void>
}

/** Where a limit holds. */
export interface LimitScope {
  readonly namespace: string
  /** The server: host and port, or a name of the caller's. */
  readonly upstream: string
  readonly model: string
}

/** A limit that a provider stated in a refusal. */
export interface LearnedLimit {
  /** Tokens of the window. */
  readonly window: number
  /** Milliseconds since the epoch at which it was stated. Forgotten after 24 hours, unless configured otherwise. */
  readonly at: number
}

/** Everything a compactor stores with. */
export interface Stores {
  readonly records: RecordStore
  readonly artifacts: ArtifactStore
  readonly history: HistoryStore
  readonly limits: LimitStore
}
