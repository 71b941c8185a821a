import type { Dialect, OverflowFacts } from '../dialects/dialect.ts'
import type { PalimpsestError } from '../engine/errors.ts'
import type { Compacted } from '../engine/ladder/compaction-task.ts'
import { showsLastUserMessage } from '../engine/ladder/postconditions.ts'
import { Transcript } from '../engine/messages/transcript.ts'
import type { Plan } from '../engine/plan/plan.ts'
import { type CompactionRecord, findRecord } from '../engine/record/compaction-record.ts'
import { PositionChain } from '../engine/record/position-chain.ts'
import { readRecord } from '../engine/record/read-record.ts'
import { sha256 } from '../engine/record/sha256.ts'
import { type Calibration, UNCALIBRATED } from '../engine/tokens/calibration.ts'
import { measureMessage, type TokenMeter, tokensOf } from '../engine/tokens/ledger.ts'
import type { RecordStore } from '../stores/ports.ts'
import type { EventDraft } from './event-source.ts'
import { sameJson } from './same-json.ts'
import { ShownRecord } from './shown-record.ts'
import { storeFailure } from './store-failure.ts'
import { GrowingSlices } from './summary-input.ts'

/** Whose conversation a branch is of. */
export interface BranchScope {
  readonly namespace: string
  /** As the caller named it. */
  readonly session?: string
  /** The tokenizer family that its messages are measured with. */
  readonly family: string
}

/** An overflow that was seen too late for a retry: the next request is compacted whatever its size. */
export interface LateOverflow {
  readonly facts: OverflowFacts
  /** Tokens of the request that was refused. */
  readonly sent: number
}

/** A plan that was prepared ahead, for the request that will need it. */
export interface PlanInWaiting {
  /** Ends its preparation. */
  cancel(): void
  /** Undefined where nothing came of it. Never rejects. */
  readonly outcome: Promise<Pick<Compacted<object>, 'plan' | 'strategies'> | undefined>
}

/** What a branch is made with. */
export interface BranchSetup<Item extends object> {
  readonly dialect: Dialect<unknown, Item>
  readonly meters: Meters
  readonly scope: BranchScope
  /** What of an item may be kept beyond this process; absent: all of it. */
  readonly keptForm: ((item: Item) => Item) | undefined
}

/** Digits of the name of a session that nobody named. */
const SESSION_DIGITS = 16
/** Rough bytes in memory of one token's worth of message, and of one message beside its text: its reading, its hashes. */
const BYTES_PER_TOKEN = 12
const BYTES_PER_ITEM = 1_000

/**
 * One line of a conversation as it was last seen: everything that is derived from its items, so that the next request
 * costs only what is new. A caller that edits or forks its history starts another one.
 */
export class Branch<Item extends object> {
  readonly scope: BranchScope
  /** As the caller named the conversation, else by its content and the number of the fork. */
  readonly session: string
  /** Where the store keeps the records of this conversation and its forks. */
  readonly root: string
  readonly transcript: Transcript<Item>
  /** The transcript as it is kept: what records, histories and summaries are made from. The same one, as a rule. */
  readonly kept: Transcript<Item>
  readonly chain: PositionChain<Item>
  readonly slices = new GrowingSlices()
  readonly #upperMeter: TokenMeter
  /** Sum of the upper estimates of items [0, n). */
  readonly #upper: number[] = [0]
  #mostBytes = 0
  #counted = 0
  #isPinned = false
  readonly #keptForm: ((item: Item) => Item) | undefined
  #searched = 0

  /** The compaction in force. */
  #record: CompactionRecord | undefined
  #shown: ShownRecord | undefined
  /** Were the store's records looked through? */
  loaded = false
  /** What each model's usage taught. */
  readonly calibrations = new Map<string, Calibration>()
  /** Mean estimate of the request whose compaction came to nothing: none is tried again by itself before it has grown. */
  failedAt: number | undefined
  /** Why the last attempt came to nothing, while it still holds. */
  stuck: PalimpsestError | undefined
  due: LateOverflow | undefined
  /** A size that the provider refused without saying what would fit. */
  bound: number | undefined
  inWaiting: PlanInWaiting | undefined
  /** What this plan takes out of the view stands in the history: this process put it there. */
  inHistory: Plan | undefined
  #turn: Promise<void> | undefined
  /** Requests that wait for their turn: they want what the one before them prepares. */
  waiting = 0

  constructor({ dialect, meters, scope, keptForm }: BranchSetup<Item>, items: readonly Item[]) {
    this.scope = scope
    this.#upperMeter = meters.upper
    this.#keptForm = keptForm
    this.transcript = new Transcript<Item>(dialect, meters.mean, items)
    this.kept =
      keptForm === undefined ? this.transcript : new Transcript<Item>(dialect, meters.mean, items.map(keptForm))
    this.chain = new PositionChain<Item>(dialect, this.kept.items)
    const { namespace, session } = scope
    const name = session === undefined ? ['content', this.chain.at(1)] : ['session', session]
    this.root = sha256(JSON.stringify([namespace, dialect.name, ...name]))
    this.session = session ?? this.root.slice(0, SESSION_DIGITS)
  }

  get record(): CompactionRecord | undefined {
    return this.#record
  }

  set record(record: CompactionRecord | undefined) {
    if (record?.key !== this.#record?.key) this.#shown = undefined
    this.#record = record
  }

  /** The view under the record, worked out once and then continued. */
  get shown(): ShownRecord | undefined {
    if (this.#record !== undefined) this.#shown ??= new ShownRecord(this.#record)
    return this.#shown
  }

  get bytes(): number {
    return tokensOf(this.transcript.ledger.units()) * BYTES_PER_TOKEN + this.transcript.length * BYTES_PER_ITEM
  }

  get busy(): Promise<void> | undefined {
    return this.#turn
  }

  /** Takes the turn; the result gives it back. */
  take(): () => void {
    let end = () => {}
    this.#turn = new Promise<void>((resolve) => {
      end = resolve
    })
    return () => {
      this.#turn = undefined
      end()
    }
  }

  /**
   * Takes the deepest record of the store that applies; that of a `relative` counts too, where the beginning was changed. A
   * store that does not answer is asked again by the next request: what is in force stays.
   */
  async load(
    store: RecordStore,
    dialect: string,
    emit: (event: EventDraft) => void,
    relative?: Branch<Item>,
  ): Promise<void> {
    const stored = await this.#stored(store, emit)
    const known = [relative?.record, this.record].filter((one) => one !== undefined)
    // what is only known here was compacted last
    const records = [...stored, ...known.filter(({ key }) => !stored.some((one) => one.key === key))]
    const view = (position: number) => this.transcript.view(position)
    // after a rewind the last user message may be another, which the plan took away
    const applicable = records.filter(
      ({ plan, extent }) => extent <= this.chain.length && showsLastUserMessage(this.transcript, plan),
    )
    const found = findRecord(applicable, { namespace: this.scope.namespace, dialect }, { chain: this.chain, view })
    if (found === undefined) return
    this.record = found.record
    if (!found.reanchored) return
    emit({ type: 'reanchored', recordId: found.record.key })
    await store
      .commit(this.root, found.record)
      .catch((error) => emit({ type: 'store-failed', error: storeFailure(error) }))
  }

  async #stored(store: RecordStore, emit: (event: EventDraft) => void): Promise<readonly CompactionRecord[]> {
    try {
      const stored: readonly unknown[] = await store.list(this.root)
      this.loaded = true
      return stored.flatMap((one) => readRecord(one) ?? [])
    } catch (error) {
      emit({ type: 'store-failed', error: storeFailure(error) })
      return []
    }
  }

  append(items: readonly Item[]): void {
    const kept = this.#keptForm === undefined ? items : items.map(this.#keptForm)
    this.transcript.append(items)
    if (this.kept !== this.transcript) this.kept.append(kept)
    this.chain.append(kept)
  }

  /** How many items this branch and that list begin with in common. */
  common(items: readonly Item[]): number {
    const most = Math.min(items.length, this.transcript.length)
    for (let position = 0; position < most; position++) {
      const item = items[position] as Item
      if (!this.#isSame(position, item)) return position
    }
    return most
  }

  /** Cache marks and other volatile fields make no other item. */
  #isSame(position: number, item: Item): boolean {
    const known = this.transcript.item(position)
    if (sameJson(known, item)) return true
    const { lens } = this.transcript
    return lens.fingerprint(item) === lens.fingerprint(known)
  }

  /** Upper estimate over mean estimate of all items: what an uncalibrated size is taken times. */
  upperRatio(): number {
    const { length, ledger } = this.transcript
    for (let position = this.#upper.length - 1; position < length; position++) {
      const units = measureMessage(ledger.message(position).view, this.#upperMeter).units
      this.#upper.push((this.#upper[position] ?? 0) + units)
    }
    return ledger.units() === 0 ? 1 : (this.#upper[length] ?? 0) / ledger.units()
  }

  /** Is there an item of a provider's own compaction, which makes what stands before it count nothing? */
  hasPinned(): boolean {
    for (; !this.#isPinned && this.#searched < this.transcript.length; this.#searched++) {
      this.#isPinned = this.transcript.view(this.#searched).parts.some((part) => part.pinned === true)
    }
    return this.#isPinned
  }

  /** Most bytes that all texts and media can have on the wire: a UTF-16 unit has three at most. */
  mostBytes(): number {
    const { length } = this.transcript
    for (; this.#counted < length; this.#counted++) {
      for (const part of this.transcript.view(this.#counted).parts) {
        this.#mostBytes += part.text().length * 3 + (part.media ?? []).reduce((sum, media) => sum + media.bytes, 0)
      }
    }
    return this.#mostBytes
  }

  calibration(model: string): Calibration {
    return this.calibrations.get(model) ?? UNCALIBRATED
  }
}

/** The meters of one model's family. */
export interface Meters {
  readonly mean: TokenMeter
  readonly upper: TokenMeter
}
