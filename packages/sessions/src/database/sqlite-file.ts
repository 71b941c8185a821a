import { chmodSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { PalimpsestError } from 'palimpsest'
import type { OpenSqlite, SqliteConnection } from '../sqlite/sqlite-driver.ts'
import { databaseFault } from './database-fault.ts'
import { BUSY_TIMEOUT, runPatiently } from './sqlite-patience.ts'

/** Written into the head of each file, so that no other program's database is taken for one of ours: "Plmp". */
const APPLICATION_ID = 0x506c6d70

/**
 * The database file at an absolute path, made where there is none, for its user alone. What a transaction confirmed survives a
 * loss of power.
 * @throws PalimpsestError `invalid-input` for a file that is no database of ours, `effect-failed` for one that cannot be opened.
 */
export async function openSqliteFile(path: string, open: OpenSqlite): Promise<SqliteConnection> {
  let connection: SqliteConnection | undefined
  try {
    makePrivateFile(path)
    connection = open(path)
    await setUp(connection, path)
    return connection
  } catch (error) {
    connection?.close()
    throw refusal(path, error)
  }
}

/** Before SQLite makes it with the modes of the process. Nothing is opened that is there: closing it would end SQLite's locks. */
function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const { O_CREAT, O_EXCL, O_RDWR } = constants
  try {
    closeSync(openSync(path, O_CREAT | O_EXCL | O_RDWR, 0o600))
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
}

/**
 * Once the file is known to be ours. What stands beside it may have been made with the modes that it had. A file that its user
 * has made read-only stays so.
 */
function keepPrivate(path: string): void {
  for (const part of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      chmodSync(part, statSync(part).mode & 0o600)
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw error
    }
  }
}

async function setUp(connection: SqliteConnection, path: string): Promise<void> {
  await ask(connection, `pragma busy_timeout = ${BUSY_TIMEOUT}`)
  await ask(connection, 'pragma foreign_keys = on')
  await claim(connection, path)
  keepPrivate(path)
  if ((await ask(connection, 'pragma journal_mode')) !== 'wal') await ask(connection, 'pragma journal_mode = wal')
  await ask(connection, 'pragma synchronous = full')
}

async function claim(connection: SqliteConnection, path: string): Promise<void> {
  // in one statement: between two of them another process may have made its tables
  const state = `select case (select application_id from pragma_application_id)
    when ${APPLICATION_ID} then 'ours' when 0 then (select iif(count(*) = 0, 'empty', 'foreign') from sqlite_master)
    else 'foreign' end`
  switch (await ask(connection, state)) {
    case 'ours':
      return
    case 'empty':
      await ask(connection, `pragma application_id = ${APPLICATION_ID}`)
      return
    default:
      throw new ForeignDatabase(path)
  }
}

class ForeignDatabase extends PalimpsestError {
  constructor(path: string) {
    super('invalid-input', `The file ${path} is the database of another program.`, {
      hint: 'Name a file of its own: it is made where there is none.',
    })
  }
}

/** The first value of the first row; undefined where there is none. */
async function ask(connection: SqliteConnection, sql: string): Promise<unknown> {
  const { rows } = await runPatiently(connection, sql)
  return Object.values(rows[0] ?? {})[0]
}

function refusal(path: string, error: unknown): PalimpsestError {
  if (error instanceof PalimpsestError) return error
  if (/not a database/i.test(String(error))) {
    return new PalimpsestError(
      'invalid-input',
      `The file ${path} is no SQLite database, or one whose head is damaged.`,
      {
        hint: 'Name a file of its own: it is made where there is none.',
        cause: error,
      },
    )
  }
  const fault = databaseFault(isFolder(path) ? { code: 'EISDIR' } : error)
  const why = fault === undefined ? '' : `: ${fault.what}`
  const code = fault?.kind === 'damaged' ? 'invalid-input' : 'effect-failed'
  return new PalimpsestError(code, `The database file ${path} cannot be opened${why}.`, {
    hint: fault?.hint ?? UNKNOWN,
    cause: error,
  })
}

const UNKNOWN = 'Check that its folder exists or can be made, that both are yours, and that there is room on the disk.'

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
