import { stat } from 'node:fs/promises'
import { findSessions, type ImportedSession, type SessionStore } from '@palimpsest/sessions'
import { PalimpsestError } from 'palimpsest'
import { readSession, refuseEmpty } from '../../conversation-input.ts'
import { inFile, inputName, refuseTooDeep, reportError, usageError } from '../../error-report.ts'
import { type ExitCode, exitCode } from '../../exit-code.ts'
import { plural } from '../../format-number.ts'
import type { FormatName } from '../../option-values.ts'
import { type Progress, progressOf } from '../../progress.ts'
import { type StoreOptions, withSessions } from '../../session-store/opened-store.ts'
import { type StoredImport, storeImport } from '../../session-store/stored-import.ts'
import { oneLine } from '../../session-text/plain-text.ts'
import type { Terminal } from '../../terminal.ts'

export interface ImportCommandOptions extends StoreOptions {
  readonly format: FormatName
  readonly allFound?: boolean
  readonly id?: string
  /** The one to read where a file holds several. */
  readonly session?: string
  readonly json?: boolean
}

/** Puts session files into a store. A file that cannot be read does not stop the others. */
export async function importSessions(
  named: readonly string[],
  options: ImportCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const files = await filesOf(named, options)
  return withSessions(
    options,
    async ({ sessions, place }) => {
      const progress = progressOf(files.length, 'importing', terminal)
      const json: object[] = []
      let code: ExitCode = exitCode.fine
      for (const file of files) {
        progress.next(file)
        try {
          const done = await refuseTooDeep(file, () => importFile(file, sessions, { options, terminal, progress }))
          json.push(importJson(done))
          if (!options.json) terminal.data(`${importLine(done)}\n`)
        } catch (error) {
          if (!(error instanceof PalimpsestError)) throw error
          code = reportError(error, terminal)
        }
      }
      progress.done()
      if (options.json) terminal.data(`${JSON.stringify({ store: place.shown, imports: json }, undefined, 2)}\n`)
      else terminal.say(`store: ${place.shown}`)
      return code
    },
    { make: true },
  )
}

async function filesOf(named: readonly string[], { allFound, id }: ImportCommandOptions): Promise<readonly string[]> {
  const found = allFound ? (await findSessions()).map(({ path }) => path).toReversed() : []
  const files = [...new Set([...named, ...found])]
  if (files.length === 0) {
    throw usageError(
      allFound ? 'No sessions of known clients are in the home folder.' : 'No FILE was named.',
      'palimpsest sessions import FILE…, or --all-found for those in the home folder.',
    )
  }
  if (id !== undefined && files.length > 1) throw usageError('--id names one session.', 'Name one FILE with it.')
  return files
}

interface ImportedFile extends StoredImport {
  readonly file: string
  readonly session: ImportedSession
}

async function importFile(
  file: string,
  sessions: SessionStore,
  { options, terminal, progress }: { options: ImportCommandOptions; terminal: Terminal; progress: Progress },
): Promise<ImportedFile> {
  const name = inputName(file)
  const size = file === '-' ? undefined : await stat(file).catch(() => undefined)
  const bytes = file === '-' ? await terminal.input() : undefined
  const session = await readSession(file, bytes, options.format, {
    onProgress: (read) => progress.share(read / (size?.size || read)),
    ...(options.session !== undefined && { session: options.session }),
  })
  refuseEmpty(name, session, options.format)
  const stored = await inFile(name, () => storeImport(sessions, session, { id: options.id }))
  return { ...stored, file: name, session }
}

const OUTCOMES: Readonly<Record<StoredImport['outcome'], string>> = {
  new: 'new',
  same: 'stored already',
  grown: 'has grown',
  changed: 'goes another way now; what it left stays in the log',
}

function importLine({ id, outcome, appended, file, session }: ImportedFile): string {
  const skipped = Object.entries(session.skipped).map(
    ([reason, { count }]) => `${plural(count, 'line')} skipped (${reason})`,
  )
  const compactions = session.compactions.length
  const facts = [
    session.format,
    OUTCOMES[outcome],
    plural(session.items.length, 'message'),
    ...(compactions > 0 ? [`${plural(compactions, 'compaction')} of the client`] : []),
    `${plural(appended, 'entry', 'entries')} appended`,
    ...skipped,
  ]
  return `${oneLine(id)}  ${file}\n  ${facts.join(', ')}`
}

function importJson({ id, outcome, appended, file, session }: ImportedFile): object {
  const { format, items, compactions, skipped } = session
  return {
    file,
    id,
    outcome,
    format,
    messages: items.length,
    client_compactions: compactions.length,
    entries_appended: appended,
    skipped,
  }
}
