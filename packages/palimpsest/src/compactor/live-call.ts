import type { CacheBreakpoints } from '../dialects/dialect.ts'
import { PalimpsestError } from '../engine/errors.ts'
import { assumeView, forgetViews } from '../engine/tokens/calibration.ts'
import { prepareAhead } from './background.ts'
import type { Branch } from './branch.ts'
import { CallSizing } from './call-sizing.ts'
import type { Prepared } from './compactor.ts'
import { ContextOverflowError } from './context-overflow-error.ts'
import type { EventDraft } from './event-source.ts'
import type { Incoming, Refusal } from './incoming.ts'
import { LEAST_LIMIT } from './known-limits.ts'
import {
  type CompactionCause,
  type CompactionResult,
  type CompactionSettings,
  compactSized,
  type OverflowCause,
} from './live-compaction.ts'
import { refusedTokens } from './overflow-ladder.ts'
import { PreparedRequest } from './prepared-request.ts'
import { fits, type SizedRequest } from './sized-request.ts'
import { storeFailure } from './store-failure.ts'
import type { Workshop } from './workshop.ts'

/** After an attempt that came to nothing, the request must grow by this share of the trigger before the next. */
const REARM_SHARE = 0.05

interface Judgement {
  readonly sized: SizedRequest<object>
  readonly cause: CompactionCause | undefined
}

export interface CallSetup<Request> {
  readonly workshop: Workshop<Request>
  readonly branch: Branch<object>
  readonly incoming: Incoming<Request>
  readonly retry: (refusal: Refusal) => Promise<Prepared<Request>>
}

/** One attempt of one model call, while it has its branch to itself. */
export class LiveCall<Request> {
  readonly #workshop: Workshop<Request>
  readonly #branch: Branch<object>
  readonly #incoming: Incoming<Request>
  readonly #retry: CallSetup<Request>['retry']
  readonly #emit: (event: EventDraft) => void
  readonly #sizing: CallSizing<Request>

  constructor({ workshop, branch, incoming, retry }: CallSetup<Request>) {
    this.#workshop = workshop
    this.#branch = branch
    this.#incoming = incoming
    this.#retry = retry
    this.#emit = workshop.emitterOf(branch.session, incoming.model, incoming.options)
    const outgoing = (sized: SizedRequest<object>) => this.#outgoing(sized).request
    this.#sizing = new CallSizing({ workshop, branch, incoming, emit: this.#emit, outgoing })
  }

  async prepare(forced: CompactionCause | undefined): Promise<PreparedRequest<Request, object>> {
    const asked = forced ?? this.#asked()
    const { sized, cause } = await this.#judge(asked)
    if (cause === undefined) {
      if (asked === undefined) this.#prepareAhead(sized)
      return this.#ready(sized, false)
    }
    return this.#alone(async () => {
      const isNewer = await this.#adoptNewer()
      const now = isNewer ? await this.#judge(asked) : { sized, cause }
      return now.cause === undefined ? this.#ready(now.sized, false) : this.#compact(now.sized, now.cause)
    })
  }

  /** The request measured, and why it must be compacted; no cause: it goes out as it is. */
  async #judge(asked: CompactionCause | undefined): Promise<Judgement> {
    const sized = await this.#sizing.size()
    if (asked?.reason !== 'overflow') return { sized, cause: asked ?? this.#cause(sized) }
    if (this.#isAnswered(asked, sized)) return { sized, cause: undefined }
    return { sized: await this.#afterRefusal(asked, sized), cause: asked }
  }

  /**
   * One compaction of a conversation at a time, whichever processes send it: who waited finds what the one before left. Where
   * the turn is not to be had it runs all the same: of two records with one key the store keeps the first. A caller who leaves
   * does not go on waiting.
   */
  async #alone<Result>(run: () => Promise<Result>): Promise<Result> {
    let hasBegun = false
    const stay = this.#whileWanted()
    try {
      const begin = () => {
        hasBegun = true
        return run()
      }
      return await this.#workshop.stores.records.alone(this.#branch.root, begin, { signal: stay.signal })
    } catch (error) {
      if (hasBegun || stay.signal.aborted) throw error
      this.#emit({ type: 'store-failed', error: storeFailure(error) })
      return run()
    } finally {
      stay.end()
    }
  }

  /** Aborted when the caller leaves, or has left, and nobody else waits for the same view: such a one must not lose it. */
  #whileWanted(): {
    readonly signal: AbortSignal
    readonly abort: (reason: unknown) => void
    readonly end: () => void
  } {
    const own = new AbortController()
    const { signal } = this.#incoming.options
    const leave = () => this.#branch.waiting === 0 && own.abort(signal?.reason)
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave, { once: true })
    return {
      signal: own.signal,
      abort: (reason) => own.abort(reason),
      end: () => signal?.removeEventListener('abort', leave),
    }
  }

  /** What was asked for since the last request: by the model's tool, or by an overflow that was seen too late. */
  #asked(): CompactionCause | undefined {
    const { due, scope } = this.#branch
    if (due !== undefined) return { reason: 'overflow', ...due, attempt: 0 }
    if (scope.session === undefined) return undefined
    return this.#workshop.takeRequested(scope.namespace, scope.session) ? { reason: 'tool' } : undefined
  }

  /** Has the request been compacted since it was refused, by another retry or process? Then that view is the answer. */
  #isAnswered({ attempt, recordId, sent, facts }: OverflowCause, { record, size }: SizedRequest<object>): boolean {
    if (attempt === 0 || record === undefined || record.key === recordId) return false
    return size.tokens < Math.min(sent, facts.limit ?? sent)
  }

  /** The request in the light of what a refusal told of the window, and of the size of what was refused. */
  async #afterRefusal(cause: OverflowCause, sized: SizedRequest<object>): Promise<SizedRequest<object>> {
    const { facts, sent, attempt } = cause
    if (facts.kind === 'bytes' || facts.kind === 'reasoning-bound') return sized
    if (facts.limit !== undefined && facts.limit >= LEAST_LIMIT) {
      await this.#workshop.limits.learn(this.#sizing.limitScope, facts.limit)
    } else if (facts.kind === 'tokens') this.#branch.bound = Math.min(this.#branch.bound ?? sent, sent)
    const refused = refusedTokens(facts, { sent, mean: sized.mean })
    // what was refused too late has grown since
    const tokens = attempt === 0 ? Math.max(refused, sized.size.tokens) : refused
    return this.#sizing.measured(sized, tokens)
  }

  /** Why this request must be compacted; undefined: it goes out as it is. @throws ContextOverflowError where it cannot. */
  #cause(sized: SizedRequest<object>): CompactionCause | undefined {
    if (this.#incoming.options.effort === 'recovery') return undefined
    if (sized.size.tokens < sized.limits.trigger && !sized.bytes.tooMany) return undefined
    if (!this.#isSuppressed(sized)) return { reason: 'threshold' }
    if (!fits(sized)) throw this.#tooLarge(sized, this.#branch.stuck)
    return undefined
  }

  /** Has the history hardly grown since an attempt that came to nothing? Growth counts as sizes are known now. */
  #isSuppressed({ mean, scale, limits }: SizedRequest<object>): boolean {
    const { failedAt } = this.#branch
    if (failedAt === undefined) return false
    return (mean - failedAt) * scale < Math.max(1, limits.trigger * REARM_SHARE)
  }

  /** Another process may have compacted the same conversation; a caller who names the record in force would know. */
  async #adoptNewer(): Promise<boolean> {
    if (this.#incoming.options.record !== undefined) return false
    const before = this.#branch.record
    await this.#branch.load(this.#workshop.stores.records, this.#workshop.dialect.name, this.#emit)
    return this.#branch.record?.key !== before?.key
  }

  async #compact(sized: SizedRequest<object>, cause: CompactionCause): Promise<PreparedRequest<Request, object>> {
    const result = await this.#runCompaction(sized, cause)
    if (result.status !== 'applied') {
      if (cause.reason !== 'overflow' || cause.attempt > 0) return this.#uncompacted(sized, cause, result)
      return this.#afterLateOverflow(sized, cause, result)
    }
    const branch = this.#branch
    branch.record = result.record
    branch.due = undefined
    branch.stuck = undefined
    branch.inWaiting = undefined
    for (const [model, calibration] of branch.calibrations) branch.calibrations.set(model, forgetViews(calibration))
    const after = await this.#sizeAfter(result.tokensAfter)
    branch.failedAt = after.size.tokens >= after.limits.trigger ? after.mean : undefined
    return this.#ready(after, true)
  }

  /** The remedy of an overflow that was seen too late came to nothing: what does not fit is compacted as any other. */
  #afterLateOverflow(
    sized: SizedRequest<object>,
    cause: CompactionCause,
    result: Exclude<CompactionResult, { status: 'applied' }>,
  ): Promise<PreparedRequest<Request, object>> | PreparedRequest<Request, object> {
    this.#branch.due = undefined
    if (fits(sized) || result.status === 'cancelled') return this.#uncompacted(sized, cause, result)
    return this.#compact(sized, { reason: 'threshold' })
  }

  /** The new view, of the size that its compaction ended with: the next request starts from that too. */
  async #sizeAfter(tokens: number): Promise<SizedRequest<object>> {
    const { model } = this.#incoming
    const sized = await this.#sizing.underRecord()
    if (sized.key === undefined) return sized
    const assumed = { ...sized.key, input: tokens, estimate: sized.mean, tools: sized.overhead.tools }
    this.#branch.calibrations.set(model, assumeView(this.#branch.calibration(model), assumed))
    return this.#sizing.underRecord()
  }

  async #runCompaction(sized: SizedRequest<object>, cause: CompactionCause): Promise<CompactionResult> {
    const stay = this.#whileWanted()
    // each compaction has an id of its own, also where one call runs two
    const { model, options } = this.#incoming
    const emit = this.#workshop.emitterOf(this.#branch.session, model, options)
    emit({
      type: 'compaction-started',
      reason: cause.reason,
      background: this.#branch.inWaiting !== undefined,
      tokensBefore: sized.size.tokens,
      cancel: () => stay.abort(new PalimpsestError('effect-failed', 'The compaction was cancelled.')),
    })
    try {
      const settings = this.#settings(stay.signal, cause.reason === 'overflow' || !fits(sized))
      return await compactSized({ ...settings, emit }, this.#branch, sized, cause)
    } finally {
      stay.end()
    }
  }

  #settings(signal: AbortSignal, isNeeded: boolean): CompactionSettings<object> {
    const workshop = this.#workshop
    const branch = this.#branch
    const { model, options } = this.#incoming
    return {
      dialect: workshop.dialect,
      preset: workshop.preset,
      stores: workshop.stores,
      fallback: workshop.preset.summaryFallback === 'none' ? undefined : workshop.extractive,
      isNeeded,
      summarizer:
        options.effort === 'without-model' ? workshop.extractive : (options.summarizer ?? workshop.summarizer),
      reader: workshop.options.reader,
      keptForm: workshop.keptForm,
      keepHistory: workshop.keepHistory,
      namespace: branch.scope.namespace,
      session: branch.session,
      root: branch.root,
      model: model === '' ? undefined : model,
      signal,
      emit: this.#emit,
      now: workshop.now,
    }
  }

  /** What goes out when nothing came of a compaction: the request as it is, where it fits. */
  #uncompacted(
    sized: SizedRequest<object>,
    cause: CompactionCause,
    result: Exclude<CompactionResult, { status: 'applied' }>,
  ): PreparedRequest<Request, object> {
    const error = result.status === 'failed' ? result.error : new PalimpsestError('effect-failed', 'It was cancelled.')
    // who leaves says nothing about whether another attempt would come to something
    if (result.status === 'failed' || fits(sized)) this.#branch.failedAt = sized.mean
    this.#branch.stuck = error
    if (cause.reason === 'overflow' && cause.attempt > 0) throw this.#refused(cause, error)
    if (!fits(sized)) throw this.#tooLarge(sized, error)
    return this.#ready(sized, false)
  }

  #tooLarge({ size, limits }: SizedRequest<object>, cause: PalimpsestError | undefined): ContextOverflowError {
    const why = cause === undefined ? '' : ` ${cause.message}`
    return new ContextOverflowError(
      `The request has ${size.tokens} tokens, of which ${limits.limit} fit, and was not sent.${why}`,
      { hint: cause?.hint ?? 'Shorten the newest messages, or use a larger window.', attempts: 0, cause },
    )
  }

  #refused({ facts, attempt, failure }: OverflowCause, why: PalimpsestError): ContextOverflowError {
    // by our numbers it fits, by the provider's it does not: what helps is not to send the same again
    const hint = why.code === 'no-progress' ? undefined : why.hint
    return new ContextOverflowError(
      `The provider refused the request as too large (${facts.detail}), and it could not be made smaller. ${why.message}`,
      {
        hint: hint ?? 'Shorten the newest messages, or name a smaller window, so that there is room to compact.',
        attempts: attempt,
        facts,
        cause: failure ?? why,
      },
    )
  }

  #prepareAhead(sized: SizedRequest<object>): void {
    const from = this.#workshop.options.background?.from
    const { inWaiting } = this.#branch
    if (from === undefined || inWaiting !== undefined || this.#incoming.options.effort !== undefined) return
    if (sized.size.tokens < sized.limits.trigger * from || this.#isSuppressed(sized)) return
    const controller = new AbortController()
    this.#branch.inWaiting = prepareAhead(this.#settings(controller.signal, false), sized, controller)
  }

  #ready(sized: SizedRequest<object>, compacted: boolean): PreparedRequest<Request, object> {
    const { request, changed } = this.#outgoing(sized)
    const branch = this.#branch
    return new PreparedRequest<Request, object>({
      dialect: this.#workshop.dialect,
      request,
      changed,
      compacted,
      session: branch.session,
      model: this.#incoming.model,
      known: { branch, sized },
      size: sized.size,
      window: sized.limits.window,
      record: branch.record,
      emit: this.#emit,
      retry: (facts, failure) => this.#retry({ facts, failure, sent: sized.size.tokens, recordId: branch.record?.key }),
    })
  }

  /** The request body: the caller's own where nothing changes. Cache marks come last, from the record alone. */
  #outgoing(sized: SizedRequest<object>): { readonly request: Request; readonly changed: boolean } {
    const { dialect, options } = this.#workshop
    const { request, conversation, outputCap: room } = this.#incoming
    // an estimate must not cut the cap of a call that only recovers; one that the window cannot hold is refused for sure
    const isOwn =
      this.#incoming.options.effort === 'recovery' && (conversation.outputCap ?? 0) < (sized.limits.window ?? 0)
    const planned = isOwn ? undefined : sized.limits.outputCap(sized.size.tokens)
    const cap = lowest(planned, room)
    const isSame = sized.record === undefined && cap === undefined
    if (isSame) return { request, changed: false }
    const view = { ...conversation, items: sized.view, ...(cap !== undefined && { outputCap: cap }) }
    const isMarked = sized.record !== undefined && options.cache !== 'off' && sized.limits.profile.caching
    const marked = isMarked ? dialect.markCache(view, this.#breakpoints(sized)) : view
    const outgoing = dialect.close(request, marked) as Request
    return { request: outgoing, changed: outgoing !== request }
  }

  #breakpoints({ view, record }: SizedRequest<object>): CacheBreakpoints {
    const { stableSystem } = this.#incoming.options
    const system = stableSystem === undefined ? true : { stable: stableSystem }
    if ((record?.plan.summaries ?? []).length === 0) return { system }
    const item = view.findIndex((one) => this.#workshop.dialect.view(one).checkpoint === true)
    return { system, ...(item >= 0 && { item }) }
  }
}

function lowest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b)
}
