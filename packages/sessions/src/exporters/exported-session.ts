import type { CompactionRecord } from 'palimpsest'
import type { RecordedCall, RecordedCompaction } from '../importers/imported-session.ts'
import type { SessionEntry } from '../log/session-entry.ts'

/** A session as an export needs it: the whole transcript, with what is known of it. */
export interface ExportedSession {
  readonly id: string
  /** Name of the dialect whose items these are. */
  readonly dialect: string
  /** Positions 0, 1, 2 …: system items that lead the request stand in `frame`. */
  readonly items: readonly ExportedItem[]
  /** The request without its items (system, tools, settings), where the session began as one. */
  readonly frame?: unknown
  /** JSON text of a request that these items are the whole of, and the value it was parsed to: so numbers keep their digits. */
  readonly source?: { readonly text: string; readonly value: unknown }
  readonly model?: string
  /** The working folder. */
  readonly cwd?: string
  readonly title?: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly calls: readonly RecordedCall[]
  /** In order. */
  readonly compactions: readonly ExportedCompaction[]
  /** The log itself, where there is one. */
  readonly entries?: readonly SessionEntry[]
}

/** One item of the transcript. */
export interface ExportedItem {
  /** The native item, as it stands in a request body. */
  readonly item: unknown
  /** Milliseconds since the epoch. */
  readonly timestamp?: number
  /** The client wrote this user message by itself. */
  readonly injected?: true
  /** Hash of the log's entry: what is derived from it is the same in every export, and in forks. */
  readonly hash?: string
}

/** A compaction of ours, with the place where it took force; or one that another client made. */
export type ExportedCompaction =
  | {
      readonly kind: 'record'
      /** Items before it had been said. */
      readonly position: number
      readonly record: CompactionRecord
      readonly timestamp?: number
    }
  | (RecordedCompaction & { readonly timestamp?: number })

/** What a session can be written as: a request of any dialect, a session file of two clients, or its own entries. */
export const EXPORT_FORMATS = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'openai-codex',
  'gemini',
  'bedrock-converse',
  'ai-sdk',
  'langchain',
  'claude-code',
  'pi',
  'log',
] as const

/** One of `EXPORT_FORMATS`. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/**
 * Which items: the whole transcript; what the model is sent under the newest record; or the whole transcript with markers
 * where compactions happened, which a client that reads them follows.
 */
export type ExportView = 'transcript' | 'view' | 'full-with-markers'

/** Something that the target could not take, or needed though the session did not have it (`added: …`). */
export interface Loss {
  readonly what: string
  readonly count: number
  /** Positions in the transcript, or in the view where that was asked for, ascending; none for the session as a whole. */
  readonly positions: readonly number[]
}

/** A session as text, and what of it the format had no place for. */
export interface Export {
  /** One JSON document, or one per line, with a newline at the end. */
  readonly text: string
  readonly losses: readonly Loss[]
}
