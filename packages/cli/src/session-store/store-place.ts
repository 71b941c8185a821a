import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { usageError } from '../error-report.ts'

/** A database that a user named. */
export interface StorePlace {
  readonly kind: 'sqlite' | 'postgres'
  /** What opens it: the absolute path of a file, or the URL of a server, which may hold a password. */
  readonly url: string
  /** What may be shown: as it was named, without a password. */
  readonly shown: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The store that is meant: the one that is named, else `PALIMPSEST_STORE`, else a file in the user's data folder.
 * @throws PalimpsestError `invalid-input` for a URL of another kind.
 */
export function storePlace(named: string | undefined, env: Environment = process.env): StorePlace {
  const where = named ?? (env.PALIMPSEST_STORE || undefined)
  if (where === undefined) return sqlitePlace(join(dataFolder(env), 'palimpsest', 'sessions.db'))
  return databasePlace(where) ?? sqlitePlace(where === '' ? refuse('""', 'names no store') : refuseOtherUrl(where))
}

/** The database that these words clearly mean; undefined for any other path. */
export function databasePlace(where: string): StorePlace | undefined {
  if (/^postgres(ql)?:(?!\/\/)/i.test(where)) refuse(withoutPassword(where), 'is no URL: // belongs behind the colon')
  if (/^postgres(ql)?:\/\//i.test(where)) return { kind: 'postgres', url: where, shown: withoutPassword(where) }
  if (/^sqlite:/i.test(where)) return sqlitePlace(sqliteFile(where))
  return /\.db$/i.test(where) && !isUrl(where) ? sqlitePlace(where) : undefined
}

/** `sqlite:FILE`, `sqlite:///absolute/file`. */
function sqliteFile(where: string): string {
  const path = where.slice('sqlite:'.length).replace(/^\/\/(?=\/|[A-Za-z]:)/, '')
  if (/^\/\/[^/]/.test(path) && /^sqlite:\/\/[^/]/i.test(where))
    refuse(withoutPassword(where), 'names a host, and SQLite is a file')
  return path === '' ? refuse(JSON.stringify(where), 'names no file') : path
}

function sqlitePlace(path: string): StorePlace {
  return { kind: 'sqlite', url: resolve(path), shown: path }
}

function refuseOtherUrl(where: string): string {
  return isUrl(where) ? refuse(withoutPassword(where), 'is the URL of no store that is known') : where
}

function refuse(where: string, why: string): never {
  throw usageError(`--store: ${where} ${why}.`, 'Accepted are a file, sqlite:FILE and postgres://USER@HOST/DATABASE.')
}

/** Two letters or more: a letter and a colon is a drive of Windows. */
function isUrl(where: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(where)
}

/** The same URL with nothing secret in it; of one that cannot be read, its scheme. */
export function withoutPassword(text: string): string {
  const [scheme] = text.split(':')
  if (!/^[^:]*:\/\/[^/]/.test(text)) return `${scheme}:…`
  try {
    const url = new URL(text)
    const port = url.port === '' ? '' : `:${url.port}`
    const user = url.username === '' ? '' : `${url.username}@`
    return `${url.protocol}//${user}${url.hostname}${port}${url.pathname}`
  } catch {
    return `${scheme}://…`
  }
}

function dataFolder(env: Environment): string {
  if (env.XDG_DATA_HOME) return env.XDG_DATA_HOME
  if (process.platform === 'win32' && env.LOCALAPPDATA) return env.LOCALAPPDATA
  return join(env.HOME || homedir(), '.local', 'share')
}
