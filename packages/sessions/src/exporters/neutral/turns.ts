import type { LossTally } from '../loss-tally.ts'
import type {
  NeutralCall,
  NeutralContent,
  NeutralMessage,
  NeutralReasoning,
  NeutralResult,
} from './neutral-conversation.ts'

/** A conversation in the order that every format takes: each call holds its result. */
export type Turn = UserTurn | SystemTurn | AssistantTurn

export interface UserTurn {
  readonly role: 'user'
  readonly position: number
  readonly content: readonly NeutralContent[]
}

export interface SystemTurn {
  readonly role: 'system'
  readonly position: number
  readonly text: string
}

export interface AssistantTurn {
  readonly role: 'assistant'
  readonly position: number
  readonly parts: readonly (NeutralContent | NeutralReasoning | AnsweredCall)[]
}

export interface AnsweredCall extends NeutralCall {
  /** Undefined: never answered. */
  readonly result: (NeutralResult & { readonly position: number }) | undefined
}

export interface TurnOptions {
  /** Neighbouring messages of the assistant are one answer. */
  readonly joinAnswers: boolean
  /** Calls that nobody answered: session files have them, requests may not. */
  readonly openCalls: 'keep' | 'drop'
}

/** The turns of a conversation: results stand with their calls, wherever the messages had them. */
export function turnsOf(messages: readonly NeutralMessage[], losses: LossTally, options: TurnOptions): readonly Turn[] {
  const sorted = new TurnSorter(losses, options)
  for (const message of messages) sorted.take(message)
  return sorted.turns()
}

interface OpenTurn {
  readonly role: 'assistant'
  readonly position: number
  readonly parts: (NeutralContent | NeutralReasoning | OpenCall)[]
}

interface OpenCall extends NeutralCall {
  result: AnsweredCall['result']
  readonly position: number
}

class TurnSorter {
  readonly #losses: LossTally
  readonly #options: TurnOptions
  readonly #turns: (UserTurn | SystemTurn | OpenTurn)[] = []
  /** Calls without a result, oldest first. */
  #open: OpenCall[] = []

  constructor(losses: LossTally, options: TurnOptions) {
    this.#losses = losses
    this.#options = options
  }

  take(message: NeutralMessage): void {
    if (message.role === 'assistant') this.#answer(message)
    else if (message.role === 'system') this.#instruct(message)
    else this.#user(message)
  }

  turns(): readonly Turn[] {
    const keep = this.#options.openCalls === 'keep'
    return this.#turns.flatMap((turn): readonly Turn[] => {
      if (turn.role !== 'assistant') return [turn]
      const parts = turn.parts.filter((part) => {
        if (part.kind !== 'call' || part.result !== undefined || keep) return true
        this.#losses.add('call without a result', part.position)
        return false
      })
      return parts.length === 0 ? [] : [{ ...turn, parts }]
    })
  }

  #answer({ parts, position }: NeutralMessage): void {
    const last = this.#turns.at(-1)
    const isSame = this.#options.joinAnswers && last?.role === 'assistant' && !last.parts.some(isAnswered)
    const turn: OpenTurn = isSame ? last : { role: 'assistant', position, parts: [] }
    if (!isSame) this.#turns.push(turn)
    for (const part of parts) {
      if (part.kind === 'result') this.#losses.add('result inside an answer', position)
      else if (part.kind !== 'call') turn.parts.push(part)
      else {
        const call: OpenCall = { ...part, result: undefined, position }
        turn.parts.push(call)
        this.#open.push(call)
      }
    }
  }

  #instruct({ parts, position }: NeutralMessage): void {
    const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    if (texts.length < parts.length) this.#losses.add('part of a system message', position)
    if (texts.length > 0) this.#turns.push({ role: 'system', position, text: texts.join('\n') })
  }

  /** Results go to their calls, what the user says beside them stands behind. */
  #user({ parts, position }: NeutralMessage): void {
    const content: NeutralContent[] = []
    for (const part of parts) {
      if (part.kind === 'result') this.#answerCall(part, position)
      else if (part.kind === 'text' || part.kind === 'media') content.push(part)
      else this.#losses.add(`${part.kind} in a message of the user`, position)
    }
    if (content.length > 0) this.#turns.push({ role: 'user', position, content })
  }

  #answerCall(result: NeutralResult, position: number): void {
    const call = this.#callOf(result)
    if (call === undefined) this.#losses.add('result without an open call', position)
    else {
      call.result = { ...result, position }
      this.#open = this.#open.filter((open) => open !== call)
    }
  }

  /** The newest open call of this id; a result without one answers by name, then by order. */
  #callOf({ id, name }: NeutralResult): OpenCall | undefined {
    if (id !== undefined) {
      const named = this.#open.findLast((call) => call.id === id)
      // Responses of Gemini may have an id though the call has none.
      return named ?? this.#open.find((call) => call.id === undefined && call.name === name)
    }
    const step = this.#open.filter((call) => call.position === this.#open.at(-1)?.position)
    return step.find((call) => call.name === name) ?? (name === undefined ? step[0] : undefined)
  }
}

function isAnswered(part: OpenTurn['parts'][number]): boolean {
  return part.kind === 'call' && part.result !== undefined
}
