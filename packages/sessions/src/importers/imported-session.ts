import type { Usage } from 'palimpsest'

/** The formats of session files that can be read. */
export type SessionFormat = ClientFormatName | 'request'

/** The clients whose sessions can be read. */
export type ClientFormatName =
  | 'claude-code'
  | 'codex'
  | 'pi'
  | 'gemini-cli'
  | 'opencode'
  | 'copilot-cli'
  | 'openhands'
  | 'swe-agent'
  | 'tau-bench'
  | 'langsmith'

/** One item of an imported transcript: native, in the dialect of the session, with what the file says about it. */
export interface ImportedItem {
  /** The native item, as it would stand in a request body. */
  readonly item: unknown
  /**
   * 1-based line of the file it came from (the first, where several lines make one item). In a file that is one JSON
   * document it is the number of the message or event in it, in a database or folder that of the record.
   */
  readonly line: number
  /** Milliseconds since the epoch. */
  readonly timestamp?: number
  /** The client wrote this user message by itself (a skill's text, what a hook said): it was sent, but is not the user's words. */
  readonly injected?: true
}

/** One model call that the file records. */
export interface RecordedCall {
  /** How many items of the transcript stood before the answer: the answer begins at this position. */
  readonly position: number
  readonly usage?: Usage
  readonly model?: string
  readonly timestamp?: number
}

/** One compaction that the client itself made. */
export interface RecordedCompaction {
  /** The transcript position at which it happened: items before it had been said. */
  readonly position: number
  readonly trigger: 'auto' | 'manual' | 'unknown'
  /** `summary`: history was replaced. `micro`: old tool results were blanked, or old messages left out, without a summary. `opaque`: encrypted, cannot be read. */
  readonly kind: 'summary' | 'micro' | 'opaque'
  readonly tokensBefore?: number
  readonly tokensAfter?: number
  /** Position of the first older item that the client kept in view behind its summary, where the file names one. */
  readonly keptFrom?: number
  /** The client's summary, where it can be read. It is no item of the transcript. */
  readonly summary?: string
}

/** Lines (messages of a document, records of a database) that were not imported, by reason, with the first few numbers of each. */
export type SkippedLines = Readonly<Record<string, { readonly count: number; readonly lines: readonly number[] }>>

/**
 * A session file, read: the whole transcript as native items of one dialect. What the client's own compactions replaced
 * is there in its original form; their summaries are not items but `compactions`.
 */
export interface ImportedSession {
  readonly format: SessionFormat
  /** Name of the dialect whose items these are: `anthropic-messages`, `openai-responses`, … */
  readonly dialect: string
  readonly id?: string
  readonly cwd?: string
  readonly title?: string
  /** The model of the last recorded call. */
  readonly model?: string
  /** The window the client recorded, in tokens. */
  readonly window?: number
  readonly items: readonly ImportedItem[]
  readonly calls: readonly RecordedCall[]
  readonly compactions: readonly RecordedCompaction[]
  /**
   * For a plain request: the whole body, so that system, tools and unknown fields survive. For a session of which the
   * system prompt or the tools are known: its last request as far as the file records it. It tells system messages that
   * items begin with from the rest.
   */
  readonly request?: unknown
  /**
   * JSON text of that body as it stood in the file, so that numbers keep their digits: a line or document of its own, or a
   * list of messages without the rest; messages on lines of their own are put together.
   */
  readonly requestText?: string
  readonly skipped: SkippedLines
  /** Lines read and bytes read. */
  readonly lines: number
  readonly bytes: number
}
