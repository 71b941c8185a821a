import { dirname, join } from 'node:path'
import { holdingLock } from './file-lock.ts'
import type { HistoryEntry } from './history-entry.ts'
import { entryMark, freshEntries, historyEntries, historyText } from './history-text.ts'
import type { HistorySession, HistoryStore, StoreCall } from './ports.ts'
import { appendPrivate, makeFolder, readPrivate, storing } from './private-files.ts'
import { safeName } from './safe-name.ts'
import { Turns } from './turns.ts'

/**
 * Keeps the evicted messages of each session as one Markdown file in a folder that only its user can read.
 *
 * @example
 * const history = new DirectoryHistory(folder)
 * history.path('s1')
 */
export class DirectoryHistory implements HistoryStore {
  readonly #folder: string
  /** Appends of one process keep the order in which they were asked for. */
  readonly #turns = new Turns()

  /** `folder` is made when the first entry is written. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * The file of a session, whatever its id: no id leads out of the folder, and no two share a file. A session without a
   * namespace stands in the folder itself.
   */
  path(session: string | HistorySession): string {
    if (typeof session === 'string') return join(this.#folder, `${safeName(session)}.md`)
    return join(this.#folder, safeName(session.namespace), `${safeName(session.session)}.md`)
  }

  /**
   * Appends the entries that the file does not hold yet, in order, and gives the file's path. Appending the same entries
   * again changes nothing, in another process neither.
   * @throws PalimpsestError `effect-failed` when the folder or file cannot be read or written; what stood there stays.
   */
  async append(
    session: string | HistorySession,
    entries: readonly HistoryEntry[],
    call: StoreCall = {},
  ): Promise<string> {
    const path = this.path(session)
    return storing(path, call, () => this.#turns.next(path, () => appendFresh(path, entries, call), call.signal))
  }

  /**
   * The whole file; undefined where there is none.
   * @throws PalimpsestError `effect-failed` when it cannot be read.
   */
  async read(session: string | HistorySession, call: StoreCall = {}): Promise<string | undefined> {
    const path = this.path(session)
    return storing(path, call, () => readPrivate(path))
  }
}

async function appendFresh(path: string, entries: readonly HistoryEntry[], { signal }: StoreCall): Promise<string> {
  if (entries.length === 0) return path
  await makeFolder(dirname(path))
  return holdingLock(
    `${path}.lock`,
    async () => {
      const existing = (await readPrivate(path)) ?? ''
      const fresh = freshEntries(entries, new Set(historyEntries(existing).map(entryMark)))
      signal?.throwIfAborted()
      if (fresh.length > 0) await appendPrivate(path, historyText(fresh, existing))
      return path
    },
    signal,
  )
}
