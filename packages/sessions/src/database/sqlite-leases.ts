import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Kysely } from 'kysely'
import type { LockKeeper } from './named-lock.ts'
import type { LockRow, Tables } from './schema.ts'
import { reading, writing } from './sql-database.ts'
import { digestOf } from './stored-text.ts'

/** Milliseconds that a lock is held without being renewed. */
const LEASE = 10_000
const RENEWED_EVERY = 2000

/**
 * Locks as rows of a SQLite file. A row is renewed while its holder runs; who died lets go at once where it can be seen that
 * his process is gone, else when his lease has run out. So a holder whose process stood still for longer than a lease may
 * overlap with the next one.
 */
export function sqliteLeases({ db, name, now }: LeasedFile): LockKeeper {
  const machine = thisMachine()
  const renewals = new Map<string, NodeJS.Timeout>()
  const expiry = () => now() + LEASE

  async function isHeld(tables: Kysely<Tables>, digest: string): Promise<boolean> {
    const holder = await tables.selectFrom('locks').selectAll().where('digest', '=', digest).executeTakeFirst()
    return holder !== undefined && holder.expires_at > now() && !isGone(holder, machine)
  }

  async function renew(digest: string, owner: string): Promise<void> {
    const mine = db.updateTable('locks').where('digest', '=', digest).where('owner', '=', owner)
    await mine.set({ expires_at: expiry() }).execute()
  }

  return {
    async take(lock, owner) {
      const digest = digestOf(lock)
      // who waits does not keep others from writing
      if (await reading({ db, name }, undefined, () => isHeld(db, digest))) return false
      const row: LockRow = { digest, machine, pid: process.pid, owner, expires_at: expiry() }
      const taken = await writing({ db, name }, undefined, async (trx) => {
        if (await isHeld(trx, digest)) return false
        await trx.replaceInto('locks').values(row).execute()
        return true
      })
      if (!taken) return false
      const renewal = setInterval(() => void renew(digest, owner).catch(forget), RENEWED_EVERY)
      renewals.set(owner, renewal.unref())
      return true
    },
    async release(lock, owner) {
      clearInterval(renewals.get(owner))
      renewals.delete(owner)
      await db.deleteFrom('locks').where('digest', '=', digestOf(lock)).where('owner', '=', owner).execute()
    },
  }
}

interface LeasedFile {
  readonly db: Kysely<Tables>
  /** What of its path may be told. */
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Can it be seen from here that the holder's process has ended? Only from where its number means the same process. */
function isGone({ machine, pid }: LockRow, here: string): boolean {
  if (machine !== here) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH'
  }
}

/** Names the machine since it was started, and where the system has such, the room in which process numbers count. */
function thisMachine(): string {
  const boot = orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
  const room = orNothing(() => readlinkSync('/proc/self/ns/pid'))
  return digestOf(hostname(), boot, room)
}

function orNothing(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

function forget(): void {}
