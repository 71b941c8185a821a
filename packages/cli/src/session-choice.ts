import { findSessions } from '@palimpsest/sessions'
import { usageError } from './error-report.ts'
import { plural } from './format-number.ts'
import type { Terminal } from './terminal.ts'

/** How many of the sessions in the home folder are profiled where none is named. */
const newestShown = 3
/** Smaller files hold a few messages: nothing that would ever be compacted. */
const leastBytes = 100_000

/**
 * The files to profile: those named, else the newest sessions of known clients in the home folder, else `fallback`.
 * @throws PalimpsestError `invalid-input` where there is none of these.
 */
export async function chooseSessions(
  named: readonly string[],
  fallback: string | undefined,
  terminal: Terminal,
): Promise<readonly string[]> {
  if (named.length > 0) return named
  const found = await findSessions()
  const large = found.filter((session) => session.bytes >= leastBytes)
  const chosen = (large.length > 0 ? large : found).slice(0, newestShown)
  if (chosen.length > 0) {
    terminal.say(`No file named: the newest ${plural(chosen.length, 'session')} of ${found.length} in the home folder.`)
    return chosen.map((session) => session.path)
  }
  if (fallback === undefined) {
    throw usageError(
      'No FILE was named, and no sessions of Claude Code, Codex or pi are in the home folder.',
      'Name a session file: palimpsest profile FILE…',
    )
  }
  terminal.say(
    'No file named, and no sessions of known clients in the home folder: an example that comes with palimpsest.',
  )
  return [fallback]
}
