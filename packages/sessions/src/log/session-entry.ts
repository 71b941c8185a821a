import type { CompactionRecord, Usage } from 'palimpsest'

/**
 * One entry of a session log. Entries are only ever appended: what a session is follows from them alone. JSON, and the same
 * in every store.
 */
export type SessionEntry = EntryPlace & EntryBody

/** Where an entry stands. */
export interface EntryPlace {
  /** 1 for the first entry of a session, then one more each. */
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /**
   * SHA-256 over the hash before it and the entry itself, 64 hexadecimal digits: equal hashes, equal logs up to here. A fork
   * has the hashes of its origin.
   */
  readonly hash: string
}

/** What an entry says. */
export type EntryBody =
  | SessionStarted
  | TurnStarted
  | MessageAppended
  | ActionRequested
  | ActionCompleted
  | CompactionApplied
  | CompactionImported
  | DisplaySegment
  | UsageRecorded
  | TurnEnded
  | Rewound
  | Checkpoint

/** The first entry, and no other. */
export interface SessionStarted {
  readonly type: 'session-started'
  /** The wire format of the items: the name of a dialect. */
  readonly dialect: string
  readonly model?: string
  /** The working folder. */
  readonly cwd?: string
  readonly title?: string
  /**
   * How results of tools are kept: as they are, or as tool, status and exit code alone. Those of tools that the provider itself
   * runs stay as they are: it may want them back unchanged.
   */
  readonly toolResults: ToolResultsKept
  /** The request without its items (system, tools, settings), where the session began as one. */
  readonly frame?: unknown
  /** Where the session was imported from: a format, and the id that it had there. */
  readonly imported?: { readonly format: string; readonly id?: string }
}

/** How results of tools are kept: whole, or as tool, status and exit code. */
export type ToolResultsKept = 'full' | 'compact'

/** Somebody asked for something; the turn goes on until control returns to them. */
export interface TurnStarted {
  readonly type: 'turn-started'
}

/** The next item of the transcript. */
export interface MessageAppended {
  readonly type: 'message-appended'
  /** The number of items before it on the way to this entry. */
  readonly position: number
  /** The native item, as it stands in a request body. */
  readonly item: unknown
  /** The client wrote this user message by itself. */
  readonly injected?: true
}

/** Something with an effect is about to run: a tool, a summary by a model, the storing of an artifact. */
export interface ActionRequested {
  readonly type: 'action-requested'
  /** Names this action in its session; of tools the call id. An id may come again once the action has completed. */
  readonly action: string
  readonly kind: ActionKind
  /** What runs: the tool, the summariser's model, the store. */
  readonly name: string
  /** Its input, where a replay needs it; what a message holds already is not told again. */
  readonly input?: unknown
}

/** What has an effect outside of the log. */
export type ActionKind = 'tool' | 'summarize' | 'store'

/** It ran, or did not. `interrupted`: the process ended before it did. */
export interface ActionCompleted {
  readonly type: 'action-completed'
  readonly action: string
  readonly status: 'ok' | 'failed' | 'interrupted'
  /** What a replay takes instead of running it again; what a message or record holds already is not told again. */
  readonly output?: unknown
}

/** From here on the view is that of this record: its plan, verbatim, is in force. */
export interface CompactionApplied {
  readonly type: 'compaction-applied'
  readonly record: CompactionRecord
}

/** A compaction that another client made, in an imported session: it happened, and changes nothing. */
export interface CompactionImported {
  readonly type: 'compaction-imported'
  readonly trigger: 'auto' | 'manual' | 'unknown'
  /** `opaque`: encrypted, only its place is known. */
  readonly kind: 'summary' | 'micro' | 'opaque'
  readonly tokensBefore?: number
  readonly tokensAfter?: number
  readonly keptFrom?: number
  readonly summary?: string
}

/**
 * What the user saw and the transcript does not tell: it is shown again when the session is replayed on a screen, and is no
 * message.
 */
export interface DisplaySegment {
  readonly type: 'display-segment'
  readonly role: 'assistant' | 'notice'
  readonly text: string
}

/** What one model call cost. */
export interface UsageRecorded {
  readonly type: 'usage-recorded'
  /** `chat`: a step of the conversation. `summarize`: a summary. `sub-agent`: a step of another conversation that this one began. */
  readonly purpose: 'chat' | 'summarize' | 'sub-agent'
  readonly usage: Usage
  readonly model?: string
  /** What `prepared.learned()` of the compactor gave: the newest of each model counts. */
  readonly learned?: unknown
}

/** Control is back with whoever asked. `interrupted`: the process ended before the turn did. */
export interface TurnEnded {
  readonly type: 'turn-ended'
  readonly outcome: 'answered' | 'failed' | 'cancelled' | 'interrupted'
}

/**
 * The session goes on from where it was after the entry `to`: what came behind it left the transcript, stays in the log, and
 * still counts as used. Nothing runs any more. To an entry that an earlier rewind left behind, it brings back what led there.
 * Where it goes back before the last checkpoint, another one stands right behind it.
 */
export interface Rewound {
  readonly type: 'rewound'
  readonly to: number
}

/** All that a fold needs of the entries before, save the items: reading on begins here. */
export interface Checkpoint {
  readonly type: 'checkpoint'
  readonly state: SessionSnapshot
}

/** What the entries up to one of them say, save the items. JSON, and of bounded size. */
export interface SessionSnapshot {
  readonly started: SessionStarted
  /** Items of the transcript: positions 0 to `length - 1`. */
  readonly length: number
  /** The record in force: its plan makes the view. */
  readonly record?: CompactionRecord
  /** Turns so far; the last of them may be open. */
  readonly turn: number
  readonly turnOpen: boolean
  /** Requested, and not completed. */
  readonly running: readonly RunningAction[]
  /** `sub-agent` where there was one. */
  readonly usage: Readonly<Record<'chat' | 'summarize', UsageTotal>> & { readonly 'sub-agent'?: UsageTotal }
  /** Whole input of the last chat call, whether or not a rewind left it behind. */
  readonly lastInputTokens?: number
  /** Compactions of this session that were applied, those of abandoned branches included. */
  readonly compactions: number
  /** What was learned of each model, newest. */
  readonly learned: Readonly<Record<string, unknown>>
  /** Entries that rewinds left behind, as ranges [from, to) of `seq`, in order. */
  readonly abandoned: readonly { readonly from: number; readonly to: number }[]
}

/** An action that was requested and has not completed. */
export interface RunningAction {
  readonly action: string
  readonly kind: ActionKind
  readonly name: string
}

export interface UsageTotal extends Usage {
  readonly calls: number
}
