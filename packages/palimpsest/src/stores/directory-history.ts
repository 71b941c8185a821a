import { dirname, join } from 'node:path'
import { holdingLock } from './file-lock.ts'
import type { HistoryEntry } from './history-entry.ts'
import { entryMark, freshEntries, historyEntries, historyText } from './history-text.ts'
import type { HistorySession, HistoryStore, StoreCall } from './ports.ts'
import { appendPrivate, makeFolder, readPrivate, storing } from './private-files.ts'
import { safeName } from './safe-name.ts'

/** Keeps the evicted messages of each session as one Markdown file in a folder that only its user can read. */
export class DirectoryHistory implements HistoryStore {
  readonly #folder: string
  /** The last append to each file: appends of one process keep the order in which they were asked for. */
  readonly #last = new Map<string, Promise<unknown>>()

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
    return this.#inTurn(path, () => storing(path, call, () => appendFresh(path, entries, call)))
  }

  /**
   * The whole file; undefined where there is none.
   * @throws PalimpsestError `effect-failed` when it cannot be read.
   */
  async read(session: string | HistorySession, call: StoreCall = {}): Promise<string | undefined> {
    const path = this.path(session)
    return storing(path, call, () => readPrivate(path))
  }

  #inTurn<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last.get(path) ?? Promise.resolve()).then(run)
    const done = turn.then(forget, forget).then(() => {
      if (this.#last.get(path) === done) this.#last.delete(path)
    })
    this.#last.set(path, done)
    return turn
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

function forget(): void {}
