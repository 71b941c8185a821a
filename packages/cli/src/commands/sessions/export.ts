import {
  clientFile,
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportView,
  exportedOfLog,
  exportSession,
  type Loss,
} from '@palimpsest/sessions'
import { PalimpsestError } from 'palimpsest'
import { type ExitCode, exitCode } from '../../exit-code.ts'
import { formatCount, plural } from '../../format-number.ts'
import { chosenSession } from '../../session-store/chosen-session.ts'
import { type StoreOptions, withSessions } from '../../session-store/opened-store.ts'
import { oneLine } from '../../session-text/plain-text.ts'
import type { Terminal } from '../../terminal.ts'
import { writeNamedFile } from '../../written-file.ts'

export interface ExportCommandOptions extends StoreOptions {
  readonly format?: ExportFormat
  readonly view?: ExportView
  readonly out?: string
}

/**
 * Writes a session as a request, as another client's session file, or as its log; in its own wire format where none is named.
 * What the target cannot hold is told on standard error.
 */
export async function exportStored(id: string, options: ExportCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const session = await withSessions(options, async ({ sessions }) => {
    const chosen = await chosenSession(sessions, id)
    return exportedOfLog(chosen.id, await sessions.read(chosen.id))
  })
  const format = options.format ?? ownFormat(session.dialect)
  const { text, losses } = exportSession(session, format, options.view === undefined ? {} : { view: options.view })
  if (options.out === undefined || options.out === '-') terminal.data(text)
  else await writeNamedFile(options.out, text)
  terminal.say(`${oneLine(session.id)}: ${plural(session.items.length, 'message')} as ${format}`)
  for (const loss of losses) terminal.say(`  ${lossLine(loss)}`)
  const place = format === 'claude-code' || format === 'pi' ? clientFile(session, format) : undefined
  // entries do not say under which id they stand
  if (format === 'log')
    terminal.say(`  into another store: palimpsest sessions import --id ${shellWord(session.id)} FILE`)
  if (place !== undefined) terminal.say(`  to go on with it there, write it to ~/${oneLine(place)}`)
  return exitCode.fine
}

function shellWord(text: string): string {
  return /^[\w.:-]+$/.test(text) ? text : `'${oneLine(text).replaceAll("'", `'\\''`)}'`
}

function lossLine({ what, count, positions }: Loss): string {
  const most = 8
  const shown = positions.slice(0, most).join(', ')
  const where = positions.length === 0 ? '' : ` (message ${shown}${positions.length > most ? ', …' : ''})`
  return oneLine(`${formatCount(count)} × ${what}${where}`)
}

function ownFormat(dialect: string): ExportFormat {
  const format = EXPORT_FORMATS.find((name) => name === dialect)
  if (format !== undefined) return format
  throw new PalimpsestError('invalid-input', `The wire format ${dialect} is not known here.`, {
    hint: 'Name another one with --format; log writes the entries as they are.',
  })
}
