import type { Media, MessageView, PartKind, PartView } from '../messages/message.ts'
import { UNITS_PER_TOKEN } from './estimate-text.ts'

export { UNITS_PER_TOKEN }

/** How text, media and framing are counted for one model and wire format. */
export interface TokenMeter {
  /** Units (1/1024 token) of a text. */
  text(text: string): number
  /** Tokens of a picture or file. */
  media(media: Media): number
  /** Tokens that the format adds: once, per message, once when there are tools, per tool. */
  readonly framing: {
    readonly request: number
    readonly message: number
    readonly tools: number
    readonly tool: number
  }
}

/** Who put tokens into the prompt. */
export type TokenSource = 'system' | 'tools' | 'human' | 'model' | 'tool'

/** One message with its tokens, in units. */
export interface MeasuredMessage {
  readonly view: MessageView
  /** All of it, framing included. */
  readonly units: number
  /** Each part alone. */
  readonly parts: readonly number[]
}

/** A token number and whether a provider reported it or this library estimated it. */
export interface TokenCount {
  readonly tokens: number
  readonly basis: 'measured' | 'estimated'
}

/**
 * Tokens per message and part, by source, kind and turn. Appending and range sums are O(1). Numbers of messages are
 * always estimated; the fixed part (system, tools) may be measured.
 *
 * @example
 * import { Ledger } from 'palimpsest/engine'
 * const ledger = new Ledger(dialectMeter(anthropicMessages, 'claude-sonnet-4-5', 'mean'))
 * ledger.append(anthropicMessages.view({ role: 'user', content: 'Fix the build.' }))
 * ledger.bySource().human
 */
export class Ledger {
  readonly meter: TokenMeter
  readonly #messages: MeasuredMessage[] = []
  readonly #sums: number[] = [0]
  readonly #sources: Record<TokenSource, number> = { system: 0, tools: 0, human: 0, model: 0, tool: 0 }
  readonly #kinds = new Map<PartKind, number>()
  readonly #turns: number[] = []

  constructor(meter: TokenMeter) {
    this.meter = meter
  }

  get length(): number {
    return this.#messages.length
  }

  /** Measures a message and counts it, in this turn (0: before the first user message). */
  append(view: MessageView, turn = 0): MeasuredMessage {
    const message = measureMessage(view, this.meter)
    this.#messages.push(message)
    this.#sums.push((this.#sums.at(-1) ?? 0) + message.units)
    this.#turns[turn] = (this.#turns[turn] ?? 0) + message.units
    this.#account(message)
    return message
  }

  /** @throws RangeError outside of the transcript. */
  message(position: number): MeasuredMessage {
    const message = this.#messages[position]
    if (message === undefined) throw new RangeError(`Position ${position} is outside of ${this.length} messages.`)
    return message
  }

  /** Units of positions `from` up to, not including, `to`. */
  units(from = 0, to = this.length): number {
    return (this.#sums[to] ?? 0) - (this.#sums[from] ?? 0)
  }

  /** Estimated tokens by source. */
  bySource(): Readonly<Record<TokenSource, number>> {
    const { system, tools, human, model, tool } = this.#sources
    return {
      system: tokensOf(system),
      tools: tokensOf(tools),
      human: tokensOf(human),
      model: tokensOf(model),
      tool: tokensOf(tool),
    }
  }

  /** Estimated tokens by kind of part, framing left out. */
  byKind(): Readonly<Partial<Record<PartKind, number>>> {
    return Object.fromEntries([...this.#kinds].map(([kind, units]) => [kind, tokensOf(units)]))
  }

  /** Estimated tokens of each turn, in order; turn 0 is what stands before the first user message. */
  byTurn(): readonly number[] {
    return Array.from(this.#turns, (units) => tokensOf(units ?? 0))
  }

  #account({ view, parts, units }: MeasuredMessage): void {
    let framing = units
    view.parts.forEach((part, number) => {
      const own = parts[number] ?? 0
      framing -= own
      this.#sources[sourceOf(view, part)] += own
      this.#kinds.set(part.kind, (this.#kinds.get(part.kind) ?? 0) + own)
    })
    this.#sources[sourceOf(view, view.parts[0])] += framing
  }
}

/** The tokens of one message, in units. */
export function measureMessage(view: MessageView, meter: TokenMeter): MeasuredMessage {
  const parts = view.parts.map((part) => measurePart(part, meter))
  const free = view.parts.length > 0 && view.parts.every((part) => part.free === true)
  const framing = free ? 0 : Math.round(meter.framing.message * UNITS_PER_TOKEN)
  return { view, parts, units: parts.reduce((sum, units) => sum + units, framing) }
}

/**
 * Whole tokens of a sum of units, rounded up: a limit must not be passed by rounding.
 *
 * @example
 * tokensOf(1_025) // 2
 */
export function tokensOf(units: number): number {
  return Math.ceil(units / UNITS_PER_TOKEN)
}

/** Characters of JSON that cost about a token where the content is opaque (encrypted reasoning: its text is shorter). */
const OPAQUE_BYTES_PER_TOKEN = 4
const ENCRYPTED_BYTES_PER_TOKEN = 6

function measurePart(part: PartView, meter: TokenMeter): number {
  if (part.free === true) return 0
  const text = part.text()
  const media = (part.media ?? []).reduce((sum, one) => sum + Math.round(meter.media(one) * UNITS_PER_TOKEN), 0)
  const name = part.kind === 'tool-call' && part.toolName !== undefined ? meter.text(part.toolName) : 0
  if (text !== '' || media > 0 || name > 0) return meter.text(text) + media + name
  if (part.kind === 'reasoning') return Math.ceil((part.bytes() / ENCRYPTED_BYTES_PER_TOKEN) * UNITS_PER_TOKEN)
  if (part.kind === 'opaque') return Math.ceil((part.bytes() / OPAQUE_BYTES_PER_TOKEN) * UNITS_PER_TOKEN)
  return 0
}

function sourceOf(view: MessageView, part: PartView | undefined): TokenSource {
  if (part?.kind === 'tool-result') return 'tool'
  if (view.role === 'system') return 'system'
  if (view.role === 'assistant') return 'model'
  return view.role === 'tool' ? 'tool' : 'human'
}
