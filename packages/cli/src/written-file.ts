import { readFile, writeFile } from 'node:fs/promises'
import { PalimpsestError } from 'palimpsest'
import { usageError } from './error-report.ts'

/** Writes a file that the user named. @throws PalimpsestError `effect-failed` that names it. */
export async function writeNamedFile(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text)
  } catch (cause) {
    throw new PalimpsestError('effect-failed', `${path} cannot be written: ${reason(cause)}.`, {
      hint: 'Name a file in a folder that exists and may be written to.',
      cause,
    })
  }
}

/** Text of a small file that the user named. @throws PalimpsestError `invalid-input` that names it. */
export async function readNamedFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw usageError(`${path} cannot be read: ${reason(cause)}.`, 'Check the path.', cause)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it is not permitted',
  EPERM: 'it is not permitted',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is no directory',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}

/** What the system said of a file or stream, in words. */
export function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? (error instanceof Error ? error.message : String(error))
}
