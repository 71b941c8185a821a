import { type SessionFault, sessionFaults } from '@palimpsest/sessions'
import { type ExitCode, exitCode } from '../../exit-code.ts'
import { plural } from '../../format-number.ts'
import { progressOf } from '../../progress.ts'
import { allSessions, chosenSessions } from '../../session-store/chosen-session.ts'
import { type StoreOptions, withSessions } from '../../session-store/opened-store.ts'
import { oneLine } from '../../session-text/plain-text.ts'
import type { Terminal } from '../../terminal.ts'

export interface VerifyCommandOptions extends StoreOptions {
  readonly all?: boolean
  readonly json?: boolean
}

/** Replays sessions, all of them where none is named, and says what is wrong with each. */
export async function verifySessions(
  ids: readonly string[],
  options: VerifyCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  return withSessions(options, async ({ sessions }) => {
    const chosen =
      ids.length > 0 && options.all !== true ? await chosenSessions(sessions, ids) : await allSessions(sessions)
    const progress = progressOf(chosen.length, 'verifying', terminal)
    const json: object[] = []
    let wrong = 0
    for (const summary of chosen) {
      progress.next(summary.id)
      const entries = await sessions.read(summary.id)
      const faults = sessionFaults({ summary, entries, namespace: options.namespace })
      if (faults.length > 0) wrong += 1
      json.push({ id: summary.id, entries: entries.length, messages: summary.messages, faults })
      if (!options.json) terminal.data(`${verdict(summary, entries.length, faults)}\n`)
    }
    progress.done()
    if (options.json) terminal.data(`${JSON.stringify({ sessions: json }, undefined, 2)}\n`)
    if (chosen.length === 0) terminal.say('No sessions.')
    return wrong === 0 ? exitCode.fine : exitCode.wrong
  })
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
