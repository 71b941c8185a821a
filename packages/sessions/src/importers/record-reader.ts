import type { ImportedSession, SessionFormat } from './imported-session.ts'

/** What a format's reader makes of the records; the line reader adds what was skipped and how much was read. */
export type Transcript = Omit<ImportedSession, 'format' | 'skipped' | 'lines' | 'bytes'>

/**
 * Reads the records of one format, in the order of the file. `read` never throws, whatever the record is: what it does
 * not know it counts as skipped. It keeps only what the transcript needs of a record. `text` is the record's JSON.
 */
export interface RecordReader {
  readonly format: SessionFormat
  read(record: unknown, line: number, text: string): void
  finish(): Transcript
}
