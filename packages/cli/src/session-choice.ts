import { stat } from 'node:fs/promises'
import { type FoundSession, findSessions, newestSessionsIn } from '@palimpsest/sessions'
import { usageError } from './error-report.ts'
import { plural } from './format-number.ts'
import type { Terminal } from './terminal.ts'

/** How many sessions of the home folder, or of a folder that is named, are profiled. */
const newestShown = 3
/** Smaller files hold a few messages: nothing that would ever be compacted. */
const leastBytes = 100_000

/**
 * The files to profile: those named, with the newest sessions in folders that are; else the newest sessions of known
 * clients in the home folder; else `fallback`.
 * @throws PalimpsestError `invalid-input` where there is none of these.
 */
export async function chooseSessions(
  named: readonly string[],
  fallback: string | undefined,
  terminal: Terminal,
): Promise<readonly string[]> {
  if (named.length > 0) return (await Promise.all(named.map((path) => filesAt(path, terminal)))).flat()
  const found = await findSessions()
  const large = found.filter((session) => session.bytes >= leastBytes)
  const chosen = newestOfEachClient(large.length > 0 ? large : found)
  if (chosen.length > 0) {
    const clients = [...new Set(chosen.map((session) => session.client))].join(', ')
    terminal.say(
      `No file named: ${chosen.length} of ${plural(found.length, 'session')} in the home folder (${clients}).`,
    )
    return chosen.map((session) => session.path)
  }
  if (fallback === undefined) {
    throw usageError(
      'No FILE was named, and no sessions of known clients are in the home folder.',
      'Name a session file: palimpsest profile FILE…',
    )
  }
  terminal.say(
    'No file named, and no sessions of known clients in the home folder: an example that comes with palimpsest.',
  )
  return [fallback]
}

/** The path itself, or the newest sessions where it is a folder. */
async function filesAt(path: string, terminal: Terminal): Promise<readonly string[]> {
  const facts = path === '-' ? undefined : await stat(path).catch(() => undefined)
  if (facts?.isDirectory() !== true) return [path]
  const found = await newestSessionsIn(path, newestShown)
  if (found.length === 0) {
    throw usageError(
      `${path} is a directory, and no sessions of known clients are in it.`,
      'Name a session file: palimpsest profile FILE…',
    )
  }
  terminal.say(`${path} is a directory: its newest ${plural(found.length, 'session')}.`)
  return found
}

/** The newest of each client first, so that none is missed; then the newest of the rest. In both, newest first. */
export function newestOfEachClient(newestFirst: readonly FoundSession[]): readonly FoundSession[] {
  const firsts = newestFirst.filter(
    (session, at) => newestFirst.findIndex(({ client }) => client === session.client) === at,
  )
  const rest = newestFirst.filter((session) => !firsts.includes(session))
  return [...firsts, ...rest].slice(0, newestShown)
}
