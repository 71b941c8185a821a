import {
  type CompactionRecord,
  type Dialect,
  dialectByName,
  PalimpsestError,
  type PrepareOptions,
  type StoreCall,
} from 'palimpsest'
import { type RenderContext, resolveProfile, ShownPlan } from 'palimpsest/engine'
import { carriedOver, UnsettledResults } from './carry-over.ts'
import { chainEntries } from './entry-chain.ts'
import { isAbandoned, placeOf, stateAfter } from './fold-session.ts'
import { interruptedResults } from './interrupted-results.ts'
import { OpenLog } from './open-log.ts'
import { foreignValue, jsonCopy } from './plain-json.ts'
import { renderShown } from './render-shown.ts'
import { type ResumedSession, resumeSession } from './resume-session.ts'
import type {
  ActionCompleted,
  ActionRequested,
  Checkpoint,
  DisplaySegment,
  EntryBody,
  EntryPlace,
  MessageAppended,
  Rewound,
  SessionEntry,
  SessionSnapshot,
  SessionStarted,
  TurnEnded,
  UsageRecorded,
} from './session-entry.ts'
import { type SessionLedger, sessionLedger } from './session-ledger.ts'
import type { SessionStore, StoredMessage, WantedMessages } from './session-store.ts'
import { shownPositions } from './shown-positions.ts'
import { sessionTaken } from './store-refusals.ts'
import { turnAlone } from './turn-alone.ts'
import { UnkeptResults } from './unkept-results.ts'

/** How a session is written. */
export interface SessionOptions extends StoreCall {
  /** Reads and edits its items. Default: the library's own of that name. */
  readonly dialect?: Dialect<unknown, object>
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/** What a new session begins with. */
export interface NewSession
  extends Omit<SessionOptions, 'dialect'>,
    Omit<SessionStarted, 'type' | 'dialect' | 'toolResults'> {
  readonly dialect: Dialect<unknown, object>
  /** Default `full`. */
  readonly toolResults?: SessionStarted['toolResults']
}

/** Something that the user saw, with the place of its entry. */
export type Displayed = EntryPlace & (MessageAppended | DisplaySegment)

/** What may be added one by one: beginning, rewinds and checkpoints are made by the session itself. */
export type AddedBody = Exclude<EntryBody, SessionStarted | Rewound | Checkpoint>

/**
 * A session, and the way to write its log. What is added is there at once, in memory; `commit` stores it. One process may
 * write at a time: `turn` sees to that.
 *
 * @example
 * const session = await Session.create(store, 'abc', { dialect: anthropicMessages })
 * await session.turn(async () => {
 *   session.appendItems([{ role: 'user', content: 'Hello' }])
 *   session.appendItems([await answer(await session.view())])
 * })
 */
export class Session {
  readonly id: string
  readonly dialect: Dialect<unknown, object>
  readonly #log: OpenLog
  readonly #unkept: UnkeptResults
  #shown: { readonly key: string; readonly plan: ShownPlan } | undefined
  /** Calls of the store that write, one after the other. */
  #queue: Promise<unknown> = Promise.resolve()
  #rewinds = 0

  private constructor(
    store: SessionStore,
    id: string,
    { resumed, options }: { readonly resumed: ResumedSession; readonly options: SessionOptions },
  ) {
    const { started } = resumed.snapshot
    this.id = id
    this.dialect = options.dialect ?? dialectByName(started.dialect)
    if (this.dialect.name !== started.dialect) throw otherDialect(id, this.dialect, resumed.snapshot)
    this.#log = new OpenLog(store, id, { resumed, now: options.now ?? Date.now })
    this.#unkept = new UnkeptResults(this.dialect, started.toolResults)
  }

  /** A new session, stored. @throws PalimpsestError `conflict` where the id is taken. */
  static async create(store: SessionStore, id: string, options: NewSession): Promise<Session> {
    const { dialect, now = Date.now, signal, toolResults = 'full', ...told } = options
    const started: SessionStarted = { type: 'session-started', dialect: dialect.name, toolResults, ...told }
    assertJson(started)
    const [entry] = chainEntries([jsonCopy(started)], { after: undefined, at: Math.trunc(now()) })
    if (entry === undefined) throw new TypeError('A session begins with an entry.')
    if ((await store.head(id, { ...(signal && { signal }) })) !== undefined) throw sessionTaken(id)
    await store.append(id, [entry], { ...(signal && { signal }) })
    const snapshot = stateAfter(undefined, entry, () => undefined)
    const resumed = { snapshot, place: placeOf(entry), messages: [], checkpoint: 0 }
    return new Session(store, id, { resumed, options: { dialect, now } })
  }

  /**
   * A stored session, to go on with it: read from its newest checkpoint on. Writes nothing: what a crash left is settled by
   * the next `turn`, or by `settle`.
   * @throws PalimpsestError `not-found`; `invalid-input` where the log is broken or its dialect is not known.
   */
  static async open(store: SessionStore, id: string, options: SessionOptions = {}): Promise<Session> {
    const { signal } = options
    const resumed = await resumeSession(store, id, { ...(signal && { signal }) })
    return new Session(store, id, { resumed, options })
  }

  /** What the log says, with what is not stored yet. */
  get snapshot(): SessionSnapshot {
    return this.#log.snapshot
  }

  /**
   * What a compactor is told of this session beside the request: `compactor.prepare(request, session.forCompactor)`. The log says
   * which compaction is in force: a fork goes on with that of its origin, and one that was taken back stays so. Where it knows
   * of none, and nothing was taken back, a record that was stored and not logged, because the process died, is found by content.
   */
  get forCompactor(): Pick<PrepareOptions, 'session' | 'record' | 'learned'> {
    const { record, learned, abandoned } = this.#state
    const inForce = record ?? (abandoned.length > 0 ? null : undefined)
    return { session: this.id, learned, ...(inForce !== undefined && { record: inForce }) }
  }

  /** The place of the last entry, stored or not. */
  get place(): EntryPlace {
    return this.#log.place
  }

  /** The place of the last entry that is stored. */
  get stored(): EntryPlace {
    return this.#log.stored
  }

  /**
   * Adds entries, as they are now: all of them, or none where one cannot stand there.
   * @throws PalimpsestError `invalid-input` for what is no JSON, or does not follow.
   */
  add(...bodies: readonly AddedBody[]): void {
    if (this.#rewinds > 0) throw new RangeError('The session is being rewound: await that first.')
    for (const body of bodies) assertJson(body)
    this.#put(bodies)
  }

  /** Adds the next items of the transcript. `injected`: the client wrote them by itself. */
  appendItems(items: readonly object[], { injected = false }: { readonly injected?: boolean } = {}): void {
    const { length } = this.#state
    this.add(
      ...items.map((item, n): MessageAppended => {
        return { type: 'message-appended', position: length + n, item, ...(injected && { injected: true as const }) }
      }),
    )
  }

  /** Somebody asked for something: opens a turn. */
  startTurn(): void {
    this.add({ type: 'turn-started' })
  }

  /** Something with an effect is about to run: commit before it does, and another process knows of it. */
  requestAction(action: Omit<ActionRequested, 'type'>): void {
    this.add({ type: 'action-requested', ...action })
  }

  /** An action ended, with what a replay takes instead of running it again. */
  completeAction(
    action: string,
    status: ActionCompleted['status'],
    { output }: { readonly output?: unknown } = {},
  ): void {
    this.add({ type: 'action-completed', action, status, ...(output !== undefined && { output }) })
  }

  /** What a model call cost. */
  recordUsage(usage: Omit<UsageRecorded, 'type'>): void {
    this.add({ type: 'usage-recorded', ...usage })
  }

  /** Puts a compaction in force; nothing where it is already. */
  applyCompaction(record: CompactionRecord): void {
    if (record.key !== this.#state.record?.key) this.add({ type: 'compaction-applied', record })
  }

  /**
   * Stores what was added, in one call. Where that fails everything waits for the next one: calling again is safe, even if the
   * store took it after all.
   * @throws PalimpsestError `conflict` where another process wrote meanwhile: `refresh`, then commit again.
   */
  commit(call: StoreCall = {}): Promise<void> {
    return this.#exclusive(() => this.#log.commit(call))
  }

  /**
   * Ends the turn and stores it, with the counters of the session. A turn that ends otherwise than `answered` leaves nothing
   * running and no call without a result.
   */
  async endTurn(outcome: TurnEnded['outcome'], call: StoreCall = {}): Promise<void> {
    if (!this.#state.turnOpen && !this.#log.waiting.some(({ type }) => type === 'turn-ended'))
      throw new RangeError('There is no turn to end.')
    await this.#closeTurn(outcome, call)
    await this.commit(call)
  }

  /**
   * Settles what a process left that died in the middle of a turn: its actions and open calls are `interrupted`, and so is
   * the turn. For those alone that hold the session: to all others a turn of a living process looks the same. `turn` does it
   * by itself.
   */
  async settle(call: StoreCall = {}): Promise<void> {
    await this.#closeTurn('interrupted', call)
  }

  /**
   * Runs a turn, alone among all processes: reads what others wrote, settles what they left, begins the turn, and ends it as
   * `answered`; as `failed` or, when the signal is aborted, `cancelled`, when `run` throws. All that `run` added is stored then,
   * behind what somebody wrote there without a turn.
   * @throws RangeError from within a turn of the same session, which would wait for itself.
   */
  turn<Result>(run: (session: Session) => Promise<Result>, call: StoreCall = {}): Promise<Result> {
    const alone = async () => {
      await this.#exclusive(() => this.#refresh(call, 'gone'))
      await this.settle(call)
      this.startTurn()
      const result = await this.#untilFailure(run, call)
      await this.#finish('answered')
      return result
    }
    return turnAlone(this.#log, alone, call)
  }

  /**
   * Reads what other processes wrote since, and puts what is not stored yet behind it: messages at their new positions; what
   * the others settled meanwhile (actions, calls, the turn), and a compaction of what is no longer so, is left out.
   * @throws PalimpsestError `conflict` where the session was removed and another one has its id.
   */
  refresh(call: StoreCall = {}): Promise<void> {
    return this.#exclusive(() => this.#refresh(call, 'there'))
  }

  /**
   * Goes back to where the session was after the entry `to`, and stores that. Nothing runs any more; usage still counts. To an
   * entry that was left behind by a rewind, it brings back what led there.
   */
  async rewind(to: number, call: StoreCall = {}): Promise<void> {
    this.#rewinds += 1
    try {
      await this.#exclusive(async () => {
        await this.#log.commit(call)
        await this.#log.rewind(to, call)
        this.#dropUnkept()
      })
    } finally {
      this.#rewinds -= 1
    }
  }

  /**
   * What the model is sent: native items without the system. Reads only those that the plan in force shows. The context
   * defaults to that of the session's model.
   */
  async view(context: Partial<RenderContext> = {}, call: StoreCall = {}): Promise<readonly object[]> {
    const { record, length, started } = this.#state
    if (record === undefined) return this.transcript(call)
    // held on to: it may be another one when the messages are there
    const shown =
      this.#shown?.key === record.key
        ? this.#shown
        : { key: record.key, plan: new ShownPlan(record.plan, record.length) }
    this.#shown = shown
    const messages = await this.#read(shownPositions(record.plan, length), call)
    const { thinkingBinding, strictAlternation } = resolveProfile(started.model)
    const chosen = { thinkingBinding, strictAlternation, ...context }
    return renderShown(messages, { dialect: this.dialect, plan: shown.plan, length, context: chosen })
  }

  /** All items, evicted ones too, or those from a position on. */
  async transcript({ from = 0, ...call }: StoreCall & { readonly from?: number } = {}): Promise<readonly object[]> {
    return (await this.#read([{ from, to: this.#state.length }], call)).map(({ item }) => item as object)
  }

  /** All messages, evicted ones too. */
  messages(call: StoreCall = {}): Promise<readonly StoredMessage[]> {
    return this.#read([{ from: 0, to: this.#state.length }], call)
  }

  /** Where the tokens of the whole transcript are, estimated for a model. Default: the session's. */
  async ledger(model = this.#state.started.model, call: StoreCall = {}): Promise<SessionLedger> {
    const { frame } = this.#state.started
    return sessionLedger(await this.messages(call), { dialect: this.dialect, model, frame })
  }

  /** What the user saw, in order: messages and what was shown beside them, evicted ones too. */
  async display(call: StoreCall = {}): Promise<readonly Displayed[]> {
    const entries = await this.#log.entries(call)
    const { abandoned } = this.#state
    return entries.filter((entry): entry is Displayed => isDisplayed(entry) && !isAbandoned(abandoned, entry.seq))
  }

  /** One after the other: what one call finds, no other one changes. */
  #exclusive<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(run)
    this.#queue = result.catch(() => undefined)
    return result
  }

  async #closeTurn(outcome: TurnEnded['outcome'], call: StoreCall): Promise<void> {
    if (!this.#state.turnOpen && this.#state.running.length === 0) return
    if (outcome !== 'answered') {
      const { hash } = this.place
      const tail = await this.#tail(call)
      // something was added while it was read, by another one that ends the turn say
      if (this.place.hash !== hash) return this.#closeTurn(outcome, call)
      this.#interrupt(tail)
    }
    if (this.#state.turnOpen) this.#put([{ type: 'turn-ended', outcome }])
    this.#dropUnkept()
  }

  /** Nothing runs any more, and no call at the end of the transcript waits; gives the results that say so. */
  #interrupt(tail: readonly object[]): readonly object[] {
    const { running, length } = this.#state
    const results = interruptedResults(this.dialect, tail)
    this.#put([
      ...running.map(({ action }) => ({ type: 'action-completed', action, status: 'interrupted' }) as const),
      ...results.map((item, n) => ({ type: 'message-appended', position: length + n, item }) as const),
    ])
    return results
  }

  #put(bodies: readonly AddedBody[]): void {
    this.#log.push(bodies.map((body) => this.#unkept.storable(body)))
    this.#unkept.hold(bodies)
  }

  async #untilFailure<Result>(run: (session: Session) => Promise<Result>, { signal }: StoreCall): Promise<Result> {
    try {
      return await run(this)
    } catch (error) {
      // why the turn failed matters more; what is not stored waits for the next call
      await this.#finish(signal?.aborted === true ? 'cancelled' : 'failed').catch(() => undefined)
      throw error
    }
  }

  /** The end of what ran as a turn, even if it ended the turn itself, or went back behind its beginning. */
  async #finish(outcome: TurnEnded['outcome']): Promise<void> {
    const store = () => (this.#state.turnOpen ? this.endTurn(outcome) : this.commit())
    await store().catch(async (error) => {
      if (!(error instanceof PalimpsestError && error.code === 'conflict')) throw error
      await this.refresh()
      await store()
    })
  }

  /** The newest items without a gap: those behind everything that was evicted. */
  async #tail(call: StoreCall): Promise<readonly object[]> {
    const { record, length } = this.#state
    const last = record === undefined ? { from: 0, to: length } : shownPositions(record.plan, length).at(-1)
    if (last === undefined || last.to < length) return []
    return (await this.#read([last], call)).map(({ item }) => item as object)
  }

  async #read(positions: WantedMessages['positions'], call: StoreCall): Promise<readonly StoredMessage[]> {
    return this.#unkept.shown(await this.#log.messages(positions, call))
  }

  async #refresh(call: StoreCall, others: Others): Promise<void> {
    const newer = await this.#log.foreignEntries(call)
    if (newer.length > 0) await this.#carryOver(newer, others, call)
  }

  /** What waits may grow while the others' entries are read: it changes place after that, all at once. */
  async #carryOver(newer: readonly SessionEntry[], others: Others, call: StoreCall): Promise<void> {
    const last = newer.at(-1)?.seq
    const resumed = await resumeSession(this.#log.store, this.id, { ...call, ...(last !== undefined && { last }) })
    const tail = others === 'gone' || newer.some(isMessage) ? await this.#tailOf(resumed, call) : undefined
    const { waiting } = this.#log
    const said = waiting.filter(isMessage).length
    const common = newer.some(({ type }) => type === 'rewound') ? 0 : this.#state.length - said
    const held = this.#unkept.take(common)
    this.#log.resumeAt(resumed, common)
    const settled = others === 'gone' && waiting.length > 0 ? this.#settleOthers(tail ?? []) : []
    const unsettled = new UnsettledResults(this.dialect, tail && [...tail, ...settled])
    for (const { seq: _, hash: __, at, ...body } of waiting) {
      const carried = carriedOver(body as EntryBody, { state: this.#state, common, unsettled })
      if (carried === undefined) continue
      this.#log.push([carried], at)
      const item = body.type === 'message-appended' ? held.get(body.position) : undefined
      if (item !== undefined) this.#unkept.put(this.#state.length - 1, item)
    }
  }

  /** What others left in the middle of a turn ends before anything stands behind it; gives the results that this takes. */
  #settleOthers(tail: readonly object[]): readonly object[] {
    if (!this.#state.turnOpen && this.#state.running.length === 0) return []
    const results = this.#interrupt(tail)
    if (this.#state.turnOpen) this.#put([{ type: 'turn-ended', outcome: 'interrupted' }])
    return results
  }

  /** The end of the transcript that others left: what they settled shows there. */
  async #tailOf({ snapshot, place }: ResumedSession, call: StoreCall): Promise<readonly object[] | undefined> {
    const shown = shownPositions(snapshot.record?.plan ?? {}, snapshot.length).at(-1)
    if (shown === undefined) return undefined
    const wanted = { positions: [shown], until: place.seq + 1, abandoned: snapshot.abandoned }
    const messages = await this.#log.store.messages(this.id, { ...call, ...wanted })
    return messages.map(({ item }) => item as object)
  }

  /** From here on results are as they are stored, and shown so. */
  #dropUnkept(): void {
    if (this.#unkept.take().size > 0) this.#shown = undefined
  }

  get #state(): SessionSnapshot {
    return this.#log.snapshot
  }
}

/** The others that wrote: in a turn of their own they may still be there; whoever holds the session knows that they are gone. */
type Others = 'there' | 'gone'

function isMessage({ type }: SessionEntry): boolean {
  return type === 'message-appended'
}

function isDisplayed({ type }: SessionEntry): boolean {
  return type === 'message-appended' || type === 'display-segment'
}

function assertJson(body: EntryBody): void {
  const foreign = foreignValue(body)
  if (foreign === undefined) return
  const place = foreign.pointer === '' ? '' : ` at ${foreign.pointer}`
  throw new PalimpsestError('invalid-input', `What is added as ${body.type} is no JSON: ${foreign.what}${place}.`, {
    hint: 'Add it as it stands in a request body: binary data as base64 text, addresses and times as text.',
  })
}

function otherDialect(id: string, { name }: Dialect, { started }: SessionSnapshot): PalimpsestError {
  return new PalimpsestError(
    'invalid-input',
    `Session ${JSON.stringify(id)} has items of ${started.dialect}, and was opened with ${name}.`,
    { hint: `Open it with the dialect ${started.dialect}.` },
  )
}
