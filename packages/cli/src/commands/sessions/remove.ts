import type { SessionSummary } from '@palimpsest/sessions'
import { usageError } from '../../error-report.ts'
import { type ExitCode, exitCode } from '../../exit-code.ts'
import { plural } from '../../format-number.ts'
import { chosenSessions } from '../../session-store/chosen-session.ts'
import { type StoreOptions, withSessions } from '../../session-store/opened-store.ts'
import { oneLine } from '../../session-text/plain-text.ts'
import type { Terminal } from '../../terminal.ts'

export interface RemoveCommandOptions extends StoreOptions {
  readonly yes?: boolean
}

/** Removes sessions for good, after a person said so. All ids are looked up before anything is removed. */
export async function removeSessions(
  ids: readonly string[],
  options: RemoveCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  return withSessions(options, async ({ sessions, place }) => {
    const chosen = await chosenSessions(sessions, ids)
    if (options.yes !== true && !(await agreed(chosen, place.shown, terminal))) {
      terminal.say('Nothing was removed.')
      return exitCode.fine
    }
    for (const { id } of chosen) {
      await sessions.remove(id)
      terminal.say(`removed ${oneLine(id)}`)
    }
    return exitCode.fine
  })
}

async function agreed(chosen: readonly SessionSummary[], store: string, terminal: Terminal): Promise<boolean> {
  const messages = chosen.reduce((sum, session) => sum + session.messages, 0)
  const what = `${plural(chosen.length, 'session')} with ${plural(messages, 'message')}`
  if (!terminal.keyboard) {
    throw usageError(`${what} would be removed from ${store}, and nobody is there to ask.`, 'Add --yes.')
  }
  for (const { id, title } of chosen) terminal.say(`${oneLine(id)}  ${oneLine(title ?? '')}`.trimEnd())
  return /^\s*y(es)?\s*$/i.test(await terminal.ask(`Remove ${what} from ${store}, for good? [y/N] `))
}
