import type { SessionEntry, SessionStore, SessionSummary } from '@palimpsest/sessions'
import type { Dialect } from 'palimpsest'
import { clipped, oneLine } from '../session-text/plain-text.ts'
import { replaySession } from './replay-session.ts'

/**
 * What a person knows a session by: its title, else what they said first in it, else its id. A conversation is stored before
 * its first word is said, so it has no title.
 */
export async function sessionLabel(
  { id, title }: SessionSummary,
  sessions: SessionStore,
  dialect: Dialect<unknown, object>,
): Promise<string> {
  if (title !== undefined) return title
  const messages = (await sessions.read(id, { to: FIRST_ENTRIES })).filter(isMessage)
  const said = replaySession(messages, dialect).find(({ kind }) => kind === 'user')
  return said?.kind === 'user' ? clipped(oneLine(said.text), LONGEST) : id
}

function isMessage(entry: SessionEntry): entry is Extract<SessionEntry, { type: 'message-appended' }> {
  return entry.type === 'message-appended'
}

/** Among which the first message stands. */
const FIRST_ENTRIES = 8
const LONGEST = 60
