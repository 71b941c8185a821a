import { open } from 'node:fs/promises'

/** Does the file begin as a SQLite database? False where it cannot be read; never throws. */
export async function isSqliteFile(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined)
  try {
    const beginning = await file?.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0)
    return beginning !== undefined && isSqliteText(beginning.buffer.toString('latin1'))
  } catch {
    return false
  } finally {
    await file?.close()
  }
}

/** Is this the beginning of a SQLite database, read as a text? */
export function isSqliteText(opening: string): boolean {
  return opening.startsWith(MAGIC)
}

const MAGIC = 'SQLite format 3\0'
