import type { Dialect, OverflowFacts, Usage } from '../dialects/dialect.ts'
import type { Preset } from '../engine/presets/preset.ts'
import type { CompactionRecord } from '../engine/record/compaction-record.ts'
import type { TokenCount } from '../engine/tokens/ledger.ts'
import type { Stores } from '../stores/ports.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { LimitOptions } from './compaction-limits.ts'
import type { CompactorEvent } from './events.ts'
import type { LearnedState } from './learned-state.ts'

/** How a compactor works. Everything has a default but the wire format. */
export interface CompactorOptions<Request = unknown> extends LimitOptions {
  readonly dialect: Dialect<Request, object>
  /** Default: `palimpsest`. */
  readonly preset?: Preset
  /** Default: extractive, without a model. */
  readonly summarizer?: Summarizer
  /** Where records, artifacts, histories and learned limits are kept. Default: in memory, for as long as the process lives. */
  readonly stores?: Stores
  /** Whose conversations these are: two namespaces never share anything. Default `default`. */
  readonly namespace?: string
  /** The server that answers, for limits that it states. Default `default`. */
  readonly upstream?: string
  /** How the agent can read what was offloaded or evicted. Without one no pointer is ever shown. */
  readonly reader?: Reader
  /** An exact count of a whole request. Asked only near the trigger, unless `counter` is `always`. */
  readonly countTokens?: (request: Request, call: { readonly signal: AbortSignal }) => Promise<number>
  readonly counter?: 'near' | 'always'
  /** Prepare a summary while the agent works, from this share of the trigger on. Default: off. */
  readonly background?: { readonly from: number }
  /**
   * What stores, histories and summaries may hold of the results of tools: `full`, or `compact`: only whether the call failed,
   * and its exit code. Large results are then shortened, never stored. Default `full`.
   */
  readonly toolResults?: 'full' | 'compact'
  /** Put prompt-cache breakpoints where the model's provider caches prompts. Default `auto`. */
  readonly cache?: 'auto' | 'off'
  /** Hears of everything that happens, at once. What it throws is passed over. */
  readonly onEvent?: (event: CompactorEvent) => void
  /** Bounds of what is kept in memory of conversations. Default 256 conversations of 256 MB together. */
  readonly memory?: { readonly conversations?: number; readonly bytes?: number }
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/** What the agent reads stored things with. */
export interface Reader {
  /** The name of its tool; it takes a path of the history, or an `artifact://` reference. */
  readonly tool: string
  /** Further tools that read or search the same. What any of them answers is not stored again: the agent would read in circles. */
  readonly also?: readonly string[]
}

/** What one call says of itself. Everything has a default. */
export interface PrepareOptions {
  /** Names the conversation. Default: it is found by its content. */
  readonly session?: string
  readonly namespace?: string
  /** The server that answers. Default: the compactor's. */
  readonly upstream?: string
  /** Cancels the whole call, a compaction that only it waits for included. */
  readonly signal?: AbortSignal
  /**
   * How far compaction may go for this call: `full`; `without-model` (a client's own summary call: no other model call
   * before it); `recovery` (a call without a history: only an overflow is answered). Default `full`.
   */
  readonly effort?: 'full' | 'without-model' | 'recovery'
  /** Writes the summaries of this call: with this caller's own key, say. Default: the compactor's. */
  readonly summarizer?: Summarizer
  /**
   * What `Prepared.learned` gave for this conversation, by model: taken up where this process does not know the conversation
   * yet. What cannot be read is passed over.
   */
  readonly learned?: Readonly<Record<string, unknown>>
  /**
   * The compaction in force, from a caller who keeps it in a log of his own; null: none is. Then no record is looked for by
   * content, so one that was taken back stays so. Compactions are stored as ever; the next request names the one in force anew.
   */
  readonly record?: CompactionRecord | null
  /**
   * How many of the leading system messages or blocks stay the same from request to request: the prompt-cache breakpoint
   * stands on the last of them. Default: all.
   */
  readonly stableSystem?: number
  /** Counts this request, with this caller's own key. Default: the compactor's counter, where it has one. */
  readonly countTokens?: CompactorOptions['countTokens']
}

/** Keeps the conversations of one wire format inside their windows. */
export interface Compactor<Request> {
  /**
   * The request as it should go out now. The same request twice gives the same bytes and compacts once.
   * @throws ContextOverflowError where the request cannot be made to fit: it would only be refused.
   */
  prepare(request: Request, options?: PrepareOptions): Promise<Prepared<Request>>
  /** The same, compacted whatever its size. */
  compactNow(
    request: Request,
    reason: 'manual' | 'tool',
    options?: PrepareOptions & { readonly focus?: string },
  ): Promise<Prepared<Request>>
  /** The next request of this session is compacted whatever its size (the model asked for it with a tool). */
  requestCompaction(session: string, namespace?: string): void
}

/** One attempt of one model call: what is sent, and what to do with the answer. */
export interface Prepared<Request> {
  readonly request: Request
  /** Is it another request than the one that came in? */
  readonly changed: boolean
  /** Of the request as it goes out. */
  readonly size: TokenCount
  readonly window?: number
  /** The conversation, as the caller named it or as it was found. */
  readonly session: string
  /** The record of the compaction in force. */
  readonly recordId?: string
  /** That record: its plan makes the view of this request. */
  readonly record?: CompactionRecord
  /** Did this call compact? */
  readonly compacted: boolean
  /**
   * Which entries of its history are this conversation's own, and not those of a fork under the same name: the fingerprint at a
   * position, for as long as the conversation is in memory.
   */
  readonly own: (position: number) => string | undefined
  /**
   * Takes a response, or every event of a stream, for its usage. Gives the facts where the answer means that the input was
   * cut or did not fit (a stop reason, a silent overflow): then call `recoverFrom`, or `markOverflow` where the answer was
   * shown already.
   */
  observe(responseOrEvent: unknown): OverflowFacts | undefined
  /** Takes usage that the caller read itself. */
  observeUsage(usage: Usage): void
  /**
   * What is known of this conversation and model beside its records: how usage compares with estimates, what was refused,
   * what came to nothing. JSON, to be kept in the session's state: with it, another process decides as this one would.
   */
  learned(): LearnedState | undefined
  /** The answer is complete: tells its usage to whoever listens. */
  done(): void
  /** Is this failure an overflow? */
  overflow(failure: unknown): OverflowFacts | undefined
  /**
   * The next attempt after a failure: smaller. Undefined where the failure is no overflow: it is the caller's.
   * @throws ContextOverflowError when the ladder is exhausted or the request cannot become smaller.
   */
  recover(failure: unknown): Promise<Prepared<Request> | undefined>
  /** The same for facts that `observe` or `overflow` gave. @throws ContextOverflowError as `recover` does. */
  recoverFrom(facts: OverflowFacts): Promise<Prepared<Request>>
  /** The overflow was seen too late for a retry: the next request of this conversation is compacted before it is sent. */
  markOverflow(facts: OverflowFacts): void
}
