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

/** How a store is opened. */
export interface OpeningStore {
  /** Make it where it is not there: else a name with a slip in it would become an empty store. Default false. */
  readonly make?: boolean
  /** Default true. */
  readonly migrate?: boolean
  /** Where its place is named, where the options do not. Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * Runs with the sessions of the store that is meant, and closes it.
 * @throws PalimpsestError `not-found`, `effect-failed`.
 */
export async function withSessions<Result>(
  options: StoreOptions,
  run: (opened: OpenedStore) => Promise<Result>,
  opening: OpeningStore = {},
): Promise<Result> {
  const opened = await openStore(options, opening)
  try {
    return await run(opened)
  } finally {
    await opened.database.close()
  }
}

/** Opens the store that is meant; whoever opens it closes its database. @throws PalimpsestError `not-found`, `effect-failed`. */
export async function openStore(
  options: StoreOptions,
  { make = false, migrate = true, env = process.env }: OpeningStore = {},
): Promise<OpenedStore> {
  const place = storePlace(options.store, env)
  if (!make && place.kind === 'sqlite' && !existsSync(place.url)) throw noStore(place)
  // commands without a store start faster without it
  const { openDatabase } = await import('@palimpsest/sessions/database')
  const database = await openDatabase(place.url, { migrate })
  return { place, database, sessions: database.sessions(options.namespace ?? DEFAULT_NAMESPACE) }
}

function noStore({ shown }: StorePlace): PalimpsestError {
  return new PalimpsestError('not-found', `There is no session store at ${shown}.`, {
    hint: 'palimpsest sessions import FILE makes one there; --store (or PALIMPSEST_STORE) names another.',
  })
}
