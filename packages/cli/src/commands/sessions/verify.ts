import { type SessionFault, type SessionStore, type SessionSummary, sessionFaults } from '@palimpsest/sessions'
import type { RowFault } from '@palimpsest/sessions/database'
import { PalimpsestError } from 'palimpsest'
import { type ExitCode, exitCode } from '../../exit-code.ts'
import { plural } from '../../format-number.ts'
import { progressOf } from '../../progress.ts'
import { allSessions, chosenSessions } from '../../session-store/chosen-session.ts'
import {
  DEFAULT_NAMESPACE,
  type OpenedStore,
  type StoreOptions,
  withSessions,
} from '../../session-store/opened-store.ts'
import { oneLine } from '../../session-text/plain-text.ts'
import type { Terminal } from '../../terminal.ts'

export interface VerifyCommandOptions extends StoreOptions {
  readonly all?: boolean
  readonly json?: boolean
}

/**
 * Replays sessions and says what is wrong with each; where none is named all of them, and whatever else the store holds.
 */
export async function verifySessions(
  ids: readonly string[],
  options: VerifyCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  return withSessions(options, async (opened) => {
    const all = ids.length === 0 || options.all === true
    const { database, sessions, place } = opened
    // first: what is damaged as a whole may not be readable in parts
    const rows = all ? await database.verify() : []
    if (rows.length > 0 && !options.json) terminal.data(`${storeVerdict(place.shown, rows)}\n`)
    const chosen = all ? await listed(sessions, rows) : await chosenSessions(sessions, ids)
    const progress = progressOf(chosen.length, 'verifying', terminal)
    const json: object[] = []
    let wrong = rows.length
    for (const summary of chosen) {
      progress.next(summary.id)
      const { entries, faults } = await faultsIn(summary, opened, options)
      if (faults.length > 0) wrong += 1
      json.push({ id: summary.id, entries, messages: summary.messages, faults })
      if (!options.json) terminal.data(`${verdict(summary, entries, faults)}\n`)
    }
    progress.done()
    if (options.json)
      terminal.data(`${JSON.stringify({ sessions: json, ...(all && { store: rows }) }, undefined, 2)}\n`)
    if (chosen.length === 0) terminal.say('No sessions.')
    return wrong === 0 ? exitCode.fine : exitCode.wrong
  })
}

/** All sessions; none where so much is damaged that they cannot be listed. */
async function listed(sessions: SessionStore, damaged: readonly RowFault[]): Promise<readonly SessionSummary[]> {
  return allSessions(sessions).catch((error: unknown) => {
    if (damaged.length > 0 && error instanceof PalimpsestError) return []
    throw error
  })
}

/** Of one session: of its rows, and where they can be read, of what its entries say. */
async function faultsIn(
  summary: SessionSummary,
  { sessions, database }: OpenedStore,
  { namespace }: VerifyCommandOptions,
): Promise<{ readonly entries: number; readonly faults: readonly SessionFault[] }> {
  const { id } = summary
  const found: SessionFault[] = []
  try {
    const rows = await database.verify({ namespace: namespace ?? DEFAULT_NAMESPACE, id })
    found.push(...rows.map(({ row, what }) => ({ what: row === undefined ? what : `${row}: ${what}` })))
    const entries = await sessions.read(id)
    return { entries: entries.length, faults: [...found, ...sessionFaults({ summary, entries, namespace })] }
  } catch (error) {
    // what cannot be read is told like what is wrong, and does not keep the others from being looked at
    if (!(error instanceof PalimpsestError)) throw error
    return { entries: summary.entries, faults: found.length > 0 ? found : [{ what: error.message }] }
  }
}

function storeVerdict(store: string, rows: readonly RowFault[]): string {
  const lines = rows.map(
    ({ table, row, what }) => `  ${oneLine([table, row].filter(Boolean).join(' '))}: ${oneLine(what)}`,
  )
  return [`${store}: ${plural(rows.length, 'fault')}`, ...lines].join('\n')
}

function verdict(
  { id, messages, compactions }: { readonly id: string; readonly messages: number; readonly compactions: number },
  entries: number,
  faults: readonly SessionFault[],
): string {
  const found = faults.length === 0 ? 'sound' : plural(faults.length, 'fault')
  const counts = [plural(entries, 'entry', 'entries'), plural(messages, 'message'), plural(compactions, 'compaction')]
  const lines = faults.map(({ seq, what }) => `  ${seq === undefined ? '' : `entry ${seq}: `}${oneLine(what)}`)
  return [`${oneLine(id)}: ${counts.join(', ')}, ${found}`, ...lines].join('\n')
}
