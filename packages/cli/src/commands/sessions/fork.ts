import { randomUUID } from 'node:crypto'
import {
  isAbandoned,
  readWholeSession,
  type SessionStore,
  type SessionSummary,
  type WholeSession,
} from '@palimpsest/sessions'
import { PalimpsestError } from 'palimpsest'
import { usageError } from '../../error-report.ts'
import { type ExitCode, exitCode } from '../../exit-code.ts'
import { plural } from '../../format-number.ts'
import { chosenSession } from '../../session-store/chosen-session.ts'
import { type StoreOptions, withSessions } from '../../session-store/opened-store.ts'
import { oneLine } from '../../session-text/plain-text.ts'
import type { Terminal } from '../../terminal.ts'

export interface ForkCommandOptions extends StoreOptions {
  readonly at?: number
  readonly beforeCompaction?: boolean
  readonly beforeTurn?: number
  readonly id?: string
}

/** Copies a session up to a place of it, and prints the id of the copy. */
export async function forkSession(id: string, options: ForkCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const ways = [options.at, options.beforeCompaction, options.beforeTurn].filter((way) => way !== undefined)
  if (ways.length > 1) {
    throw usageError(
      '--at, --before-compaction and --before-turn each name a place.',
      'Name one of them, or none for all of it.',
    )
  }
  if (options.id === '') throw usageError('--id names no session: it is empty.', 'Leave it out, or name one.')
  return withSessions(options, async ({ sessions }) => {
    const origin = await chosenSession(sessions, id)
    const until = ways.length === 0 ? undefined : await placeIn(origin, sessions, options)
    const into = options.id ?? randomUUID()
    await sessions.fork(origin.id, into, until === undefined ? {} : { until })
    const fork = await sessions.find(into)
    terminal.data(`${into}\n`)
    terminal.say(`${oneLine(into)}: ${plural(fork?.messages ?? 0, 'message')} of ${oneLine(origin.id)}`)
    return exitCode.fine
  })
}

/** The first entry that the copy does not have. */
async function placeIn(origin: SessionSummary, sessions: SessionStore, options: ForkCommandOptions): Promise<number> {
  // of a damaged session the entries before the damage can be had, so they are not read
  if (options.at !== undefined) return entryBehind(options.at, origin)
  const session = await readWholeSession(sessions, origin.id)
  if (options.beforeTurn !== undefined) return turnStart(options.beforeTurn, session)
  const last = session.path.compactions.findLast(({ entry }) => entry.type === 'compaction-applied')
  const any = last ?? session.path.compactions.at(-1)
  if (any !== undefined) return any.entry.seq
  throw new PalimpsestError('not-found', `${origin.id} holds no compaction.`, {
    hint: '--at SEQ names an entry; palimpsest sessions show ID --log lists them.',
  })
}

function entryBehind(at: number, { id, entries }: SessionSummary): number {
  if (at >= 1 && at <= entries) return at + 1
  throw usageError(
    `--at: ${id} has the entries 1 to ${entries}, not ${at}.`,
    'palimpsest sessions show ID --log lists them.',
  )
}

function turnStart(turn: number, { entries, snapshot }: WholeSession): number {
  const starts = entries.filter(({ type, seq }) => type === 'turn-started' && !isAbandoned(snapshot.abandoned, seq))
  const start = starts[turn - 1]
  if (start !== undefined) return start.seq
  const has = starts.length === 0 ? 'no turns' : `the turns 1 to ${starts.length}`
  throw usageError(
    `--before-turn: the session has ${has}, so there is no turn ${turn}.`,
    '--at SEQ names an entry instead; sessions of other clients are imported without turns.',
  )
}
