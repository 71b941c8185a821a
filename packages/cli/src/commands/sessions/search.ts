import { type SessionMatch, searchSession } from '@palimpsest/sessions'
import { usageError } from '../../error-report.ts'
import { type ExitCode, exitCode } from '../../exit-code.ts'
import { formatCount } from '../../format-number.ts'
import { progressOf } from '../../progress.ts'
import { allSessions, chosenSession, shortIds } from '../../session-store/chosen-session.ts'
import { type OpenedStore, type StoreOptions, withSessions } from '../../session-store/opened-store.ts'
import { clipped, oneLine } from '../../session-text/plain-text.ts'
import { isoTime, utcMinute } from '../../session-text/utc-time.ts'
import type { Terminal } from '../../terminal.ts'

export interface SearchCommandOptions extends StoreOptions {
  readonly session?: string
  readonly limit: number
  readonly json?: boolean
}

/** Finds messages of all sessions, or of one, whatever left the model's view: the session last used first. */
export async function searchSessions(
  query: string,
  options: SearchCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (query.trim() === '') throw usageError('The query holds no word.', 'palimpsest sessions search "marmalade page 3"')
  const { matches, ids } = await withSessions(options, (opened) => search(query, opened, options, terminal))
  const shown = matches.slice(0, options.limit)
  if (options.json) terminal.data(`${JSON.stringify({ matches: shown.map(matchJson) }, undefined, 2)}\n`)
  else if (shown.length > 0) terminal.data(`${matchesText(shown, ids, terminal.columns)}\n`)
  else terminal.say('No message holds all of these words.')
  if (matches.length > options.limit && !options.json) {
    terminal.say(`The first ${formatCount(options.limit)}; --limit N for more.`)
  }
  return exitCode.fine
}

async function search(
  query: string,
  { sessions }: OpenedStore,
  { session, limit }: SearchCommandOptions,
  terminal: Terminal,
): Promise<{ readonly matches: readonly SessionMatch[]; readonly ids: ReadonlyMap<string, string> }> {
  const all = await allSessions(sessions)
  const searched = session === undefined ? all : [await chosenSession(sessions, session)]
  const progress = progressOf(searched.length, 'searching', terminal)
  const matches: SessionMatch[] = []
  for (const one of searched) {
    progress.next(one.id)
    matches.push(...(await searchSession(sessions, one, query)))
    if (matches.length > limit) break
  }
  progress.done()
  return { matches, ids: shortIds(all.map(({ id }) => id)) }
}

function matchesText(matches: readonly SessionMatch[], ids: ReadonlyMap<string, string>, columns: number): string {
  return matches
    .map(({ session, position, role, at, rewound, excerpt }) => {
      const left = rewound ? '  (left behind by a rewind)' : ''
      const head = `${oneLine(ids.get(session) ?? session)} [${position}] ${role}  ${utcMinute(at)}${left}`
      return `${head}\n  ${clipped(oneLine(excerpt), Math.max(40, 2 * columns - 4))}`
    })
    .join('\n')
}

function matchJson({ at, ...match }: SessionMatch): object {
  return { ...match, at: isoTime(at) }
}
