import { readConversation } from '../conversation-input.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { formatBytes, formatCount, formatShare, plural } from '../format-number.ts'
import type { FormatName } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'
import { columns } from '../text-columns.ts'
import { type CountedMessage, type MeasuredCall, type TokenLedger, tokenLedger } from '../token-ledger.ts'

export interface CountCommandOptions {
  readonly format: FormatName
  readonly messages?: boolean
  readonly exact?: boolean
  readonly json?: boolean
  readonly overhead?: number
}

/** Prints the ledger: tokens by source and kind, and per message where asked. */
export async function count(
  file: string | undefined,
  options: CountCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const input = await readConversation(file, options.format, terminal)
  const ledger = await tokenLedger(input, options)
  const { messages, ...rest } = ledger
  const shown = options.messages ? { ...rest, messages } : { ...rest, messages: messages.length }
  terminal.data(
    options.json ? `${JSON.stringify(shown, undefined, 2)}\n` : ledgerText(ledger, options.messages === true),
  )
  return exitCode.fine
}

const overheadNotes: Readonly<Record<TokenLedger['overhead'], string>> = {
  request: '',
  estimated: 'system and tools are estimated from the first recorded usage',
  given: 'system and tools as --overhead gives them',
  unknown: 'system and tools are not in the file and no usage is recorded: taken as 0 (--overhead N sets them)',
}

/** The same factor that `profile` prints. */
function scaleNote({ scale, basis, overhead }: TokenLedger): string {
  if (overhead !== 'request' && basis === 'exact') return '; messages are counted, not fitted to recorded usage'
  if (scale === 1) return ''
  return `; messages are ${scale.toFixed(2)} × their estimate, as recorded usage is`
}

function ledgerText(ledger: TokenLedger, withMessages: boolean): string {
  const facts = [
    ledger.dialect,
    ...(ledger.model === undefined ? [] : [ledger.model]),
    `family ${ledger.family}`,
    ledger.basis,
  ]
  const note = overheadNotes[ledger.overhead] + scaleNote(ledger)
  const sections = [
    `${ledger.file}\n${facts.join(', ')}, ${plural(ledger.messages.length, 'message')}, ${formatBytes(ledger.bytes)}`,
    shares('source', sourceRows(ledger), ledger.tokens),
    ...(note === '' ? [] : [note]),
    ...(ledger.measured === undefined ? [] : [measuredNote(ledger.measured)]),
    shares('kind', Object.entries(ledger.kinds), ledger.tokens),
    ...(withMessages ? [messageTable(ledger.messages)] : []),
  ]
  return `${sections.join('\n\n')}\n`
}

function measuredNote({ tokens, position, compacted }: MeasuredCall): string {
  const other = compacted
    ? '; the client had compacted before it, so that its request was not all of these messages'
    : ''
  return `the provider counted ${formatCount(tokens)} tokens at the last recorded call, behind message ${position - 1}${other}`
}

/** Where system and tools have a row of their own, `system` is what stands among the messages. */
function sourceRows({ sources }: TokenLedger): readonly (readonly [string, number])[] {
  const names: Readonly<Record<string, string>> =
    'system_and_tools' in sources ? { system_and_tools: 'system and tools', system: 'system messages' } : {}
  return Object.entries(sources).map(([name, tokens]) => [names[name] ?? name, tokens])
}

function shares(title: string, entries: readonly (readonly [string, number])[], total: number): string {
  const rows = entries.map(([name, tokens]) => [
    name,
    formatCount(tokens),
    formatShare(total === 0 ? 0 : tokens / total),
  ])
  const sum = title === 'source' ? [['total', formatCount(total), '']] : []
  return columns([[title, 'tokens', 'share'], ...rows, ...sum], ['left', 'right', 'right'])
}

function messageTable(messages: readonly CountedMessage[]): string {
  const rows = messages.map(({ position, role, tokens, bytes, kinds }) => [
    String(position),
    role,
    formatCount(tokens),
    formatBytes(bytes),
    kinds.join(' '),
  ])
  const titles = ['position', 'role', 'tokens', 'bytes', 'parts']
  return columns([titles, ...rows], ['right', 'left', 'right', 'right', 'left'])
}
