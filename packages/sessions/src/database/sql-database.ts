import type { Kysely, Transaction } from 'kysely'
import { PalimpsestError, type StoreCall } from 'palimpsest'
import { databaseFault } from './database-fault.ts'
import type { NamedLocks } from './named-lock.ts'
import type { Tables } from './schema.ts'

/** What stands behind the address. */
export type DatabaseKind = 'sqlite' | 'postgres'

/** An open database: what every store in it works with. */
export interface SqlDatabase {
  readonly db: Kysely<Tables>
  readonly kind: DatabaseKind
  /** The path, or the address without user and password: what may be told. */
  readonly name: string
  readonly locks: NamedLocks
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Runs one call of a store that only reads, on a connection of the pool.
 * @throws PalimpsestError `effect-failed` for whatever the database refuses; the signal's own reason when aborted.
 */
export function reading<Result>(
  { db, name }: Pick<SqlDatabase, 'db' | 'name'>,
  call: StoreCall | undefined,
  run: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return asking(name, call, () => run(db))
}

/**
 * Runs one call of a store in a transaction: what it writes is there as a whole when this resolves, and not at all when it
 * rejects. In SQLite nobody else writes meanwhile.
 * @throws PalimpsestError `effect-failed` for whatever the database refuses; the signal's own reason when aborted.
 */
export function writing<Result>(
  { db, name }: Pick<SqlDatabase, 'db' | 'name'>,
  call: StoreCall | undefined,
  run: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return asking(name, call, () =>
    db.transaction().execute((trx) => {
      // the connection may have been waited for
      call?.signal?.throwIfAborted()
      return run(trx)
    }),
  )
}

/**
 * Runs what asks the database of this name.
 * @throws PalimpsestError `effect-failed` for whatever it refuses; the signal's own reason when aborted.
 */
export async function asking<Result>(
  name: string,
  call: StoreCall | undefined,
  run: () => Promise<Result>,
): Promise<Result> {
  call?.signal?.throwIfAborted()
  try {
    return await run()
  } catch (cause) {
    if (call?.signal?.aborted === true) throw call.signal.reason
    if (cause instanceof PalimpsestError || isOurs(cause)) throw cause
    throw refusedBy(name, cause)
  }
}

function refusedBy(name: string, cause: unknown): PalimpsestError {
  const fault = databaseFault(cause)
  const why = fault === undefined ? '' : `: ${fault.what}`
  return new PalimpsestError('effect-failed', `The database ${name} could not be read or written${why}.`, {
    hint: fault?.hint ?? UNKNOWN,
    cause: withoutRows(cause),
  })
}

const UNKNOWN =
  'Check that it can be reached, that it was migrated by this version, and that there is room on its disk.'

/** Drivers throw such errors too, but with a code. */
function isOurs(error: unknown): boolean {
  return (error instanceof RangeError || error instanceof TypeError) && !('code' in error)
}

/** PostgreSQL tells the row that it refused: what a transcript holds has no place in a log. */
function withoutRows(cause: unknown): unknown {
  if (typeof cause === 'object' && cause !== null) {
    for (const field of ['detail', 'where', 'internalQuery']) if (field in cause) Reflect.deleteProperty(cause, field)
  }
  return cause
}
