import type { ClientFormatName } from './imported-session.ts'
import type { Fields } from './json-fields.ts'
import type { RecordReader } from './record-reader.ts'
import type { SkipTally } from './skip-tally.ts'

/**
 * What is known of the sessions of one client. Its folder gives one of these, `client-formats.ts` lists it: detection,
 * reading, messages of errors and the search for sessions go by that list.
 */
export interface ClientFormat {
  readonly name: ClientFormatName
  /** What people call the client: `Claude Code`. */
  readonly client: string
  /** Is this a line of its session log, by fields that lines of no other format have? Must not throw. */
  readonly isLine?: (record: Fields) => boolean
  /** Is this one whole session (or list of sessions) as one JSON document? Must not throw. */
  readonly isDocument?: (value: unknown) => boolean
  /** Is this a piece of its document that says something by itself? Where a document is damaged, its whole pieces are read. */
  readonly isPiece?: (record: Fields) => boolean
  /** Takes lines, documents and pieces. */
  readonly reader: (skipped: SkipTally, options: ReaderOptions) => RecordReader
  /** Where the client keeps sessions on this computer. */
  readonly places?: (home: string, environment: Environment) => readonly SessionPlace[]
  /** The session at a path that is not one text: a database, a folder of files. Undefined: the path is none of this format. */
  readonly stored?: (path: string, options: ReaderOptions) => Promise<StoredSession | undefined>
}

/** What a reader is told beside the records. */
export interface ReaderOptions {
  /** Id of the session to read where a file holds several; absent: the newest, or what the format has in its place. */
  readonly session?: string | undefined
}

/** Variables of the environment, by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A folder with sessions of a client in it. */
export interface SessionPlace {
  readonly folder: string
  /** Folders between this one and the files. */
  readonly depth: number
  /** Is the file of this name a session? */
  readonly isSession: (name: string) => boolean
}

/** A session that is kept in more than one text, as records for the format's reader. */
export interface StoredSession {
  readonly records: AsyncIterable<StoredRecord> | Iterable<StoredRecord>
  /** Bytes that were read, or the size of the database. */
  readonly bytes: number
}

/** One record, with its place: 1-based number in the order in which records are read. */
export interface StoredRecord {
  readonly record: unknown
  readonly place: number
}
