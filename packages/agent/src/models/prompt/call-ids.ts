import { createHash } from 'node:crypto'

/** Which ids of tool calls a provider takes. */
export interface CallIdRule {
  readonly takes: RegExp
  /** Letters of an id that is made up for it. */
  readonly length?: number
  /** Must an id stand on one call only, in the whole conversation? Some servers number from 0 in every answer. */
  readonly once?: true
}

/** Any id. */
export const ANY_ID: CallIdRule = { takes: /./s }

/** Claude's, wherever it is served. */
export const CLAUDE_IDS: CallIdRule = { takes: /^[a-zA-Z0-9_-]{1,64}$/, once: true }

export const RESPONSES_IDS: CallIdRule = { takes: /^.{1,64}$/s, once: true }

/** OpenAI's own Chat Completions. */
export const OPENAI_CHAT_IDS: CallIdRule = { takes: /^.{1,40}$/s }

/** The chat templates of Mistral's models. */
export const MISTRAL_IDS: CallIdRule = { takes: /^[a-zA-Z0-9]{9}$/, length: 9 }

/** The ids of the calls of one conversation, in order, as a provider takes them. A result has the id of the newest call of its id. */
export class CallIds {
  readonly #rule: CallIdRule
  /** How many calls had this id so far. */
  readonly #seen = new Map<string, number>()

  constructor(rule: CallIdRule) {
    this.#rule = rule
  }

  call(id: string): string {
    const times = (this.#seen.get(id) ?? 0) + 1
    this.#seen.set(id, times)
    return this.#fitting(id, times)
  }

  result(id: string): string {
    return this.#fitting(id, this.#seen.get(id) ?? 1)
  }

  #fitting(id: string, times: number): string {
    const { takes, length, once } = this.#rule
    const turn = once === true ? times : 1
    if (turn === 1 && takes.test(id)) return id
    const digest = createHash('sha256').update(`${turn} ${id}`).digest('hex')
    return length === undefined ? `call_${digest.slice(0, 24)}` : digest.slice(0, length)
  }
}
