import { setTimeout as pause } from 'node:timers/promises'

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
  /** Takes the lock where nobody has it; false where somebody does, in this process too. */
  take(name: string, owner: string): Promise<boolean>
  release(name: string, owner: string): Promise<void>
}

/** Milliseconds between two attempts: short at first, because most locks are held for a few. */
const SHORTEST_PAUSE = 2
const LONGEST_PAUSE = 50

/** Locks that ask a keeper until they have it. `owner` gives a name that no other call has. */
export function namedLocks(keeper: LockKeeper, owner: () => string): NamedLocks {
  return {
    async alone(name, run, signal) {
      const me = owner()
      signal?.throwIfAborted()
      for (let wait = SHORTEST_PAUSE; !(await keeper.take(name, me)); wait = Math.min(2 * wait, LONGEST_PAUSE)) {
        await waiting(wait, signal)
      }
      try {
        signal?.throwIfAborted()
        return await run()
      } finally {
        // what could not be released is let go by itself, and must not hide what `run` gave
        await keeper.release(name, me).catch(forget)
      }
    },
  }
}

async function waiting(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(milliseconds, undefined, signal && { signal }).catch(forget)
  signal?.throwIfAborted()
}

function forget(): void {}
