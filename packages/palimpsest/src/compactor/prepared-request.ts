import type { Dialect, OverflowFacts, Usage } from '../dialects/dialect.ts'
import type { CompactionRecord } from '../engine/record/compaction-record.ts'
import { type Calibration, observeUsage } from '../engine/tokens/calibration.ts'
import type { TokenCount } from '../engine/tokens/ledger.ts'
import { entryFingerprint } from '../stores/history-entry.ts'
import type { Branch } from './branch.ts'
import type { Prepared } from './compactor.ts'
import type { EventDraft } from './event-source.ts'
import { type LearnedState, learnedState } from './learned-state.ts'
import type { SizedRequest } from './sized-request.ts'

/** What an attempt needs of the compactor that made it. */
export interface PreparedSetup<Request, Item extends object> {
  readonly dialect: Dialect<unknown, Item>
  readonly request: Request
  readonly changed: boolean
  readonly compacted: boolean
  readonly session: string
  readonly model: string
  /** Absent for a request that has no history here: then there is nothing to compact and nothing to learn. */
  readonly known?: { readonly branch: Branch<Item>; readonly sized: SizedRequest<Item> }
  readonly size: TokenCount
  readonly window: number | undefined
  readonly record: CompactionRecord | undefined
  readonly emit: (event: EventDraft) => void
  /** The next attempt after this overflow. */
  readonly retry: (facts: OverflowFacts, failure: unknown) => Promise<Prepared<Request>>
}

/** See `Prepared`. */
export class PreparedRequest<Request, Item extends object> implements Prepared<Request> {
  readonly request: Request
  readonly changed: boolean
  readonly compacted: boolean
  readonly size: TokenCount
  readonly window?: number
  readonly session: string
  readonly recordId?: string
  readonly own: (position: number) => string | undefined
  readonly record?: CompactionRecord
  readonly #setup: PreparedSetup<Request, Item>
  /** What was known before this answer: a stream tells its usage more than once, and counts once. */
  readonly #before: Calibration | undefined
  #usage: Usage | undefined
  #isDone = false

  constructor(setup: PreparedSetup<Request, Item>) {
    this.#setup = setup
    this.#before = setup.known?.branch.calibration(setup.model)
    this.request = setup.request
    this.changed = setup.changed
    this.compacted = setup.compacted
    this.size = setup.size
    this.session = setup.session
    this.own = ownEntries(setup.known?.branch)
    if (setup.window !== undefined) this.window = setup.window
    if (setup.record !== undefined) {
      this.record = setup.record
      this.recordId = setup.record.key
    }
  }

  observe(responseOrEvent: unknown): OverflowFacts | undefined {
    const usage = this.#setup.dialect.usage(responseOrEvent)
    if (usage !== undefined) this.observeUsage(usage)
    const outcome = this.#setup.dialect.outcome(responseOrEvent, this.#context())
    return outcome === 'ok' ? undefined : outcome
  }

  observeUsage(usage: Usage): void {
    this.#usage = joined(this.#usage, usage)
    const { known, model } = this.#setup
    if (known === undefined || this.#before === undefined || this.#usage.input <= 0) return
    const { sized, branch } = known
    const calibration = observeUsage(this.#before, {
      input: this.#usage.input,
      estimate: sized.mean,
      tools: sized.overhead.tools,
      ...(sized.key !== undefined && { view: sized.key }),
      serverEdited: sized.conversation.serverEdits === true,
    })
    branch.calibrations.set(model, calibration)
  }

  learned(): LearnedState | undefined {
    const { known, model } = this.#setup
    return known === undefined ? undefined : learnedState(known.branch, model)
  }

  done(): void {
    if (this.#isDone || this.#usage === undefined) return
    this.#isDone = true
    this.#setup.emit({
      type: 'usage-observed',
      usage: this.#usage,
      predicted: this.size.tokens,
      ...(this.window !== undefined && { window: this.window }),
    })
  }

  overflow(failure: unknown): OverflowFacts | undefined {
    return this.#setup.dialect.overflow(failure, this.#context())
  }

  async recover(failure: unknown): Promise<Prepared<Request> | undefined> {
    const facts = this.overflow(failure)
    return facts === undefined ? undefined : this.#setup.retry(facts, failure)
  }

  recoverFrom(facts: OverflowFacts): Promise<Prepared<Request>> {
    return this.#setup.retry(facts, undefined)
  }

  markOverflow(facts: OverflowFacts): void {
    const branch = this.#setup.known?.branch
    if (branch !== undefined) branch.due = { facts, sent: this.size.tokens }
  }

  #context() {
    return { size: this.size.tokens, window: this.window ?? Number.POSITIVE_INFINITY }
  }
}

/** Whoever keeps this for later does not keep the conversation in memory. */
function ownEntries<Item extends object>(branch: Branch<Item> | undefined): (position: number) => string | undefined {
  const held = branch && new WeakRef(branch)
  return (position) => {
    const chain = held?.deref()?.chain
    return chain !== undefined && position < chain.length ? entryFingerprint(chain.fingerprint(position)) : undefined
  }
}

/** A stream's later numbers are the fuller ones; what an event leaves out is 0 there. */
function joined(before: Usage | undefined, after: Usage): Usage {
  if (before === undefined) return after
  const most = (key: keyof Usage) => Math.max(before[key], after[key])
  return { input: most('input'), cacheRead: most('cacheRead'), cacheWrite: most('cacheWrite'), output: most('output') }
}
