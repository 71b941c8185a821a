import { EXPORT_FORMATS, type ExportFormat } from '@palimpsest/sessions'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { exportStored } from './commands/sessions/export.ts'
import { forkSession } from './commands/sessions/fork.ts'
import { importSessions } from './commands/sessions/import.ts'
import { listSessions } from './commands/sessions/list.ts'
import { migrateStore } from './commands/sessions/migrate.ts'
import { removeSessions } from './commands/sessions/remove.ts'
import { searchSessions } from './commands/sessions/search.ts'
import { showSession } from './commands/sessions/show.ts'
import { verifySessions } from './commands/sessions/verify.ts'
import type { ExitCode } from './exit-code.ts'
import { formatNames } from './option-values.ts'
import type { Terminal } from './terminal.ts'

type End = (code: ExitCode) => void

/** Adds `sessions`, with a command for everything that is done with stored sessions. */
export function addSessions(root: Command, terminal: Terminal, end: End): void {
  const sessions = root
    .command('sessions')
    .description('keep sessions in a database: import, list, show, search, fork, export, verify')
    .addHelpText('after', storeHelp)
  for (const add of [addList, addShow, addImport, addExport, addFork, addRemove, addSearch, addVerify, addMigrate])
    add(sessions, terminal, end)
}

const storeHelp = `
The store is --store, else PALIMPSEST_STORE, else palimpsest/sessions.db in your data folder: a SQLite file, or
postgres://USER@HOST/DATABASE. ID is the id of a session, or a beginning of it that no other one has.`

function addList(sessions: Command, terminal: Terminal, end: End): void {
  withStore(sessions.command('list').description('list sessions, the last used first'))
    .option('--cwd <dir>', 'only those of this working folder')
    .option('--limit <n>', 'the most sessions', positive, 50)
    .addOption(json())
    .action(async (options) => end(await listSessions(options, terminal)))
}

function addShow(sessions: Command, terminal: Terminal, end: End): void {
  withStore(sessions.command('show').description('show one session, its newest 20 messages where no page is named'))
    .argument('<ID>', 'the session')
    .option('--transcript', 'the whole conversation, with compactions where they happened (default)')
    .option('--view', 'what the model is sent: under the newest compaction')
    .option('--log', 'the entries of the log')
    .option('--from <n>', 'first position (of the log: entry)', wholeNumber)
    .option('--to <n>', 'position behind the last', wholeNumber)
    .option('--full', 'messages whole, however long')
    .addOption(json())
    .action(async (id, options) => end(await showSession(id, options, terminal)))
}

function addImport(sessions: Command, terminal: Terminal, end: End): void {
  withStore(sessions.command('import').description('store session files; one that has grown is continued'))
    .argument('[FILE...]', 'sessions of other clients, and requests; - is standard input')
    .option('--all-found', 'all sessions of the home folder')
    .option('--id <name>', 'id of the session in the store (default: the one in the file)')
    .option('--session <id>', 'which one to read where FILE holds several (default: the newest)')
    .addOption(new Option('--format <name>', 'what FILE is').choices(formatNames).default('auto'))
    .addOption(json())
    .action(async (files, options) => end(await importSessions(files, options, terminal)))
}

function addExport(sessions: Command, terminal: Terminal, end: End): void {
  withStore(
    sessions.command('export').description('print a session as a request or as a session file of another client'),
  )
    .argument('<ID>', 'the session')
    .option(
      '--format <name>',
      `what to write (default: its own wire format): ${EXPORT_FORMATS.join(', ')}`,
      exportFormat,
    )
    .addOption(
      new Option(
        '--view <which>',
        'which messages: all, what the model is sent, or all with marks of compactions',
      ).choices(['transcript', 'view', 'full-with-markers']),
    )
    .option('-o, --out <file>', 'write to this file instead of standard output')
    .action(async (id, options) => end(await exportStored(id, options, terminal)))
}

function addFork(sessions: Command, terminal: Terminal, end: End): void {
  withStore(sessions.command('fork').description('copy a session up to a place of it, and print the id of the copy'))
    .argument('<ID>', 'the session')
    .option('--at <seq>', 'the last entry that the copy has', wholeNumber)
    .option('--before-compaction', 'up to the newest compaction')
    .option('--before-turn <n>', 'up to the start of this turn', positive)
    .option('--id <name>', 'id of the copy (default: a random one)')
    .action(async (id, options) => end(await forkSession(id, options, terminal)))
}

function addRemove(sessions: Command, terminal: Terminal, end: End): void {
  withStore(sessions.command('rm').description('remove sessions for good'))
    .argument('<ID...>', 'the sessions')
    .option('--yes', 'do not ask')
    .action(async (ids, options) => end(await removeSessions(ids, options, terminal)))
}

function addSearch(sessions: Command, terminal: Terminal, end: End): void {
  withStore(sessions.command('search').description('find messages that hold all of these words, evicted ones included'))
    .argument('<QUERY...>', 'words, whatever their case')
    .option('--session <id>', 'in this session only')
    .option('--limit <n>', 'the most matches', positive, 20)
    .addOption(json())
    .action(async (query, options) => end(await searchSessions(query.join(' '), options, terminal)))
}

function addVerify(sessions: Command, terminal: Terminal, end: End): void {
  withStore(sessions.command('verify').description('replay sessions and say what is wrong with them (exit 1)'))
    .argument('[ID...]', 'the sessions (default: all)')
    .option('--all', 'all sessions of the namespace')
    .addOption(json())
    .action(async (ids, options) => end(await verifySessions(ids, options, terminal)))
}

function addMigrate(sessions: Command, terminal: Terminal, end: End): void {
  withStore(sessions.command('migrate').description('take the tables of the store to another version'))
    .addArgument(new Argument('<way>', 'up: to the newest; down: one step back').choices(['up', 'down', 'status']))
    .option('--to <name>', 'to the version that this migration made; none: before the first')
    .addOption(json())
    .action(async (way, options) => end(await migrateStore(way, options, terminal)))
}

function withStore(command: Command): Command {
  return command
    .option('--store <where>', 'a file, or postgres://… (default: PALIMPSEST_STORE, else in your data folder)')
    .option('--namespace <name>', 'whose sessions (default: those of nobody in particular)')
}

function json(): Option {
  return new Option('--json', 'JSON for machines')
}

/** Wire formats have a short name with `--format` of the other commands. */
function exportFormat(text: string): ExportFormat {
  const short: Readonly<Record<string, string>> = { anthropic: 'anthropic-messages', bedrock: 'bedrock-converse' }
  const format = EXPORT_FORMATS.find((name) => name === (short[text] ?? text))
  if (format === undefined) throw new InvalidArgumentError(`Allowed are ${EXPORT_FORMATS.join(', ')}.`)
  return format
}

function wholeNumber(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('It wants a whole number: 0, 20.')
  return value
}

function positive(text: string): number {
  const value = wholeNumber(text)
  if (value === 0) throw new InvalidArgumentError('It must be above zero.')
  return value
}
