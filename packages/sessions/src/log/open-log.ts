import { PalimpsestError, type StoreCall } from 'palimpsest'
import { chainEntries } from './entry-chain.ts'
import { placeOf, rewoundTo, stateAfter } from './fold-session.ts'
import { KnownMessages } from './known-messages.ts'
import { jsonCopy } from './plain-json.ts'
import { CHECKPOINT_EVERY, type ResumedSession, stateAt } from './resume-session.ts'
import { countersOf } from './session-counters.ts'
import type { EntryBody, EntryPlace, SessionEntry, SessionSnapshot } from './session-entry.ts'
import type { SessionStore, StoredMessage, WantedMessages } from './session-store.ts'

/** A log while one process goes on with it: what is stored, and behind that what waits to be. Calls that write come one by one. */
export class OpenLog {
  readonly store: SessionStore
  readonly id: string
  readonly #now: () => number
  readonly #messages = new KnownMessages()
  #state: SessionSnapshot
  #stored: EntryPlace
  #waiting: SessionEntry[] = []
  #lastCheckpoint: number

  constructor(
    store: SessionStore,
    id: string,
    { resumed, now }: { readonly resumed: ResumedSession; readonly now: () => number },
  ) {
    this.store = store
    this.id = id
    this.#now = now
    this.#state = resumed.snapshot
    this.#stored = resumed.place
    this.#lastCheckpoint = resumed.checkpoint
    for (const message of resumed.messages) this.#messages.put(message)
  }

  /** What the log says, with what waits. */
  get snapshot(): SessionSnapshot {
    return this.#state
  }

  /** The last entry that is stored. */
  get stored(): EntryPlace {
    return this.#stored
  }

  /** Entries that are not stored yet. */
  get waiting(): readonly SessionEntry[] {
    return this.#waiting
  }

  /** The place of the last entry, stored or not. */
  get place(): EntryPlace {
    return placeOf(this.#waiting.at(-1) ?? this.#stored)
  }

  /**
   * Puts entries behind the last one: all of them, or none where one cannot stand there. What waits is a copy that nobody else
   * has: its hash stays that of what is stored, whatever is done to items meanwhile.
   */
  push(bodies: readonly EntryBody[], at = this.#time()): void {
    const entries = chainEntries(bodies.map(jsonCopy), { after: this.place, at })
    this.#state = entries.reduce<SessionSnapshot>(
      (state, entry) => stateAfter(state, entry, noStateBefore),
      this.#state,
    )
    this.#waiting.push(...entries)
    for (const entry of entries) {
      if (entry.type === 'message-appended') this.#messages.put(jsonCopy(entry))
      if (entry.type === 'checkpoint') this.#lastCheckpoint = entry.seq
    }
  }

  /** Stores what waits; where that fails, it waits for the next call. */
  async commit(call: StoreCall): Promise<void> {
    if (this.#isCheckpointDue()) this.push([{ type: 'checkpoint', state: this.#state }])
    const entries = [...this.#waiting]
    const last = entries.at(-1)
    if (last === undefined) return
    const counters = entries.some(({ type }) => type === 'turn-ended') ? { counters: countersOf(this.#state) } : {}
    await this.store.append(this.id, entries, { ...call, ...counters, after: this.#stored })
    this.#stored = placeOf(last)
    this.#waiting.splice(0, entries.length)
  }

  /** Behind a compaction, so that resuming does not read what it evicted; and at the end of a turn after many entries. */
  #isCheckpointDue(): boolean {
    const { seq } = this.place
    if (this.#waiting.some((entry) => entry.type === 'compaction-applied' && entry.seq > this.#lastCheckpoint))
      return true
    return !this.#state.turnOpen && seq - this.#lastCheckpoint >= CHECKPOINT_EVERY
  }

  /**
   * What others stored behind what is known to be stored; of what waits, that which is stored after all is passed over.
   * @throws PalimpsestError `conflict` where the log is another one now.
   */
  async foreignEntries(call: StoreCall): Promise<readonly SessionEntry[]> {
    const [own, ...newer] = await this.store.read(this.id, { ...call, from: this.#stored.seq })
    if (own?.hash !== this.#stored.hash) throw replaced(this.id)
    const foreign = newer.findIndex((entry, n) => entry.hash !== this.#waiting[n]?.hash)
    const confirmed = foreign < 0 ? newer.length : foreign
    this.#stored = placeOf(newer[confirmed - 1] ?? own)
    this.#waiting = this.#waiting.slice(confirmed)
    return newer.slice(confirmed)
  }

  /** Goes on from there. Nothing waits any more; messages before `common` are still the same. */
  resumeAt({ snapshot, place, checkpoint, messages }: ResumedSession, common: number): void {
    this.#messages.forget(common)
    for (const message of messages) if (message.position >= common) this.#messages.put(message)
    this.#state = snapshot
    this.#stored = place
    this.#lastCheckpoint = checkpoint
    this.#waiting = []
  }

  /** Goes back to where the log was after the entry `to`, and stores that; nothing may wait. */
  async rewind(to: number, call: StoreCall): Promise<void> {
    const target = await stateAt(this.store, this.id, to, call)
    const { seq } = this.#stored
    const at = this.#time()
    const state = rewoundTo(this.#state, target, { to, seq: seq + 1 })
    const bodies: readonly EntryBody[] = [
      { type: 'rewound', to },
      { type: 'checkpoint', state },
    ]
    const entries = chainEntries(bodies, { after: this.#stored, at })
    await this.store.append(this.id, entries, { ...call, after: this.#stored })
    this.#stored = placeOf(entries.at(-1) ?? this.#stored)
    this.#lastCheckpoint = this.#stored.seq
    this.#state = state
    this.#messages.forget()
  }

  /** Messages at these positions, in order; those that are not in memory are read. */
  messages(positions: WantedMessages['positions'], call: StoreCall): Promise<readonly StoredMessage[]> {
    const { abandoned } = this.#state
    const log = { store: this.store, session: this.id, until: this.#stored.seq + 1, abandoned }
    return this.#messages.at(positions, log, call)
  }

  /** All entries, with those that wait. */
  async entries(call: StoreCall): Promise<readonly SessionEntry[]> {
    const stored = await this.store.read(this.id, { ...call, to: this.#stored.seq + 1 })
    return [...stored, ...this.#waiting]
  }

  #time(): number {
    return Math.trunc(this.#now())
  }
}

/** A rewind is made by the log itself, which reads the state it goes back to. */
function noStateBefore(): undefined {
  return undefined
}

function replaced(id: string): PalimpsestError {
  return new PalimpsestError(
    'conflict',
    `Session ${JSON.stringify(id)} was removed, and another one may have its id.`,
    {
      hint: 'Open the session anew, or create one under another id.',
    },
  )
}
