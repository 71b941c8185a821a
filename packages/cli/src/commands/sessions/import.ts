import { open, readFile, stat } from 'node:fs/promises'
import {
  findSessions,
  foldEntries,
  type ImportedSession,
  mayBeLog,
  parseLog,
  type SessionEntry,
  type SessionStore,
  type StoredImport,
  storeImport,
  storeLog,
} from '@palimpsest/sessions'
import { PalimpsestError } from 'palimpsest'
import { readSession, refuseEmpty } from '../../conversation-input.ts'
import { inFile, inputName, refuseTooDeep, reportError, usageError } from '../../error-report.ts'
import { type ExitCode, exitCode } from '../../exit-code.ts'
import { plural } from '../../format-number.ts'
import type { FormatName } from '../../option-values.ts'
import { type Progress, progressOf } from '../../progress.ts'
import { type StoreOptions, withSessions } from '../../session-store/opened-store.ts'
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
  if (id === '') throw usageError('--id names no session: it is empty.', 'Leave it out, or name one.')
  if (id !== undefined && files.length > 1) throw usageError('--id names one session.', 'Name one FILE with it.')
  return files
}

/** What was read and what became of it. */
interface ImportedFile extends StoredImport {
  readonly file: string
  readonly format: string
  readonly messages: number
  readonly clientCompactions: number
  readonly skipped: ImportedSession['skipped']
}

interface Importing {
  readonly options: ImportCommandOptions
  readonly terminal: Terminal
  readonly progress: Progress
}

async function importFile(
  file: string,
  sessions: SessionStore,
  { options, terminal, progress }: Importing,
): Promise<ImportedFile> {
  const name = inputName(file)
  const bytes = file === '-' ? await terminal.input() : undefined
  const entries = options.format === 'auto' ? await inFile(name, () => logAt(file, bytes)) : undefined
  if (entries !== undefined) return importLog(name, entries, { sessions, options })
  const size = file === '-' ? undefined : await stat(file).catch(() => undefined)
  const session = await readSession(file, bytes, options.format, {
    onProgress: (read) => progress.share(read / (size?.size || read)),
    ...(options.session !== undefined && { session: options.session }),
  })
  refuseEmpty(name, session, options.format)
  // requests tell no times: as old as their file
  const at = Math.trunc(size?.mtimeMs ?? Date.now())
  const stored = await inFile(name, () => storeImport(sessions, session, { id: options.id, at }))
  const { format, items, compactions, skipped } = session
  return { ...stored, file: name, format, messages: items.length, clientCompactions: compactions.length, skipped }
}

/** The entries of a log of ours; undefined for everything else, what cannot be read included. */
async function logAt(file: string, bytes: Uint8Array | undefined): Promise<readonly SessionEntry[] | undefined> {
  if (bytes !== undefined) return parseLog(new TextDecoder().decode(bytes))
  // reading it as a session says what is wrong with it
  const start = await startOf(file).catch(() => '')
  return mayBeLog(start) ? parseLog(await readFile(file, 'utf8')) : undefined
}

const PEEK_BYTES = 4_096

async function startOf(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(PEEK_BYTES), 0, PEEK_BYTES, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function importLog(
  file: string,
  entries: readonly SessionEntry[],
  { sessions, options }: { readonly sessions: SessionStore; readonly options: ImportCommandOptions },
): Promise<ImportedFile> {
  const { snapshot } = await inFile(file, () => foldEntries(entries))
  const stored = await inFile(file, () => storeLog(sessions, entries, { id: options.id }))
  return { ...stored, file, format: 'log', messages: snapshot.length, clientCompactions: 0, skipped: {} }
}

const OUTCOMES: Readonly<Record<StoredImport['outcome'], string>> = {
  new: 'new',
  same: 'stored already',
  grown: 'has grown',
  changed: 'goes another way now; what it left stays in the log',
}

function importLine({ id, outcome, appended, file, format, ...read }: ImportedFile): string {
  const skipped = Object.entries(read.skipped).map(
    ([reason, { count }]) => `${plural(count, 'line')} skipped (${reason})`,
  )
  const compactions = read.clientCompactions
  const facts = [
    format,
    OUTCOMES[outcome],
    plural(read.messages, 'message'),
    ...(compactions > 0 ? [`${plural(compactions, 'compaction')} of the client`] : []),
    `${plural(appended, 'entry', 'entries')} appended`,
    ...skipped,
  ]
  return `${oneLine(id)}  ${oneLine(file)}\n  ${facts.join(', ')}`
}

function importJson({ clientCompactions, appended, ...read }: ImportedFile): object {
  return { ...read, client_compactions: clientCompactions, entries_appended: appended }
}
