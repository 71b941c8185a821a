import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { PalimpsestError } from 'palimpsest'
import { type ImportOptions, importSession } from './import-session.ts'
import type { ImportedSession } from './imported-session.ts'

/** What to read instead of a file: standard input. */
const STANDARD_INPUT = '-'

/**
 * Reads a session file from disk, or from standard input where the path is `-`. Throws `PalimpsestError`:
 * `effect-failed` where the file cannot be read, `invalid-input` where it is a directory, empty, no JSON, or of no known
 * format.
 */
export async function readSessionFile(
  path: string,
  options: ImportOptions & { readonly standardInput?: AsyncIterable<Uint8Array> } = {},
): Promise<ImportedSession> {
  if (path === STANDARD_INPUT) {
    return named('standard input', () => importSession(options.standardInput ?? process.stdin, options))
  }
  await mustBeFile(path)
  return named(path, () => importSession(createReadStream(path, { highWaterMark: CHUNK_BYTES }), options))
}

async function mustBeFile(path: string): Promise<void> {
  const found = await named(path, () => stat(path))
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
