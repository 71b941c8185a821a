import { setTimeout as pause } from 'node:timers/promises'
import { Turns } from 'palimpsest/stores'

/** Locks by name, between any processes that use one database. */
export interface NamedLocks {
  /**
   * Runs alone among all that lock the same name. A holder that dies lets go; one that throws too.
   * @throws the reason of the signal, when it is aborted before `run` began.
   */
  alone<Result>(name: string, run: () => Promise<Result>, signal?: AbortSignal): Promise<Result>
}

/** What a kind of database has for it. */
export interface LockKeeper {
  /** Takes the lock where nobody has it; false where somebody does. Asked for one name by one caller at a time. */
  take(name: string, owner: string): Promise<boolean>
  release(name: string, owner: string): Promise<void>
}

/** Milliseconds between two attempts: short at first, because most locks are held for a few. */
const SHORTEST_PAUSE = 2
const LONGEST_PAUSE = 50

/**
 * Locks that ask a keeper until they have it; within this process, those who wait come in the order in which they asked.
 * `owner` gives a name that no other call has.
 */
export function namedLocks(keeper: LockKeeper, owner: () => string): NamedLocks {
  const turns = new Turns()
  return {
    alone: (name, run, signal) =>
      turns.next(name, () => holding(keeper, { name, owner: owner(), signal }, run), signal),
  }
}

async function holding<Result>(keeper: LockKeeper, wanted: WantedLock, run: () => Promise<Result>): Promise<Result> {
  const { name, owner, signal } = wanted
  for (let wait = SHORTEST_PAUSE; !(await keeper.take(name, owner)); wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    await waiting(wait, signal)
  }
  try {
    signal?.throwIfAborted()
    return await run()
  } finally {
    // what could not be released is let go by itself, and must not hide what `run` gave
    await keeper.release(name, owner).catch(forget)
  }
}

interface WantedLock {
  readonly name: string
  readonly owner: string
  readonly signal: AbortSignal | undefined
}

async function waiting(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(milliseconds, undefined, signal && { signal }).catch(forget)
  signal?.throwIfAborted()
}

function forget(): void {}
