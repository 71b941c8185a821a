import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The files of a SQLite database as a process leaves them that dies now: the system keeps what was written, and locks end.
 * Only for a process that nobody shares the database with: reading its files ends its own locks too.
 */
export class FilesLeft {
  readonly #path: string
  readonly #folder: string

  constructor(path: string, folder: string) {
    this.#path = path
    this.#folder = folder
  }

  /** Copies them, once where nothing was written since; gives the path of the copy. */
  copy(): string {
    const files = ['', '-wal'].flatMap((suffix) => {
      const path = `${this.#path}${suffix}`
      return existsSync(path) ? [{ suffix, bytes: readFileSync(path) }] : []
    })
    const hash = createHash('sha256')
    for (const { suffix, bytes } of files) hash.update(`${suffix} ${bytes.length}\n`).update(bytes)
    const copy = join(this.#folder, `${hash.digest('hex').slice(0, 16)}.db`)
    if (!existsSync(copy)) for (const { suffix, bytes } of files) writeFileSync(`${copy}${suffix}`, bytes)
    return copy
  }
}
