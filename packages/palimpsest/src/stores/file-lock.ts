import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Milliseconds after which a lock was left by a crash: what it guards takes milliseconds. Below the 10 seconds of a store
 * call, so that a crash delays the next call and does not fail it.
 */
const STALE_LOCK = 5000
const LONGEST_PAUSE = 50

/**
 * Runs alone among all processes that lock the same path. The lock is a file: one that its owner could not take away, because
 * the process died, is taken over after five seconds. A process that stood still for longer inside of `run` may
 * overlap with the next one, so what runs here must do no harm when it runs twice.
 */
export async function holdingLock<Result>(
  path: string,
  run: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const owner = randomUUID()
  for (let wait = 1; !(await take(path, owner)); wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    if (await isStale(path)) await removeStale(path, owner)
    else await pause(wait, undefined, signal === undefined ? {} : { signal })
  }
  try {
    signal?.throwIfAborted()
    return await run()
  } finally {
    await release(path, owner)
  }
}

async function take(path: string, owner: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(owner).finally(() => file.close())
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false
    throw error
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

async function release(path: string, owner: string): Promise<void> {
  const holder = await readFile(path, 'utf8').catch(() => undefined)
  if (holder === owner) await rm(path, { force: true }).catch(() => undefined)
}
