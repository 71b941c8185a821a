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

  put({ position, item, injected }: StoredMessage): void {
    this.#known.set(position, { position, item, ...(injected === true && { injected }) })
  }

  /** Forgets the messages from this position on. */
  forget(from = 0): void {
    for (const position of this.#known.keys()) if (position >= from) this.#known.delete(position)
  }

  /** These messages, in order. */
  async at(positions: Ranges, log: StoredLog, call: StoreCall): Promise<readonly StoredMessage[]> {
    const missing = this.#missing(positions)
    if (missing.length > 0) {
      const { store, session, until, abandoned } = log
      const read = await store.messages(session, { ...call, positions: missing, until, abandoned })
      for (const message of read) this.put(message)
    }
    return positions.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => this.#found(from + n)))
  }

  #missing(positions: Ranges): Ranges {
    const missing: { from: number; to: number }[] = []
    for (const { from, to } of positions) {
      for (let position = from; position < to; position++) {
        if (this.#known.has(position)) continue
        const last = missing.at(-1)
        if (last?.to === position) last.to = position + 1
        else missing.push({ from: position, to: position + 1 })
      }
    }
    return missing
  }

  #found(position: number): StoredMessage {
    const message = this.#known.get(position)
    if (message !== undefined) return message
    throw new PalimpsestError('effect-failed', `The store did not give the message at position ${position}.`, {
      hint: 'Verify the session: its log may be damaged.',
    })
  }
}
