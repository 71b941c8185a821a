import { dirname, join } from 'node:path'
import type { CompactionRecord } from '../engine/record/compaction-record.ts'
import { takeLock } from './file-lock.ts'
import { appendJsonLine, readJsonLines } from './json-lines.ts'
import type { RecordStore, StoreCall } from './ports.ts'
import { makeFolder, storing, syncPrivate } from './private-files.ts'
import { safeName } from './safe-name.ts'
import { Turns } from './turns.ts'

/**
 * Keeps the records of each root as one append-only file of JSON lines, written without a lock: the system puts appended lines one behind
 * the other, and of two with one key the first in the file counts, for every reader. So a process may die at any
 * point, and two that compact the same prefix read the same record. (A network file system that does not append
 * atomically needs a database instead.)
 */
export class DirectoryRecords implements RecordStore {
  readonly #folder: string
  /** Within this process nobody asks the disk whether it is his turn. */
  readonly #turns = new Turns()

  constructor(folder: string) {
    this.#folder = folder
  }

  async list(root: string, call?: StoreCall): Promise<readonly CompactionRecord[]> {
    const path = this.#path(root)
    return storing(path, call, () => firstOfEachKey(path))
  }

  async commit(root: string, record: CompactionRecord, call?: StoreCall): Promise<CompactionRecord> {
    const path = this.#path(root)
    return storing(path, call, async () => {
      if ((await find(path, record.key)) !== undefined) await syncPrivate(path)
      else {
        call?.signal?.throwIfAborted()
        await appendJsonLine(path, record)
      }
      const first = await find(path, record.key)
      if (first === undefined) throw new Error('The record is not in the file that it was written to.')
      return first
    })
  }

  alone<Result>(root: string, run: () => Promise<Result>, call?: StoreCall): Promise<Result> {
    const path = `${this.#path(root)}.lock`
    return this.#turns.next(root, () => runLocked(path, run, call), call?.signal)
  }

  #path(root: string): string {
    return join(this.#folder, `${safeName(root)}.jsonl`)
  }
}

/** What the file system refuses is told as such, what `run` throws stays what it is. */
async function runLocked<Result>(path: string, run: () => Promise<Result>, call?: StoreCall): Promise<Result> {
  const lock = await storing(path, call, async () => {
    await makeFolder(dirname(path))
    return takeLock(path, call?.signal)
  })
  try {
    return await run()
  } finally {
    await lock.release()
  }
}

async function find(path: string, key: string): Promise<CompactionRecord | undefined> {
  return (await readJsonLines<CompactionRecord>(path)).find((record) => record.key === key)
}

async function firstOfEachKey(path: string): Promise<readonly CompactionRecord[]> {
  const byKey = new Map<string, CompactionRecord>()
  for (const record of await readJsonLines<CompactionRecord>(path)) {
    if (!byKey.has(record.key)) byKey.set(record.key, record)
  }
  return [...byKey.values()]
}
