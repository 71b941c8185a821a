import type { ImportedSession, SessionFormat } from './imported-session.ts'
import { linesOf, readLines } from './read-lines.ts'
import { ITEMS_KEYS, type RequestDialect } from './request/request-dialect.ts'
import { SessionReader, type SessionReaderOptions } from './session-reader.ts'

/** How a file is read. Everything has a default. */
export interface ImportOptions {
  /**
   * `auto` (the default) goes by the content. A format is read as that: records of others are skipped, and where there
   * is nothing else `invalid-input` says so. The name of a dialect means a plain request of that dialect.
   */
  readonly format?: 'auto' | SessionFormat | RequestDialect
  /** Id of the session to read where a file holds several (a database, a log of runs); absent: the newest. */
  readonly session?: string
  /** Names the dialect of a parsed request body; without it, or where it gives undefined, the body's structure decides. */
  readonly recognise?: (body: unknown) => string | undefined
  /** Called as the file is read, with the bytes read so far. */
  readonly onProgress?: (bytes: number) => void
}

/**
 * Reads a session file of any known client, or a plain request body, from a stream of bytes. Keeps one line and the
 * items in memory. A line that cannot be read is counted in `skipped` and never fails the import; a file without any
 * content of a known format throws `PalimpsestError` with code `invalid-input`. Errors of the source pass through.
 *
 * @example
 * const imported = await importSession(createReadStream('session.jsonl'))
 * imported.items.length
 */
export async function importSession(
  source: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<ImportedSession> {
  const reader = new SessionReader(readerOptions(options))
  let bytes = 0
  const count = (read: number) => {
    bytes += read
    options.onProgress?.(bytes)
  }
  for await (const line of readLines(source, count)) reader.push(line)
  return reader.end(bytes)
}

/**
 * The same for a text that is in memory already.
 *
 * @example
 * importSessionText('{"messages": [{"role": "user", "content": "Hello"}]}').items.length // 1
 */
export function importSessionText(text: string, options: ImportOptions = {}): ImportedSession {
  const reader = new SessionReader(readerOptions(options))
  for (const line of linesOf(text)) reader.push(line)
  const bytes = Buffer.byteLength(text)
  options.onProgress?.(bytes)
  return reader.end(bytes)
}

function readerOptions({ format = 'auto', recognise, session }: ImportOptions): SessionReaderOptions {
  if (format === 'auto') return { recognise, session }
  return isDialect(format) ? { format: 'request', dialect: format, recognise } : { format, recognise, session }
}

function isDialect(format: SessionFormat | RequestDialect): format is RequestDialect {
  return Object.hasOwn(ITEMS_KEYS, format)
}
