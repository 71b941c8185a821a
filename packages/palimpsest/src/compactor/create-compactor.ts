import type { OverflowFacts } from '../dialects/dialect.ts'
import { PalimpsestError } from '../engine/errors.ts'
import { isItem } from '../engine/messages/transcript.ts'
import type { CompactionRecord } from '../engine/record/compaction-record.ts'
import { readRecord } from '../engine/record/read-record.ts'
import { measureMessage, tokensOf } from '../engine/tokens/ledger.ts'
import { modelFamily } from '../engine/tokens/model-family.ts'
import { resolveProfile } from '../engine/tokens/profiles.ts'
import { abortable } from './abortable.ts'
import { Branch, type BranchScope } from './branch.ts'
import type { Compactor, CompactorOptions, Prepared, PrepareOptions } from './compactor.ts'
import { ContextOverflowError } from './context-overflow-error.ts'
import type { Incoming, Refusal } from './incoming.ts'
import { KnownBranches } from './known-branches.ts'
import { takeUp } from './learned-state.ts'
import { LiveCall } from './live-call.ts'
import type { CompactionCause } from './live-compaction.ts'
import { PreparedRequest } from './prepared-request.ts'
import { Workshop } from './workshop.ts'

/**
 * A compactor for one wire format: the engine, live, in front of every model call.
 *
 * @example
 * const compactor = createCompactor({ dialect: anthropicMessages })
 * const prepared = await compactor.prepare(body)
 * const response = await send(prepared.request)
 * prepared.observe(response)
 */
export function createCompactor<Request>(options: CompactorOptions<Request>): Compactor<Request> {
  return new LiveCompactor<Request>(options)
}

const DEFAULT_MEMORY = { conversations: 256, bytes: 256 * 1024 * 1024 }
const NO_REFUSALS = { compacted: 0, lowered: false, stripped: false } as const
const DEFAULT_RETRIES = 2
/** Below this much room, or this share of a small window, a lower output cap is no answer to a refusal. */
const LEAST_OUTPUT = 4_096
const LEAST_OUTPUT_SHARE = 0.25
const THINKING_HEADROOM = 1_024

class LiveCompactor<Request> implements Compactor<Request> {
  readonly #workshop: Workshop<Request>
  readonly #branches: KnownBranches<object>

  constructor(options: CompactorOptions<Request>) {
    this.#workshop = new Workshop(options)
    this.#branches = new KnownBranches({ ...DEFAULT_MEMORY, ...options.memory })
  }

  prepare(request: Request, options: PrepareOptions = {}): Promise<Prepared<Request>> {
    return this.#attempt(this.#incoming(request, options), undefined)
  }

  compactNow(
    request: Request,
    reason: 'manual' | 'tool',
    { focus, ...options }: PrepareOptions & { readonly focus?: string } = {},
  ): Promise<Prepared<Request>> {
    return this.#attempt(this.#incoming(request, options), { reason, ...(focus !== undefined && { focus }) })
  }

  requestCompaction(session: string, namespace = this.#workshop.namespaceOf({})): void {
    this.#workshop.requestCompaction(namespace, session)
  }

  #incoming(request: Request, options: PrepareOptions): Incoming<Request> {
    const conversation = this.#workshop.dialect.open(request)
    const model = this.#workshop.options.model ?? conversation.model ?? ''
    return { request, options, conversation, model, refusals: NO_REFUSALS }
  }

  #attempt(incoming: Incoming<Request>, forced: CompactionCause | undefined): Promise<Prepared<Request>> {
    const { conversation, options } = incoming
    const { items } = conversation
    // what is no message the provider refuses in its own words
    if (items.length === 0 || conversation.historyOnServer === true || !items.every(isItem)) {
      return Promise.resolve(this.#withoutHistory(incoming))
    }
    return abortable(this.#onBranch(incoming, forced), options.signal)
  }

  /** To the end, even when the caller leaves: others may wait for the same view. */
  async #onBranch(incoming: Incoming<Request>, forced: CompactionCause | undefined): Promise<Prepared<Request>> {
    const { branch, relative, release } = await this.#claim(incoming)
    try {
      const workshop = this.#workshop
      const emit = workshop.emitterOf(branch.session, incoming.model, incoming.options)
      if (incoming.options.record === undefined) {
        if (!branch.loaded) await branch.load(workshop.stores.records, workshop.dialect.name, emit, relative)
      } else if (incoming.refusals === NO_REFUSALS) branch.record = recordInForce(incoming)
      const retry = (refusal: Refusal) => this.#retry(incoming, { ...refusal, session: branch.session })
      return await new LiveCall({ workshop, branch, incoming, retry }).prepare(forced)
    } finally {
      release()
    }
  }

  /** The branch that this request continues, for this request alone. Waits for its turn. */
  async #claim(incoming: Incoming<Request>) {
    const { conversation, options, model } = incoming
    const scope = this.#scopeOf(options, model)
    for (;;) {
      const found = this.#branches.find(scope, conversation.items)
      const branch = found.kind === 'continued' ? found.branch : this.#newBranch(incoming, scope, found.relative)
      if (branch.busy === undefined) {
        branch.append(conversation.items.slice(branch.transcript.length))
        this.#branches.touch(branch)
        return { branch, relative: found.kind === 'new' ? found.relative : undefined, release: branch.take() }
      }
      branch.waiting++
      await abortable(branch.busy, options.signal).finally(() => branch.waiting--)
    }
  }

  #scopeOf(options: PrepareOptions, model: string): BranchScope {
    const { session } = options
    const namespace = this.#workshop.namespaceOf(options)
    return { namespace, family: modelFamily(model), ...(session !== undefined && { session }) }
  }

  #newBranch(
    { conversation, options, model }: Incoming<Request>,
    scope: BranchScope,
    relative: Branch<object> | undefined,
  ): Branch<object> {
    const { dialect, keptForm } = this.#workshop
    const setup = { dialect, meters: this.#workshop.metersOf(model), scope, keptForm }
    const branch = new Branch(setup, conversation.items)
    if (relative === undefined) takeUp(branch, options.learned ?? {})
    for (const [name, calibration] of relative?.calibrations ?? []) branch.calibrations.set(name, calibration)
    return branch
  }

  /** The next attempt after a refusal: the cheaper remedy first, then the ladder, then an error that says what to do. */
  #retry(incoming: Incoming<Request>, refusal: Refusal & { readonly session: string }): Promise<Prepared<Request>> {
    const { facts, sent } = refusal
    const { refusals } = incoming
    const attempt = refusals.compacted + 1
    const cap = refusals.lowered ? undefined : roomForOutput(incoming, facts, sent)
    const remedy = this.#remedy(incoming, facts)
    const emit = this.#workshop.emitterOf(refusal.session, incoming.model, incoming.options)
    emit({ type: 'overflow-detected', facts, attempt, remedy: cap === undefined ? remedy : 'output-cap' })
    if (cap !== undefined) {
      const lowered = { ...incoming, outputCap: cap, refusals: { ...refusals, lowered: true } }
      return this.#learnThenPrepare(lowered, facts)
    }
    if (remedy === 'none') return Promise.reject(exhausted(refusal, attempt))
    const isBound = remedy === 'without-reasoning'
    const next = isBound ? { ...refusals, stripped: true } : { ...refusals, compacted: attempt }
    return this.#attempt(
      { ...incoming, refusals: next },
      {
        reason: 'overflow',
        facts,
        attempt,
        sent,
        failure: refusal.failure,
        recordId: refusal.recordId,
      },
    )
  }

  #remedy({ refusals }: Incoming<Request>, { kind }: OverflowFacts): 'without-reasoning' | 'compaction' | 'none' {
    if (kind === 'reasoning-bound') return refusals.stripped ? 'none' : 'without-reasoning'
    const most = this.#workshop.preset.overflowRetries ?? DEFAULT_RETRIES
    return refusals.compacted < most ? 'compaction' : 'none'
  }

  async #learnThenPrepare(incoming: Incoming<Request>, facts: OverflowFacts): Promise<Prepared<Request>> {
    const { options, model } = incoming
    const scope = {
      namespace: this.#workshop.namespaceOf(options),
      upstream: this.#workshop.upstreamOf(options),
      model,
    }
    if (facts.limit !== undefined) await this.#workshop.limits.learn(scope, facts.limit)
    return this.#attempt(incoming, undefined)
  }

  /** Nothing here to compact: the request goes out as it came, and a refusal is told for what it is. */
  #withoutHistory(incoming: Incoming<Request>): Prepared<Request> {
    const { conversation, model, request } = incoming
    const workshop = this.#workshop
    const meters = workshop.metersOf(model)
    const overhead = workshop.overheads.measure(conversation, meters, modelFamily(model))
    const units = conversation.items
      .filter(isItem)
      .reduce((sum, item) => sum + measureMessage(workshop.dialect.view(item), meters.upper).units, 0)
    const window = workshop.options.window ?? resolveProfile(model, workshop.options.profiles).window
    const session = incoming.options.session ?? 'none'
    return new PreparedRequest<Request, object>({
      dialect: workshop.dialect,
      request,
      changed: false,
      compacted: false,
      session,
      model,
      size: { tokens: overhead.upper + tokensOf(units), basis: 'estimated' },
      window,
      record: undefined,
      emit: workshop.emitterOf(session, model, incoming.options),
      retry: async (facts, failure) => {
        if (conversation.historyOnServer === true) throw onServer(failure)
        throw exhausted({ facts, failure }, 1)
      },
    })
  }
}

/** The record that the caller names. @throws PalimpsestError for what is none, or is one of a longer conversation. */
function recordInForce({ options, conversation }: Incoming<unknown>): CompactionRecord | undefined {
  if (options.record === null) return undefined
  const record = readRecord(options.record)
  if (record === undefined) {
    throw new PalimpsestError('invalid-input', 'The record that is said to be in force is none.', {
      hint: 'Give one that `prepared.record` gave, or null where there is none.',
    })
  }
  const { items } = conversation
  if (record.extent <= items.length) return record
  throw new PalimpsestError(
    'plan-mismatch',
    `The record that is said to be in force reads ${record.extent} messages, of which there are ${items.length}.`,
    { hint: 'Give the record that was in force at this place of the conversation, or null where none was.' },
  )
}

/** The output cap that leaves the refused request room, where the request has one and that is all it takes. */
function roomForOutput(
  { conversation: { outputCap, thinkingBudget } }: Incoming<unknown>,
  facts: OverflowFacts,
  sent: number,
): number | undefined {
  if (facts.kind !== 'output' || facts.limit === undefined || outputCap === undefined) return undefined
  const room = facts.limit - (facts.size ?? Math.ceil(sent * 1.02)) - 1
  const worthwhile = Math.min(outputCap, LEAST_OUTPUT, Math.floor(facts.limit * LEAST_OUTPUT_SHARE))
  const least = Math.max(worthwhile, (thinkingBudget ?? -THINKING_HEADROOM) + THINKING_HEADROOM)
  return room >= least && room < outputCap ? room : undefined
}

function exhausted(
  { facts, failure }: { readonly facts: OverflowFacts; readonly failure: unknown },
  attempts: number,
): ContextOverflowError {
  return new ContextOverflowError(
    `The provider refused the request as too large ${attempts === 1 ? 'once' : `${attempts} times`}: ${facts.detail}`,
    {
      hint: 'Start a new session, shorten the newest messages, or use a model with a larger window.',
      attempts,
      facts,
      cause: failure,
    },
  )
}

function onServer(cause: unknown): PalimpsestError {
  return new PalimpsestError(
    'history-on-server',
    'The request is too large, and its history lies at the provider: there is nothing here to compact.',
    { hint: 'Send the whole history instead of previous_response_id or conversation.', cause },
  )
}
