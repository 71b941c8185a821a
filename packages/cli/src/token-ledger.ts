import {
  dialectMeter,
  type Ledger,
  modelFamily,
  type PartKind,
  requestOverhead,
  type TokenMeter,
  Transcript,
  tokensOf,
} from 'palimpsest'
import { loadExactCounter } from 'palimpsest/exact-tokens'
import type { ConversationInput } from './conversation-input.ts'
import { usageError } from './error-report.ts'
import { overheadOf } from './token-overhead.ts'

/** A meter counts in this fraction of a token. */
const unitsPerToken = 1_024

/** Tokens of a request or session, as the ledger has them. */
export interface TokenLedger {
  readonly file: string
  readonly format: string
  readonly dialect: string
  readonly model?: string
  readonly family: string
  /** `exact`: texts counted with the model's own vocabulary; framing and media are by formula either way. */
  readonly basis: 'exact' | 'estimated'
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

export interface CountedMessage {
  readonly position: number
  readonly role: string
  readonly tokens: number
  /** Of the item as JSON. */
  readonly bytes: number
  readonly kinds: readonly PartKind[]
  readonly line?: number
}

export interface LedgerOptions {
  /** Tokens of system and tools, where a session file does not hold them. */
  readonly overhead?: number
  /** Count with the model's vocabulary instead of estimating. */
  readonly exact?: boolean
}

/** The ledger of an input. @throws PalimpsestError where exact counts are asked for and cannot be had. */
export async function tokenLedger(input: ConversationInput, options: LedgerOptions): Promise<TokenLedger> {
  const { name, session, dialect, conversation, whole } = input
  const meter = await meterOf(input, options.exact === true)
  const { ledger } = new Transcript(dialect, meter, conversation.items)
  const known = requestOverhead(conversation, meter)
  const outside = overheadOf(input, options.overhead)
  const fixed = outside.source === 'request' ? known : { system: outside.tokens, tools: 0 }
  const sources = ledger.bySource()
  const measured = session.calls.findLast((call) => (call.usage?.input ?? 0) > 0)
  return {
    file: name,
    format: session.format,
    dialect: dialect.name,
    ...(conversation.model !== undefined && { model: conversation.model }),
    family: modelFamily(conversation.model),
    basis: options.exact ? 'exact' : 'estimated',
    bytes: session.format === 'request' ? Buffer.byteLength(whole) : session.bytes,
    tokens: fixed.system + fixed.tools + tokensOf(ledger.units()),
    ...(measured?.usage !== undefined && { measured: { tokens: measured.usage.input, position: measured.position } }),
    sources: { ...sources, system: sources.system + fixed.system, tools: sources.tools + fixed.tools },
    overhead: outside.source,
    kinds: ledger.byKind(),
    messages: conversation.items.map((item, position) => countedMessage(item, position, ledger, session)),
  }
}

async function meterOf({ dialect, conversation: { model } }: ConversationInput, exact: boolean): Promise<TokenMeter> {
  const meter = dialectMeter(dialect, model, 'mean')
  if (!exact) return meter
  const family = modelFamily(model)
  if (family !== 'o200k' && family !== 'cl100k') {
    throw usageError(
      `The vocabulary of ${model ?? 'an unknown model'} (family ${family}) is not public.`,
      'Leave --exact out: the estimate is within a few percent. Exact counts exist for OpenAI models.',
    )
  }
  const count = await loadExactCounter(family)
  return { ...meter, text: (text) => count(text) * unitsPerToken }
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
