import { PalimpsestError, type StoreCall } from 'palimpsest'
import type { SessionSnapshot } from './session-entry.ts'
import type { SessionStore, StoredMessage, WantedMessages } from './session-store.ts'

/** A log as far as it is stored. */
export interface StoredLog {
  readonly store: SessionStore
  readonly session: string
  /** The entry that comes next. */
  readonly until: number
  readonly abandoned: SessionSnapshot['abandoned']
}

type Ranges = WantedMessages['positions']

/** The messages of a session that are in memory; the others are read when they are asked for. */
export class KnownMessages {
  readonly #known = new Map<number, StoredMessage>()
  /** How often something was forgotten: what was asked for before that may be another message now. */
  #forgotten = 0

  put({ position, item, injected }: StoredMessage): void {
    this.#known.set(position, { position, item, ...(injected === true && { injected }) })
  }

  /** Forgets the messages from this position on. */
  forget(from = 0): void {
    this.#forgotten += 1
    for (const position of this.#known.keys()) if (position >= from) this.#known.delete(position)
  }

  /** These messages, in order, as they were when they were asked for. */
  async at(positions: Ranges, log: StoredLog, call: StoreCall): Promise<readonly StoredMessage[]> {
    const wanted = positions.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n))
    const known = wanted.map((position) => this.#known.get(position))
    const missing = rangesOf(wanted.filter((_, n) => known[n] === undefined))
    const read = missing.length === 0 ? undefined : await this.#read(missing, log, call)
    return wanted.map((position, n) => known[n] ?? read?.get(position) ?? notGiven(position))
  }

  async #read(positions: Ranges, log: StoredLog, call: StoreCall): Promise<ReadonlyMap<number, StoredMessage>> {
    const { store, session, until, abandoned } = log
    const forgotten = this.#forgotten
    const messages = await store.messages(session, { ...call, positions, until, abandoned })
    if (forgotten === this.#forgotten) {
      for (const message of messages) if (!this.#known.has(message.position)) this.put(message)
    }
    return new Map(messages.map((message) => [message.position, message]))
  }
}

function rangesOf(positions: readonly number[]): Ranges {
  const ranges: { from: number; to: number }[] = []
  for (const position of positions) {
    const last = ranges.at(-1)
    if (last?.to === position) last.to = position + 1
    else ranges.push({ from: position, to: position + 1 })
  }
  return ranges
}

function notGiven(position: number): never {
  throw new PalimpsestError('effect-failed', `The store did not give the message at position ${position}.`, {
    hint: 'Verify the session: its log may be damaged.',
  })
}
