import type { SessionSummary } from '@palimpsest/sessions'
import { type ExitCode, exitCode } from '../../exit-code.ts'
import { formatCount, formatShort } from '../../format-number.ts'
import { shortIds } from '../../session-store/chosen-session.ts'
import { type StoreOptions, withSessions } from '../../session-store/opened-store.ts'
import { clipped, oneLine } from '../../session-text/plain-text.ts'
import { summaryJson } from '../../session-text/summary-json.ts'
import { utcMinute } from '../../session-text/utc-time.ts'
import type { Terminal } from '../../terminal.ts'
import { columns } from '../../text-columns.ts'

export interface ListCommandOptions extends StoreOptions {
  readonly cwd?: string
  readonly limit: number
  readonly json?: boolean
}

/** Prints the sessions of a store, the last used first. */
export async function listSessions(options: ListCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { cwd, limit } = options
  const found = await withSessions(options, ({ sessions }) =>
    sessions.list({ limit: limit + 1, ...(cwd !== undefined && { cwd }) }),
  )
  const listed = found.slice(0, limit)
  if (options.json) terminal.data(`${JSON.stringify({ sessions: listed.map(summaryJson) }, undefined, 2)}\n`)
  else if (listed.length > 0) terminal.data(`${sessionTable(listed, terminal.columns)}\n`)
  else terminal.say(cwd === undefined ? 'No sessions.' : `No sessions of the folder ${cwd}.`)
  if (found.length > limit && !options.json) terminal.say(`The newest ${formatCount(limit)}; --limit N for more.`)
  return exitCode.fine
}

const TITLES = ['id', 'last entry (UTC)', 'messages', 'input', 'compactions', 'model', 'title']
const SIDES = ['left', 'left', 'right', 'right', 'right', 'left', 'left'] as const

/** The title has what the other columns leave of the line, and 20 characters where that is less. */
export function sessionTable(listed: readonly SessionSummary[], width: number): string {
  const short = shortIds(listed.map(({ id }) => id))
  const rows = listed.map((session) => [
    oneLine(short.get(session.id) ?? session.id),
    utcMinute(session.updatedAt),
    formatCount(session.messages),
    session.lastInputTokens === undefined ? '-' : formatShort(session.lastInputTokens),
    formatCount(session.compactions),
    oneLine(session.model ?? '-'),
    oneLine(session.title ?? '-'),
  ])
  const used =
    columns(
      [TITLES, ...rows].map((row) => [...row.slice(0, -1), '|']),
      SIDES,
    ).split('\n')[0]?.length ?? 0
  const room = Math.max(20, width - used + 1)
  return columns([TITLES, ...rows.map((row) => row.with(-1, clipped(row.at(-1) ?? '', room)))], SIDES)
}
