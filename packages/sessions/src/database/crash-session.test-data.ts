import {
  anthropicMessages,
  type Compactor,
  createCompactor,
  type Dialect,
  extractiveSummarizerOf,
  type Prepared,
  type RecordStore,
  type Stores,
  type Summarizer,
} from 'palimpsest'
import { Session } from '../log/session.ts'
import type { SessionStore } from '../log/session-store.ts'

/** Where a session is kept. */
export interface SessionPlace {
  readonly sessions: SessionStore
  readonly stores: Stores
}

export const SESSION = 's'
export const NAMESPACE = 'n'
export const TURNS = 2
const STEPS = 2
const MODEL = 'a-model-of-tests'
const FRAME = { model: MODEL, max_tokens: 100, system: 'You repair programs.' }
/** Tokens: each turn is compacted once. */
const WINDOW = 3_500

/**
 * An agent whose model and tools always say the same, so that two of its sessions are equal to the byte: turns with tool
 * calls, results that are offloaded, summaries, and everything that a program tells its session.
 */
export class CrashAgent {
  readonly session: Session
  readonly #compactor: Compactor<unknown>
  /** Records are kept under this name. */
  root: string | undefined
  /** Requests in the order in which the model answered them, as bytes. */
  readonly sent: string[] = []
  #summaries = 0

  constructor(session: Session, stores: Stores) {
    this.session = session
    this.#compactor = createCompactor<unknown>({
      dialect: anthropicMessages as unknown as Dialect<unknown, object>,
      window: WINDOW,
      stores: { ...stores, records: this.#rooted(stores.records) },
      namespace: NAMESPACE,
      reader: { tool: 'read_history' },
      summarizer: this.#summarizer(),
      now: () => 0,
    })
  }

  /** Begins the session where there is none. */
  static async open({ sessions, stores }: SessionPlace): Promise<CrashAgent> {
    const now = ticking()
    const known = (await sessions.head(SESSION)) !== undefined
    const session = known
      ? await Session.open(sessions, SESSION, { now })
      : await Session.create(sessions, SESSION, { dialect: anthropicMessages, model: MODEL, frame: FRAME, now })
    return new CrashAgent(session, stores)
  }

  /** Takes all turns that are missing. */
  async run(signal?: AbortSignal): Promise<void> {
    while (this.session.snapshot.turn < TURNS) {
      signal?.throwIfAborted()
      await this.takeTurn(signal)
    }
  }

  async takeTurn(signal?: AbortSignal): Promise<void> {
    await this.session.turn(() => this.#turn(signal), { ...(signal && { signal }) })
  }

  /** The next request of the session as it stands, with what compacting it brings. */
  async nextRequest(signal?: AbortSignal): Promise<Prepared<unknown>> {
    const { session } = this
    const request = { ...FRAME, messages: await session.transcript() }
    return this.#compactor.prepare(request, { ...session.forCompactor, ...(signal && { signal }) })
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const { session } = this
    const { turn } = session.snapshot
    session.appendItems([{ role: 'user', content: `Task ${turn}: see what is wrong with src/part-${turn}.ts.` }])
    await this.#commit(signal)
    for (let step = 0; step < STEPS; step++) await this.#step({ turn, step, signal })
    await this.#call(signal, { role: 'assistant', content: [{ type: 'text', text: `Task ${turn} is done.` }] })
    session.add({ type: 'display-segment', role: 'notice', text: `Turn ${turn} took ${STEPS} steps.` })
  }

  async #step({ turn, step, signal }: { turn: number; step: number; signal: AbortSignal | undefined }): Promise<void> {
    const { session } = this
    const id = `call-${turn}-${step}`
    const command = `cat src/part-${turn}.ts`
    const call = { type: 'tool_use', id, name: 'bash', input: { command } }
    await this.#call(signal, { role: 'assistant', content: [{ type: 'text', text: `Step ${step}.` }, call] })
    session.requestAction({ action: id, kind: 'tool', name: 'bash' })
    await this.#commit(signal)
    session.completeAction(id, 'ok')
    const content = Array.from({ length: step === 0 ? 20 : 90 }, (_, line) => lineOf({ turn, step, line })).join('\n')
    session.appendItems([{ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }])
    await this.#commit(signal)
  }

  async #call(signal: AbortSignal | undefined, answer: object): Promise<void> {
    const { session } = this
    const prepared = await this.nextRequest(signal)
    const { record } = prepared
    if (record !== undefined && record.key !== session.snapshot.record?.key) {
      session.applyCompaction(record)
      await this.#commit(signal)
    }
    const input = Math.round(prepared.size.tokens * 1.1)
    const usage = { input, cacheRead: 0, cacheWrite: 0, output: 20 }
    this.sent.push(bytesOf(prepared))
    prepared.observeUsage(usage)
    prepared.done()
    session.appendItems([answer])
    session.recordUsage({ purpose: 'chat', usage, model: MODEL, learned: prepared.learned() })
  }

  /** An agent that is told to stop does nothing more once this is stored. */
  async #commit(signal: AbortSignal | undefined): Promise<void> {
    await this.session.commit()
    signal?.throwIfAborted()
  }

  /** Extractive, and known to the session before it runs. */
  #summarizer(): Summarizer {
    const write = extractiveSummarizerOf()
    return async (input, call) => {
      const action = `summary-${this.session.snapshot.turn}-${this.#summaries++}`
      this.session.requestAction({ action, kind: 'summarize', name: 'extractive' })
      await this.#commit(call.signal)
      const outcome = await write(input, call)
      this.session.completeAction(action, 'ok')
      return outcome
    }
  }

  #rooted(records: RecordStore): RecordStore {
    return {
      list: (root, call) => {
        this.root = root
        return records.list(root, call)
      },
      commit: (root, record, call) => records.commit(root, record, call),
      alone: (root, run, call) => records.alone(root, run, call),
    }
  }
}

/** A store whose appends go another way. */
export function withAppend(store: SessionStore, append: SessionStore['append']): SessionStore {
  return new Proxy(store, {
    get(_, name) {
      if (name === 'append') return append
      const value: unknown = Reflect.get(store, name)
      return typeof value === 'function' ? value.bind(store) : value
    },
  })
}

/** The bytes of a request. */
export function bytesOf({ request }: Prepared<unknown>): string {
  return JSON.stringify(request)
}

function lineOf({ turn, step, line }: { turn: number; step: number; line: number }): string {
  return `src/part-${turn}.ts:${line + 1}: export const value_${turn}_${step}_${line} = compute(${(line * 37) % 101})`
}

/** A clock that is the same in every run. */
function ticking(): () => number {
  let time = 1_700_000_000_000
  return () => time++
}
