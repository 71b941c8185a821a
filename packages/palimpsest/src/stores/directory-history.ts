import { constants } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PalimpsestError } from '../engine/errors.ts'
import type { HistoryEntry } from './history-entry.ts'
import { entryMark, freshEntries, historyEntries, historyText } from './history-text.ts'
import { safeName } from './safe-name.ts'

/** Keeps the evicted messages of each session as one Markdown file in a folder that only its user can read. */
export class DirectoryHistory {
  readonly #folder: string

  /** `folder` is made when the first entry is written. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The file of a session, whatever its id: no id leads out of the folder, and no two ids share a file. */
  path(session: string): string {
    return join(this.#folder, `${safeName(session)}.md`)
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
      const fresh = freshEntries(entries, new Set(historyEntries(existing).map(entryMark)))
      if (fresh.length > 0) await appendText(path, historyText(fresh))
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

function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if ((error as { code?: string }).code === 'ENOENT') return value
    throw error
  }
}
