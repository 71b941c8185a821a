import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PalimpsestError } from 'palimpsest'
import type { ReaderOptions, StoredRecord, StoredSession } from '../client-format.ts'
import { type Fields, fieldsOf, isFields } from '../json-fields.ts'
import { parsed } from '../parse-line.ts'

/**
 * The session in the folder `storage` of older versions: that of a file `session/<project>/<id>.json`, or of the folder
 * itself the one that is named, else the newest that is no subagent's. Ids come from the paths. Undefined where the path is
 * none of these.
 * @throws PalimpsestError `not-found` where there is no such session.
 */
export async function opencodeStorage(path: string, { session }: ReaderOptions): Promise<StoredSession | undefined> {
  const file = (await isSessionFile(path)) ? path : await sessionFileIn(path, session)
  if (file === undefined) return undefined
  const records: StoredRecord[] = [{ record: await storedFields(file, { id: idOf(file) }), place: 0 }]
  const storage = dirname(dirname(dirname(file)))
  const read = { bytes: 0 }
  for (const message of await filesIn(join(storage, 'message', idOf(file)))) {
    const info = await storedFields(message, { id: idOf(message), sessionID: idOf(file) }, read)
    const files = await filesIn(join(storage, 'part', idOf(message)))
    const parts = await Promise.all(
      files.map((part) =>
        storedFields(part, { id: idOf(part), messageID: idOf(message), sessionID: idOf(file) }, read),
      ),
    )
    records.push({ record: info === undefined ? undefined : { info, parts }, place: records.length })
  }
  return { records, bytes: read.bytes }
}

async function isSessionFile(path: string): Promise<boolean> {
  const folder = dirname(dirname(path))
  if (!path.endsWith('.json') || basename(folder) !== 'session') return false
  return isFolder(join(dirname(folder), 'message', idOf(path)))
}

/** `path` may be the folder `storage`, or the one that it is in. */
async function sessionFileIn(path: string, session: string | undefined): Promise<string | undefined> {
  for (const storage of [path, join(path, 'storage')]) {
    if (!(await isFolder(join(storage, 'session'))) || !(await isFolder(join(storage, 'message')))) continue
    const newest = await newestFirst(join(storage, 'session'))
    if (session === undefined) return newest[0]
    const named = newest.find((file) => idOf(file) === session)
    if (named !== undefined) return named
    throw new PalimpsestError('not-found', `There is no session "${session}" in ${path}.`, {
      hint: `Its newest are ${newest.slice(0, 5).map(idOf).join(', ')}.`,
    })
  }
  return undefined
}

async function newestFirst(folder: string): Promise<string[]> {
  const projects = await readdir(folder).catch((): string[] => [])
  const files = (await Promise.all(projects.map((project) => filesIn(join(folder, project))))).flat()
  const sessions = await Promise.all(
    files.map(async (file) => {
      const info = fieldsOf(await storedFields(file, {}))
      const updated = Number(fieldsOf(info.time).updated) || 0
      return { file, updated, isMain: info.parentID === undefined }
    }),
  )
  const order = sessions.toSorted((a, b) => Number(b.isMain) - Number(a.isMain) || b.updated - a.updated)
  return order.map(({ file }) => file)
}

/** JSON files of a folder in the order of their names, which sort by time; none where there is no such folder. */
async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => [])
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name))
}

/** The JSON object of a file, with these ids; undefined where it cannot be read. */
async function storedFields(file: string, ids: Fields, read?: { bytes: number }): Promise<Fields | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  if (read !== undefined) read.bytes += Buffer.byteLength(text)
  const value = parsed(text)?.value
  return isFields(value) ? { ...value, ...ids } : undefined
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}

function idOf(file: string): string {
  return basename(file, '.json')
}
