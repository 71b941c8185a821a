import type { SessionStore, SessionSummary } from '@palimpsest/sessions'
import { PalimpsestError } from 'palimpsest'
import { usageError } from '../error-report.ts'

/** No store holds more; a prefix is looked for among all. */
const ALL = Number.MAX_SAFE_INTEGER
/** How many sessions an ambiguous prefix is told to stand for. */
const MOST_NAMED = 4

/**
 * The session of this id, or the only one whose id begins so.
 * @throws PalimpsestError `not-found`; `invalid-input` where several do.
 */
export async function chosenSession(sessions: SessionStore, id: string): Promise<SessionSummary> {
  const exact = await sessions.find(id)
  if (exact !== undefined) return exact
  const all = await sessions.list({ limit: ALL })
  const meant = id === '' ? [] : all.filter((session) => session.id.startsWith(id))
  if (meant.length > 1) throw ambiguous(id, meant)
  return meant[0] ?? (await notThere(id, all))
}

/** Each of these sessions once, in the order given. */
export async function chosenSessions(
  sessions: SessionStore,
  ids: readonly string[],
): Promise<readonly SessionSummary[]> {
  const chosen = new Map<string, SessionSummary>()
  for (const id of ids) {
    const session = await chosenSession(sessions, id)
    chosen.set(session.id, session)
  }
  return [...chosen.values()]
}

export async function allSessions(sessions: SessionStore): Promise<readonly SessionSummary[]> {
  return sessions.list({ limit: ALL })
}

/** The shortest beginnings, of 8 characters or more, that tell these ids apart; of one that begins another, all of it. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...new Set(ids)].sort()
  return new Map(
    sorted.map((id, at) => {
      const shared = Math.max(sharedStart(id, sorted[at - 1]), sharedStart(id, sorted[at + 1]))
      return [id, id.slice(0, Math.max(8, shared + 1))]
    }),
  )
}

function sharedStart(a: string, b = ''): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

function ambiguous(id: string, meant: readonly SessionSummary[]): PalimpsestError {
  const named = meant.slice(0, MOST_NAMED).map((session) => session.id)
  const more = meant.length > MOST_NAMED ? ', …' : ''
  return usageError(
    `"${id}" is the beginning of ${meant.length} sessions: ${named.join(', ')}${more}.`,
    'Give more of the id.',
  )
}

async function notThere(id: string, stored: readonly SessionSummary[]): Promise<never> {
  throw new PalimpsestError('not-found', `There is no session "${id}" in this store.`, {
    hint: await whatThereIs(id, stored),
  })
}

async function whatThereIs(id: string, stored: readonly SessionSummary[]): Promise<string> {
  if (stored.length === 0) return 'The store is empty: palimpsest sessions import FILE puts a session into it.'
  // only who mistypes waits for it
  const { nearestNames } = await import('@palimpsest/agent')
  const near = nearestNames(
    id,
    stored.map((session) => session.id),
  )
  const meant = near.length === 0 ? '' : `Did you mean ${near.join(', or ')}? `
  return `${meant}palimpsest sessions list shows those that there are; --namespace names another owner of sessions.`
}
