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
import { overheadOf, type TokenOverhead } from './token-overhead.ts'

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
  readonly measured?: MeasuredCall
  /**
   * Add up to `tokens`, each rounded up. `system` and `tools` are those of a request; a session file does not hold them:
   * there `system_and_tools` is both, and `system` is what stands among the messages.
   */
  readonly sources: Readonly<Partial<Record<TokenSource, number>>>
  /** How system and tools were found. */
  readonly overhead: TokenOverhead['source']
  /** Recorded tokens per estimated one, by which the tokens of messages are multiplied; 1: they are as estimated. */
  readonly scale: number
  readonly kinds: Readonly<Partial<Record<PartKind, number>>>
  readonly messages: readonly CountedMessage[]
}

export interface MeasuredCall {
  readonly tokens: number
  /** How many messages its prompt stood behind. */
  readonly position: number
  /** The client had compacted before: the prompt was not all of these messages. */
  readonly compacted: boolean
}

export type TokenSource = keyof ReturnType<Ledger['bySource']> | 'system_and_tools'

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
  const outside = overheadOf(input, options.overhead)
  // a measured factor corrects the estimate; an exact count needs none
  const scale = options.exact ? 1 : (outside.scale ?? 1)
  const scaled = (tokens: number) => Math.ceil(tokens * scale)
  const fixed = fixedSources(input, outside, meter)
  const measured = measuredCall(session)
  return {
    file: name,
    format: session.format,
    dialect: dialect.name,
    ...(conversation.model !== undefined && { model: conversation.model }),
    family: modelFamily(conversation.model),
    basis: options.exact ? 'exact' : 'estimated',
    bytes: session.format === 'request' ? Buffer.byteLength(whole) : session.bytes,
    tokens: sumOf(Object.values(fixed)) + scaled(tokensOf(ledger.units())),
    ...(measured !== undefined && { measured }),
    sources: withMessages(fixed, ledger, scaled),
    overhead: outside.source,
    scale,
    kinds: Object.fromEntries(Object.entries(ledger.byKind()).map(([kind, tokens]) => [kind, scaled(tokens)])),
    messages: conversation.items.map((item, position) => countedMessage(item, position, { ledger, session, scaled })),
  }
}

type Sources = Partial<Record<TokenSource, number>>

/** Tokens that are in no message. */
function fixedSources(
  { session, conversation }: ConversationInput,
  { source, tokens }: TokenOverhead,
  meter: TokenMeter,
): Sources {
  if (session.format !== 'request' || source === 'given') return { system_and_tools: tokens }
  const { system, tools } = requestOverhead(conversation, meter)
  return { system, tools }
}

/** With those of the messages; of what neither has, a session says nothing. */
function withMessages(fixed: Sources, ledger: Ledger, scaled: (tokens: number) => number): Sources {
  const sources: Sources = { ...fixed }
  for (const [name, tokens] of Object.entries(ledger.bySource()) as [TokenSource, number][]) {
    const sum = (sources[name] ?? 0) + scaled(tokens)
    const isFixed = name === 'system' || name === 'tools'
    if (sum > 0 || !isFixed || name in fixed) sources[name] = sum
  }
  return sources
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}

function measuredCall({ calls, compactions }: ConversationInput['session']): MeasuredCall | undefined {
  const last = calls.findLast((call) => (call.usage?.input ?? 0) > 0)
  if (last?.usage === undefined) return undefined
  const compacted = compactions.some(({ position }) => position <= last.position)
  return { tokens: last.usage.input, position: last.position, compacted }
}

async function meterOf({ dialect, conversation: { model } }: ConversationInput, exact: boolean): Promise<TokenMeter> {
  const meter = dialectMeter(dialect, model, 'mean')
  if (!exact) return meter
  const family = modelFamily(model)
  if (family !== 'o200k' && family !== 'cl100k') {
    throw usageError(
      `The vocabulary of ${model ?? 'an unknown model'} (family ${family}) is not public.`,
      'Leave --exact out, and the tokens are estimated. Exact counts exist for OpenAI models.',
    )
  }
  const count = await loadExactCounter(family)
  return { ...meter, text: (text) => count(text) * unitsPerToken }
}

interface Counting extends Pick<ConversationInput, 'session'> {
  readonly ledger: Ledger
  readonly scaled: (tokens: number) => number
}

function countedMessage(item: object, position: number, { ledger, session, scaled }: Counting): CountedMessage {
  const { view, units } = ledger.message(position)
  const kinds = [...new Set(view.parts.map((part) => part.kind))]
  const line = session.format === 'request' ? undefined : session.items[position]?.line
  const bytes = Buffer.byteLength(JSON.stringify(item))
  return {
    position,
    role: view.role,
    tokens: scaled(tokensOf(units)),
    bytes,
    kinds,
    ...(line !== undefined && { line }),
  }
}
