import type { SessionStore } from '@palimpsest/sessions'
import { PalimpsestError } from 'palimpsest'
import { usageError } from '../error-report.ts'
import { chosenSession } from '../session-store/chosen-session.ts'
import type { AgentFlags } from './agent-flags.ts'

/** The session that an agent works in: a new one, perhaps of a given id, or a stored one. */
export type SessionOfRun = { readonly session?: string } | { readonly resume: string }

/**
 * What `--session` and `--resume` ask for, in this folder.
 * @throws PalimpsestError `not-found` for a session to resume that is not there.
 */
export async function sessionOfRun(
  { session, resume }: Pick<AgentFlags, 'session' | 'resume'>,
  { sessions, cwd }: { readonly sessions: SessionStore; readonly cwd: string },
): Promise<SessionOfRun> {
  if (session === '') throw usageError('--session names no session.', 'It wants the id of a new or a stored one.')
  if (session !== undefined) return (await sessions.find(session)) === undefined ? { session } : { resume: session }
  if (resume === undefined) return {}
  if (typeof resume === 'string') return { resume: (await chosenSession(sessions, resume)).id }
  const [newest] = await sessions.list({ cwd, limit: 1 })
  if (newest === undefined) {
    throw new PalimpsestError('not-found', `No session of ${cwd} is stored.`, {
      hint: 'palimpsest sessions list shows those of other folders; --resume ID takes one of them.',
    })
  }
  return { resume: newest.id }
}
