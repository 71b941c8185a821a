import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Stores } from 'palimpsest'
import { directoryStores } from 'palimpsest/stores/node'
import { usageError } from '../error-report.ts'
import { databasePlace, type StorePlace } from '../session-store/store-place.ts'

/** Where a proxy keeps what outlives a request. */
export interface ProxyStores {
  /** Undefined: in memory, where nobody else could read it. */
  readonly stores: Stores | undefined
  /** The private file of the secret that namespaces are derived under; undefined where there is no place for one. */
  readonly secretFile: string | undefined
  close(): Promise<void>
}

/**
 * Opens what `--store` names: `memory`, a database, or a folder.
 * @throws PalimpsestError `invalid-input` for a file that is no database, `effect-failed` for a database that cannot be used.
 */
export async function openProxyStores(store: string): Promise<ProxyStores> {
  if (store === 'memory') return { stores: undefined, secretFile: undefined, close: async () => {} }
  const place = databasePlace(store)
  if (place !== undefined) return databaseStores(place)
  const folder = resolve(store)
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw usageError(`--store: ${folder} is a file.`, `Name a folder, or say sqlite:${store} where it is a database.`)
  }
  return { stores: directoryStores(folder), secretFile: join(folder, 'secret'), close: async () => {} }
}

async function databaseStores({ kind, url }: StorePlace): Promise<ProxyStores> {
  const { openDatabase } = await import('@palimpsest/sessions/database')
  const database = await openDatabase(url)
  return {
    stores: database.stores,
    // A server is shared by machines, and its backups go far: the secret is not kept beside what it protects.
    secretFile: kind === 'sqlite' ? `${url}.secret` : undefined,
    close: () => database.close(),
  }
}
