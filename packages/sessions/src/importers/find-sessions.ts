import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment, SessionPlace } from './client-format.ts'
import { clientFormats } from './client-formats.ts'
import type { ClientFormatName } from './imported-session.ts'

/** A session file on this computer. */
export interface FoundSession {
  readonly path: string
  readonly client: ClientFormatName
  /** Milliseconds since the epoch. */
  readonly modified: number
  readonly bytes: number
}

/**
 * The session files of known clients below a home folder, newest first. The variables by which a client is told another
 * place count here too. Logs of subagents are left out. Folders that cannot be read are passed over; never throws.
 *
 * @example
 * const [newest] = await findSessions()
 * newest?.path
 */
export async function findSessions(
  home: string = homedir(),
  environment: Environment = process.env,
): Promise<FoundSession[]> {
  const places = clientFormats.flatMap(({ name, places }) =>
    (places?.(home, environment) ?? []).map((place): ClientPlace => ({ client: name, ...place })),
  )
  const found = await Promise.all(places.map(sessionsIn))
  return found.flat().sort((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1))
}

async function sessionsIn({ client, folder, depth, isSession }: ClientPlace): Promise<FoundSession[]> {
  const paths = await filesBelow(folder, depth)
  const sessions = await Promise.all(
    paths.filter(({ name }) => isSession(name)).map(({ path }) => sessionAt(path, client)),
  )
  return sessions.filter((session) => session !== undefined)
}

interface ClientPlace extends SessionPlace {
  readonly client: ClientFormatName
}

async function filesBelow(folder: string, depth: number): Promise<{ readonly name: string; readonly path: string }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return depth > 0 ? filesBelow(path, depth - 1) : []
      return [{ name: entry.name, path }]
    }),
  )
  return found.flat()
}

/** A file can vanish between the listing and the look at it. */
async function sessionAt(path: string, client: FoundSession['client']): Promise<FoundSession | undefined> {
  const facts = await stat(path).catch(() => undefined)
  if (facts === undefined || !facts.isFile()) return undefined
  return { path, client, modified: facts.mtimeMs, bytes: facts.size }
}
