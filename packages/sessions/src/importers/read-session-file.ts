import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { PalimpsestError } from 'palimpsest'
import { clientFormats, clientNames } from './client-formats.ts'
import { type ImportOptions, importSession } from './import-session.ts'
import type { ImportedSession } from './imported-session.ts'
import { SessionReader } from './session-reader.ts'
import { isSqliteFile } from './sqlite-file.ts'

/** What to read instead of a file: standard input. */
const STANDARD_INPUT = '-'

/**
 * Reads a session file from disk, or from standard input where the path is `-`. Throws `PalimpsestError`:
 * `effect-failed` where the file or database cannot be read, `invalid-input` where it is a directory, empty, no JSON, or of no known
 * format.
 *
 * @example
 * const { dialect, items } = await readSessionFile('session.jsonl')
 */
export async function readSessionFile(
  path: string,
  options: ImportOptions & { readonly standardInput?: AsyncIterable<Uint8Array> } = {},
): Promise<ImportedSession> {
  if (path === STANDARD_INPUT) {
    return named('standard input', () => importSession(options.standardInput ?? process.stdin, options))
  }
  const stored = await named(path, () => importStored(path, options))
  if (stored !== undefined) return stored
  await mustBeText(path)
  return named(path, () => importSession(createReadStream(path, { highWaterMark: CHUNK_BYTES }), options))
}

/** The session where a client keeps it in a database or in many files. */
async function importStored(path: string, { format = 'auto', session, onProgress }: ImportOptions) {
  const wanted = clientFormats.filter(({ name }) => format === 'auto' || format === name)
  for (const { name, stored } of wanted) {
    const found = await stored?.(path, { session })
    if (found === undefined) continue
    const reader = new SessionReader({ format: name, session })
    for await (const { record, place } of found.records) reader.pushRecord(name, record, place)
    onProgress?.(found.bytes)
    return reader.end(found.bytes)
  }
  return undefined
}

async function mustBeText(path: string): Promise<void> {
  const found = await named(path, () => stat(path))
  if (await isSqliteFile(path)) {
    throw new PalimpsestError('invalid-input', `${path} is a database, and none with sessions of a known client.`, {
      hint: `Known are ${clientNames()}.`,
    })
  }
  if (!found.isDirectory()) return
  throw new PalimpsestError('invalid-input', `${path} is a directory.`, { hint: 'Name one session file in it.' })
}

/** The same errors, with the name of what was read in front. */
async function named<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof PalimpsestError) {
      const hint = error.hint === undefined ? {} : { hint: error.hint }
      throw new PalimpsestError(error.code, `${name}: ${error.message}`, { cause: error, ...hint })
    }
    throw new PalimpsestError('effect-failed', `${name}: ${reasonOf(error)}`, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'nested too deeply to be read (more than a few thousand levels).'
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'there is no such file.'
  if (code === 'EACCES' || code === 'EPERM') return 'no permission to read it.'
  return error instanceof Error ? error.message : String(error)
}

const CHUNK_BYTES = 256 * 1024
