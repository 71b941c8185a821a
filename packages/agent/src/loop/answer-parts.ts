import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { type AiSdkMessage, aiSdk } from 'palimpsest'
import type { AgentEventListener } from './agent-event.ts'
import type { ModelAnswer, RequestedCall } from './model-answer.ts'

type Part = LanguageModelV3StreamPart
type Metadata = Extract<Part, { type: 'text-start' }>['providerMetadata']

/** A piece of the assistant message while it is written. */
type OpenPiece =
  | { readonly kind: 'text' | 'reasoning'; readonly id: string; text: string; metadata: Metadata }
  | { readonly kind: 'call'; readonly call: RequestedCall; readonly metadata: Metadata }

/** Puts a streamed answer together, and tells what of it is to be shown as it comes. */
export class AnswerParts {
  readonly #emit: AgentEventListener
  readonly #pieces: OpenPiece[] = []
  #finish: LanguageModelV3FinishReason = { unified: 'other', raw: undefined }
  #end: unknown
  #shown = false

  constructor(emit: AgentEventListener) {
    this.#emit = emit
  }

  /** Takes the next part. Parts that say nothing here (sources, raw chunks) are passed over. */
  push(part: Part): void {
    switch (part.type) {
      case 'text-start':
        this.#open('text', part.id, part.providerMetadata)
        return
      case 'reasoning-start':
        this.#open('reasoning', part.id, part.providerMetadata)
        return
      case 'text-delta':
      case 'reasoning-delta':
        this.#grow(part.type === 'text-delta' ? 'text' : 'reasoning', part.id, part.delta, part.providerMetadata)
        return
      case 'text-end':
        this.#grow('text', part.id, '', part.providerMetadata)
        return
      case 'reasoning-end':
        this.#grow('reasoning', part.id, '', part.providerMetadata)
        return
      case 'tool-call':
        this.#call(part)
        return
      case 'finish':
        this.#finish = part.finishReason
        this.#end = part
    }
  }

  /** Was something of it shown? */
  get shown(): boolean {
    return this.#shown
  }

  /** Did the provider end it? A stream that only stops was cut off. */
  get ended(): boolean {
    return this.#end !== undefined
  }

  answer(): ModelAnswer {
    const content = this.#pieces.flatMap(contentOf)
    return {
      message: content.length === 0 ? undefined : message(content),
      text: this.#text(),
      calls: this.#pieces.flatMap((piece) => (piece.kind === 'call' ? piece.call : [])),
      finish: this.#finish,
      usage: aiSdk.usage(this.#end),
      end: this.#end,
    }
  }

  /** What was shown so far, as a message by itself: its words alone, since calls and signed reasoning are not complete. */
  partial(): AiSdkMessage | undefined {
    const text = this.#text()
    return text.trim() === '' ? undefined : message([{ type: 'text', text }])
  }

  #text(): string {
    const texts = this.#pieces.map((piece) => (piece.kind === 'text' ? piece.text : ''))
    return texts.join('').toWellFormed()
  }

  #open(kind: 'text' | 'reasoning', id: string, metadata: Metadata): OpenPiece & { kind: 'text' | 'reasoning' } {
    const piece = { kind, id, text: '', metadata }
    this.#pieces.push(piece)
    return piece
  }

  #grow(kind: 'text' | 'reasoning', id: string, delta: string, metadata: Metadata): void {
    const piece = this.#pieces.findLast((one) => one.kind === kind && one.id === id) ?? this.#open(kind, id, undefined)
    if (piece.kind === 'call') return
    piece.text += delta
    // the last word of the provider counts: signatures come at the end
    piece.metadata = metadata ?? piece.metadata
    if (delta === '') return
    this.#shown = true
    this.#emit({ type: kind === 'text' ? 'text-delta' : 'reasoning-delta', text: delta })
  }

  #call({
    toolCallId,
    toolName,
    input,
    providerMetadata,
    providerExecuted,
  }: Extract<Part, { type: 'tool-call' }>): void {
    if (providerExecuted === true) return
    const call = { id: this.#unusedId(toolCallId), name: toolName, input: parsed(input) }
    this.#pieces.push({ kind: 'call', call, metadata: providerMetadata })
  }

  /** Some servers give every call of an answer the same id, or none. */
  #unusedId(id: string): string {
    const used = new Set(this.#pieces.map((piece) => (piece.kind === 'call' ? piece.call.id : '')))
    const wanted = id === '' ? `call_${this.#pieces.length}` : id
    if (!used.has(wanted)) return wanted
    for (let n = 2; ; n++) if (!used.has(`${wanted}_${n}`)) return `${wanted}_${n}`
  }
}

/** Plain JSON: what a provider left undefined must not reach the log; nor must half a pair, which no provider takes back. */
function message(content: readonly object[]): AiSdkMessage {
  const wellFormed = (_: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value)
  return JSON.parse(JSON.stringify({ role: 'assistant', content }), wellFormed)
}

function contentOf(piece: OpenPiece): readonly object[] {
  const options = piece.metadata === undefined ? {} : { providerOptions: piece.metadata }
  switch (piece.kind) {
    case 'text':
      // an empty text is refused by some providers, and says nothing
      return piece.text === '' ? [] : [{ type: 'text', text: piece.text, ...options }]
    case 'reasoning':
      // without text it still carries what the provider wants back (encrypted reasoning)
      return piece.text === '' && piece.metadata === undefined
        ? []
        : [{ type: 'reasoning', text: piece.text, ...options }]
    case 'call': {
      const { id, name, input } = piece.call
      return [{ type: 'tool-call', toolCallId: id, toolName: name, input: asObject(input), ...options }]
    }
  }
}

/** The arguments; the text as it came where it is no JSON: the tool then says so. */
function parsed(input: string): unknown {
  if (input.trim() === '') return {}
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

/** Providers take nothing but an object back as arguments. */
function asObject(input: unknown): object {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return isObject ? input : { unreadable: input }
}
