import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Milliseconds after which a lock was left by a crash: who holds one says every second that he is there. Below the 10 seconds of
 * a store call, so that a crash delays the next call and does not fail it.
 */
const STALE_LOCK = 5000
const RENEWAL = 1000
const LONGEST_PAUSE = 50

/**
 * Runs alone among all processes that lock the same path, however long it takes. The lock is a file: one that its owner could
 * not take away, because the process died, is taken over after five seconds. A process that stood still for longer
 * inside of `run` may overlap with the next one, so what runs here must do no harm when it runs twice.
 */
export async function holdingLock<Result>(
  path: string,
  run: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const lock = await takeLock(path, signal)
  try {
    return await run()
  } finally {
    await lock.release()
  }
}

/** A lock that is held until it is released. */
export interface FileLock {
  /** Never rejects. */
  release(): Promise<void>
}

/** Waits for the lock of this path; the folder must be there. An aborted signal ends the waiting. */
export async function takeLock(path: string, signal?: AbortSignal): Promise<FileLock> {
  const owner = randomUUID()
  let file = await made(path, owner)
  for (let wait = 1; file === undefined; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    if (await isStale(path)) await removeStale(path, owner)
    else await pause(wait, undefined, signal === undefined ? {} : { signal })
    file = await made(path, owner)
  }
  const lock = held(path, owner, file)
  if (signal?.aborted !== true) return lock
  await lock.release()
  throw signal.reason
}

/** The file of a new lock; undefined where another holds it. */
async function made(path: string, owner: string): Promise<FileHandle | undefined> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(owner).catch(async (error) => {
      await file.close()
      throw error
    })
    return file
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return undefined
    throw error
  }
}

function held(path: string, owner: string, file: FileHandle): FileLock {
  // by the open file: the lock of one that took it over is not renewed
  const renewal = setInterval(() => {
    const now = new Date()
    file.utimes(now, now).catch(() => undefined)
  }, RENEWAL)
  renewal.unref()
  return {
    async release() {
      clearInterval(renewal)
      await file.close().catch(() => undefined)
      const holder = await readFile(path, 'utf8').catch(() => undefined)
      if (holder === owner) await rm(path, { force: true }).catch(() => undefined)
    },
  }
}

async function isStale(path: string): Promise<boolean> {
  const info = await stat(path).catch(() => undefined)
  return info !== undefined && Date.now() - info.mtimeMs > STALE_LOCK
}

/** By renaming: of several that saw the same stale lock one gets it, and one that got a fresh lock gives it back. */
async function removeStale(path: string, owner: string): Promise<void> {
  const aside = `${path}.${owner}`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  if (await isStale(aside)) await rm(aside, { force: true })
  else await rename(aside, path)
}
