import { existsSync } from 'node:fs'
import type { SessionStore } from '@palimpsest/sessions'
import type { SessionDatabase } from '@palimpsest/sessions/database'
import { PalimpsestError } from 'palimpsest'
import { type StorePlace, storePlace } from './store-place.ts'

/** Whose sessions are meant where no namespace is named. */
export const DEFAULT_NAMESPACE = 'default'

/** Which store a command works on, and whose sessions. */
export interface StoreOptions {
  readonly store?: string
  readonly namespace?: string
}

/** A store while a command runs. */
export interface OpenedStore {
  readonly place: StorePlace
  readonly database: SessionDatabase
  readonly sessions: SessionStore
}

/**
 * Runs with the sessions of the store that is meant, and closes it. A store that is not there is made only where `make` says so:
 * a name with a slip in it must not become an empty store.
 * @throws PalimpsestError `not-found`, `effect-failed`.
 */
export async function withSessions<Result>(
  options: StoreOptions,
  run: (opened: OpenedStore) => Promise<Result>,
  { make = false, migrate = true }: { readonly make?: boolean; readonly migrate?: boolean } = {},
): Promise<Result> {
  const place = storePlace(options.store)
  if (!make && place.kind === 'sqlite' && !existsSync(place.url)) throw noStore(place)
  // commands without a store start faster without it
  const { openDatabase } = await import('@palimpsest/sessions/database')
  const database = await openDatabase(place.url, { migrate })
  try {
    return await run({ place, database, sessions: database.sessions(options.namespace ?? DEFAULT_NAMESPACE) })
  } finally {
    await database.close()
  }
}

function noStore({ shown }: StorePlace): PalimpsestError {
  return new PalimpsestError('not-found', `There is no session store at ${shown}.`, {
    hint: 'palimpsest sessions import FILE makes one there; --store (or PALIMPSEST_STORE) names another.',
  })
}
