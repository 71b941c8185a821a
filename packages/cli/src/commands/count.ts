import {
  dialectMeter,
  type Ledger,
  modelFamily,
  type PartKind,
  requestOverhead,
  Transcript,
  tokensOf,
} from 'palimpsest'
import { type ConversationInput, readConversation } from '../conversation-input.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { formatBytes, formatCount, formatShare, plural } from '../format-number.ts'
import type { FormatName } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'
import { columns } from '../text-columns.ts'
import { overheadOf } from '../token-overhead.ts'

export interface CountCommandOptions {
  readonly format: FormatName
  readonly messages?: boolean
  readonly json?: boolean
  readonly overhead?: number
}

/** Tokens of a request or session, as the ledger has them. */
interface TokenLedger {
  readonly file: string
  readonly format: string
  readonly dialect: string
  readonly model?: string
  readonly family: string
  readonly basis: 'estimated'
  readonly bytes: number
  readonly tokens: number
  /** What the provider counted at the last recorded call, and how many messages its prompt had. */
  readonly measured?: { readonly tokens: number; readonly position: number }
  readonly sources: ReturnType<Ledger['bySource']>
  /** A session file does not hold system and tools; then this says how they were found, and they count as system. */
  readonly overhead: 'request' | 'estimated' | 'given' | 'unknown'
  readonly kinds: Readonly<Partial<Record<PartKind, number>>>
  readonly messages: readonly CountedMessage[]
}

interface CountedMessage {
  readonly position: number
  readonly role: string
  readonly tokens: number
  /** Of the item as JSON. */
  readonly bytes: number
  readonly kinds: readonly PartKind[]
  readonly line?: number
}

/** Prints the ledger: tokens by source and kind, and per message where asked. */
export async function count(
  file: string | undefined,
  options: CountCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const input = await readConversation(file, options.format, terminal)
  const ledger = tokenLedger(input, options.overhead)
  const { messages, ...rest } = ledger
  const shown = options.messages ? { ...rest, messages } : { ...rest, messages: messages.length }
  terminal.data(
    options.json ? `${JSON.stringify(shown, undefined, 2)}\n` : ledgerText(ledger, options.messages === true),
  )
  return exitCode.fine
}

function tokenLedger(input: ConversationInput, givenOverhead: number | undefined): TokenLedger {
  const { name, session, dialect, conversation, whole } = input
  const meter = dialectMeter(dialect, conversation.model, 'mean')
  const { ledger } = new Transcript(dialect, meter, conversation.items)
  const known = requestOverhead(conversation, meter)
  const outside = overheadOf(input, givenOverhead)
  const fixed = outside.source === 'request' ? known : { system: outside.tokens, tools: 0 }
  const sources = ledger.bySource()
  const measured = session.calls.findLast((call) => (call.usage?.input ?? 0) > 0)
  return {
    file: name,
    format: session.format,
    dialect: dialect.name,
    ...(conversation.model !== undefined && { model: conversation.model }),
    family: modelFamily(conversation.model),
    basis: 'estimated',
    bytes: session.format === 'request' ? Buffer.byteLength(whole) : session.bytes,
    tokens: fixed.system + fixed.tools + tokensOf(ledger.units()),
    ...(measured?.usage !== undefined && { measured: { tokens: measured.usage.input, position: measured.position } }),
    sources: { ...sources, system: sources.system + fixed.system, tools: sources.tools + fixed.tools },
    overhead: outside.source,
    kinds: ledger.byKind(),
    messages: conversation.items.map((item, position) => countedMessage(item, position, ledger, session)),
  }
}

function countedMessage(
  item: object,
  position: number,
  ledger: Ledger,
  session: ConversationInput['session'],
): CountedMessage {
  const { view, units } = ledger.message(position)
  const kinds = [...new Set(view.parts.map((part) => part.kind))]
  const line = session.format === 'request' ? undefined : session.items[position]?.line
  const bytes = Buffer.byteLength(JSON.stringify(item))
  return { position, role: view.role, tokens: tokensOf(units), bytes, kinds, ...(line !== undefined && { line }) }
}

const overheadNotes: Readonly<Record<TokenLedger['overhead'], string>> = {
  request: '',
  estimated: 'system and tools are the first recorded usage minus its messages, estimated',
  given: 'system and tools as --overhead gives them',
  unknown: 'system and tools are not in the file and no usage is recorded: taken as 0 (--overhead N sets them)',
}

function ledgerText(ledger: TokenLedger, withMessages: boolean): string {
  const facts = [
    ledger.dialect,
    ...(ledger.model === undefined ? [] : [ledger.model]),
    `family ${ledger.family}`,
    ledger.basis,
  ]
  const note = overheadNotes[ledger.overhead]
  const sections = [
    `${ledger.file}\n${facts.join(', ')}, ${plural(ledger.messages.length, 'message')}, ${formatBytes(ledger.bytes)}`,
    shares('source', Object.entries(ledger.sources), ledger.tokens),
    ...(note === '' ? [] : [note]),
    ...(ledger.measured === undefined ? [] : [measuredNote(ledger.measured)]),
    shares('kind', Object.entries(ledger.kinds), ledger.tokens),
    ...(withMessages ? [messageTable(ledger.messages)] : []),
  ]
  return `${sections.join('\n\n')}\n`
}

function measuredNote({ tokens, position }: { readonly tokens: number; readonly position: number }): string {
  return `the provider counted ${formatCount(tokens)} tokens at the last recorded call, behind message ${position - 1}`
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
