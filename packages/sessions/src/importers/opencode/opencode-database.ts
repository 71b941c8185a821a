import { stat } from 'node:fs/promises'
import { PalimpsestError } from 'palimpsest'
import { findSqlite, type SqliteConnection } from '../../sqlite/sqlite-driver.ts'
import type { ReaderOptions, StoredRecord, StoredSession } from '../client-format.ts'
import { type Fields, fieldsOf, textOf } from '../json-fields.ts'
import { parsed } from '../parse-line.ts'
import { isSqliteFile } from '../sqlite-file.ts'

/**
 * The session in a database of opencode: the one that is named, else the newest that is no subagent's. Undefined where the
 * file is no database of it.
 * @throws PalimpsestError `not-found` where there is no SQLite, or no such session.
 */
export async function opencodeDatabase(path: string, { session }: ReaderOptions): Promise<StoredSession | undefined> {
  if (!(await isSqliteFile(path))) return undefined
  const openSqlite = await findSqlite()
  const database = openSqlite(path)
  try {
    // It belongs to another program, which may be running.
    database.prepare('PRAGMA query_only = 1').all([])
    if (!hasTables(database)) return undefined
    const row = sessionRow(database, session, path)
    return { records: row === undefined ? [] : [...recordsOf(database, row)], bytes: (await stat(path)).size }
  } finally {
    database.close()
  }
}

function hasTables(database: SqliteConnection): boolean {
  const sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('session', 'message', 'part')"
  return database.prepare(sql).all([]).length === 3 && columnsOf(database, 'message').has('data')
}

function columnsOf(database: SqliteConnection, table: string): ReadonlySet<unknown> {
  return new Set(
    database
      .prepare(`PRAGMA table_info(${table})`)
      .all([])
      .map((column) => fieldsOf(column).name),
  )
}

function sessionRow(database: SqliteConnection, session: string | undefined, path: string): Fields | undefined {
  if (session !== undefined) {
    const [row] = database.prepare('SELECT * FROM session WHERE id = ?').all([session])
    if (row !== undefined) return fieldsOf(row)
  }
  const columns = columnsOf(database, 'session')
  const time = columns.has('time_updated') ? 'time_updated' : 'rowid'
  const main = columns.has('parent_id') ? 'parent_id IS NOT NULL, ' : ''
  const rows = database.prepare(`SELECT * FROM session ORDER BY ${main}${time} DESC LIMIT 5`).all([]).map(fieldsOf)
  if (session === undefined) return rows[0]
  throw new PalimpsestError('not-found', `There is no session "${session}" in ${path}.`, {
    hint: `Its newest are ${rows.map(({ id }) => String(id)).join(', ')}.`,
  })
}

function* recordsOf(database: SqliteConnection, row: Fields): Generator<StoredRecord> {
  yield { record: infoOf(row), place: 0 }
  const parts = new Map<unknown, unknown[]>()
  for (const part of database.prepare('SELECT * FROM part WHERE session_id = ? ORDER BY id').iterate([row.id])) {
    const { id, message_id: message, session_id: session, data } = fieldsOf(part)
    const of = parts.get(message) ?? []
    of.push(withIds(data, { id, messageID: message, sessionID: session }))
    parts.set(message, of)
  }
  let place = 0
  for (const message of database.prepare('SELECT * FROM message WHERE session_id = ? ORDER BY id').iterate([row.id])) {
    const { id, session_id: session, data } = fieldsOf(message)
    place += 1
    const info = withIds(data, { id, sessionID: session })
    yield { record: info === undefined ? undefined : { info, parts: parts.get(id) ?? [] }, place }
  }
}

/** The JSON of a column with the ids of its row; undefined where it is none. */
function withIds(data: unknown, ids: Fields): Fields | undefined {
  const value = typeof data === 'string' ? parsed(data)?.value : undefined
  return value === undefined ? undefined : { ...fieldsOf(value), ...ids }
}

function infoOf(row: Fields): Fields {
  const revert = typeof row.revert === 'string' ? parsed(row.revert)?.value : undefined
  return {
    id: row.id,
    title: textOf(row.title) ?? '',
    directory: textOf(row.directory) ?? '',
    time: { created: row.time_created, updated: row.time_updated },
    revert,
  }
}
