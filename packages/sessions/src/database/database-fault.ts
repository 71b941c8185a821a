/** Why a database refused, in words that may be told: nothing of what it holds, no user and no password. */
export interface DatabaseFault extends ToldFault {
  readonly kind: keyof typeof FAULTS
}

interface ToldFault {
  /** Goes on behind a colon. */
  readonly what: string
  /** What would help. */
  readonly hint: string
}

/** What an error of a driver, or of the file system, says; undefined where it says nothing that is known. */
export function databaseFault(error: unknown): DatabaseFault | undefined {
  const kind = kindOf(error)
  return kind && { kind, ...FAULTS[kind] }
}

const FAULTS = {
  busy: {
    what: 'another program keeps it locked',
    hint: 'Try again, and end what keeps it locked if that does not help.',
  },
  full: { what: 'its disk is full', hint: 'Make room on its disk. What was there is there still.' },
  forbidden: {
    what: 'it may not be written',
    hint: 'Check that it and its folder are yours and may be written: SQLite makes files beside it, for readers too.',
  },
  damaged: {
    what: 'the file is damaged',
    hint: 'Take a copy of it and of the files beside it, then restore it from a backup.',
  },
  unreadable: {
    what: 'its file cannot be opened or read',
    hint: 'Check that it is a file, that it and its folder are there and yours, and that its disk works.',
  },
  folder: { what: 'it is a folder', hint: 'Name a file in it: it is made where there is none.' },
  version: {
    what: 'its tables are those of another version',
    hint: 'Take them to this version: palimpsest sessions migrate up.',
  },
  gone: {
    what: 'the connection to its server was lost, or none could be made',
    hint: 'Check that the server runs and can be reached; the next call connects again.',
  },
  crowded: {
    what: 'its server takes no more connections',
    hint: 'Let it take more (max_connections), or keep fewer programs and smaller pools on it.',
  },
  refused: {
    what: 'its server does not let this user in, or not do this',
    hint: 'Check user, password and database, and that the user may create and write tables there.',
  },
  standby: {
    what: 'its server takes no writes now: it is a standby, or set to read only',
    hint: 'Name the server that takes writes, or let this one take them (default_transaction_read_only).',
  },
  slow: {
    what: 'its server broke the statement off, because it took too long or waited for others',
    hint: 'Try again, or give it more time (statement_timeout, lock_timeout).',
  },
} as const satisfies Readonly<Record<string, ToldFault>>

type Kind = keyof typeof FAULTS

function kindOf(error: unknown): Kind | undefined {
  if (error instanceof AggregateError) return error.errors.map(kindOf).find((kind) => kind !== undefined)
  const { code, errcode } = Object(error) as { readonly code?: unknown; readonly errcode?: unknown }
  const message = error instanceof Error ? error.message : ''
  if (typeof errcode === 'number') return ofSqlite(SQLITE_NAMES[errcode & 0xff], message)
  if (typeof code !== 'string') return LOST.test(message) ? 'gone' : undefined
  if (code.startsWith('SQLITE_')) return ofSqlite(/^SQLITE_([A-Z]+)/.exec(code)?.[1], message)
  return SYSTEM[code] ?? ofPostgres(code)
}

/** `pg` has no code for these. */
const LOST = /^Connection terminated|^timeout exceeded when trying to connect|not queryable$/

/** https://www.sqlite.org/rescode.html: those that `node:sqlite` gives as numbers. */
const SQLITE_NAMES: Readonly<Record<number, string>> = {
  1: 'ERROR',
  5: 'BUSY',
  6: 'LOCKED',
  8: 'READONLY',
  10: 'IOERR',
  11: 'CORRUPT',
  13: 'FULL',
  14: 'CANTOPEN',
  26: 'NOTADB',
}

const SQLITE: Readonly<Record<string, Kind>> = {
  BUSY: 'busy',
  LOCKED: 'busy',
  READONLY: 'forbidden',
  PERM: 'forbidden',
  AUTH: 'forbidden',
  IOERR: 'unreadable',
  CORRUPT: 'damaged',
  NOTADB: 'damaged',
  FULL: 'full',
  CANTOPEN: 'unreadable',
}

function ofSqlite(name: string | undefined, message: string): Kind | undefined {
  if (name === 'ERROR') return /no such (table|column)|has no column named/.test(message) ? 'version' : undefined
  return name === undefined ? undefined : SQLITE[name]
}

/** Of Node.js. */
const SYSTEM: Readonly<Record<string, Kind>> = {
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  EROFS: 'forbidden',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EISDIR: 'folder',
  ENOTDIR: 'unreadable',
  ENOENT: 'unreadable',
  ELOOP: 'unreadable',
  ECONNREFUSED: 'gone',
  ECONNRESET: 'gone',
  EPIPE: 'gone',
  ETIMEDOUT: 'gone',
  EHOSTUNREACH: 'gone',
  ENETUNREACH: 'gone',
  ENOTFOUND: 'gone',
  EAI_AGAIN: 'gone',
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html, whole codes before classes. */
const POSTGRES: readonly (readonly [start: string, kind: Kind])[] = [
  ['53300', 'crowded'],
  ['53100', 'full'],
  ['57014', 'slow'],
  ['55P03', 'slow'],
  ['40P01', 'slow'],
  ['25P03', 'slow'],
  ['42P01', 'version'],
  ['42703', 'version'],
  ['42501', 'refused'],
  ['3D000', 'refused'],
  ['28', 'refused'],
  ['25006', 'standby'],
  ['08', 'gone'],
  ['57P', 'gone'],
]

function ofPostgres(code: string): Kind | undefined {
  return POSTGRES.find(([start]) => code.startsWith(start))?.[1]
}
