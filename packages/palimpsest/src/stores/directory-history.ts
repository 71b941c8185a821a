import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PalimpsestError } from '../engine/errors.ts'
import { entryMark, entryMarks, type HistoryEntry } from './history-entry.ts'

/** Keeps the evicted messages of each session as one Markdown file in a folder that only its user can read. */
export class DirectoryHistory {
  readonly #folder: string

  /** `folder` is made when the first entry is written. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The file of a session, whatever its id: no id leads out of the folder, and no two ids share a file. */
  path(session: string): string {
    return join(this.#folder, `${fileName(session)}.md`)
  }

  /**
   * Appends the entries that the file does not hold yet, in order, and gives the file's path. Appending the same entries
   * again changes nothing.
   * @throws PalimpsestError `effect-failed` when the folder or file cannot be written; what stood there stays.
   */
  async append(session: string, entries: readonly HistoryEntry[]): Promise<string> {
    const path = this.path(session)
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const existing = await readFile(path, 'utf8').catch(ifMissing(''))
      const known = entryMarks(existing)
      const fresh = entries.filter((entry) => !known.has(entryMark(entry)))
      if (fresh.length > 0) await appendText(path, textOf(fresh, existing))
      return path
    } catch (cause) {
      throw new PalimpsestError('effect-failed', `The history file ${path} could not be written.`, {
        hint: 'Check that the folder exists or can be made, and that there is room on the disk.',
        cause,
      })
    }
  }
}

async function appendText(path: string, text: string): Promise<void> {
  // a link in the folder must not lead the transcript somewhere else
  const file = await open(
    path,
    constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW,
    0o600,
  )
  try {
    await file.chmod(0o600)
    await file.appendFile(text, 'utf8')
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A torn last line of an earlier run must not swallow the first new mark. */
function textOf(entries: readonly HistoryEntry[], existing: string): string {
  const start = existing === '' || existing.endsWith('\n') ? '' : '\n'
  return start + entries.map((entry) => `${entryMark(entry)}\n${entry.markdown}\n`).join('')
}

const LONGEST_NAME = 100

function fileName(session: string): string {
  const safe = session.replace(/[^A-Za-z0-9_-]/g, (character) => `%${character.codePointAt(0)?.toString(16)}`)
  // capitals too get a digest: some file systems do not tell them from small letters
  if (safe !== '' && safe.length <= LONGEST_NAME && safe === session && !/[A-Z]/.test(safe)) return safe
  const digest = createHash('sha256').update(session).digest('hex').slice(0, 16)
  return `${safe.slice(0, LONGEST_NAME)}~${digest}`
}

function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if ((error as { code?: string }).code === 'ENOENT') return value
    throw error
  }
}
