import { PalimpsestError } from 'palimpsest'
import type { SkipTally } from './skip-tally.ts'

/** One of the conversations of a file. */
export interface OfferedConversation<Content> {
  readonly id: string | undefined
  /** How many messages (events, steps) it has: of several conversations the longest counts. */
  readonly messages: number
  /** Line of the file where it begins. */
  readonly line: number
  readonly content: Content
}

/**
 * Files of runs may hold many conversations, of which one is read: the one that was asked for, else the one with the most
 * messages, of equals the last. The others are counted as skipped, and not kept.
 */
export class LongestConversation<Content> {
  readonly #skipped: SkipTally
  readonly #wanted: string | undefined
  #best: OfferedConversation<Content> | undefined
  #offered = 0
  /** Ids of the first few that were offered. */
  readonly #ids: string[] = []

  /** `wanted`: id of the conversation that was asked for. */
  constructor(skipped: SkipTally, wanted?: string) {
    this.#skipped = skipped
    this.#wanted = wanted
  }

  /** @throws PalimpsestError `not-found` where there are conversations, and none is the one that was asked for. */
  get best(): OfferedConversation<Content> | undefined {
    if (this.#best !== undefined || this.#wanted === undefined || this.#offered === 0) return this.#best
    throw new PalimpsestError('not-found', `There is no session "${this.#wanted}" in it.`, {
      hint: this.#ids.length === 0 ? 'Its sessions have no ids.' : `There are ${this.#ids.join(', ')}.`,
    })
  }

  offer(conversation: OfferedConversation<Content>): void {
    this.#offered += 1
    const { id } = conversation
    if (id !== undefined && this.#ids.length < NAMED_IDS && !this.#ids.includes(id)) this.#ids.push(id)
    const before = this.#best
    const isOther = this.#wanted !== undefined && conversation.id !== this.#wanted
    if (isOther || (before !== undefined && conversation.messages < before.messages)) {
      this.#skipped.add(OTHER, conversation.line)
      return
    }
    if (before !== undefined) this.#skipped.add(OTHER, before.line)
    this.#best = conversation
  }

  /**
   * The number that tells the place of its message `at` (from 0): in a file with one conversation the message's own, where
   * there are several the line of theirs.
   */
  placeOf(at: number): number {
    return this.#best === undefined || this.#offered === 1 ? at + 1 : this.#best.line
  }
}

/** How many ids an error names. */
const NAMED_IDS = 5

const OTHER = 'other conversation'
