import { resolveProfile } from '../engine/tokens/profiles.ts'
import type { LimitScope } from '../stores/ports.ts'
import type { Branch } from './branch.ts'
import type { LimitOptions } from './compaction-limits.ts'
import type { EventDraft } from './event-source.ts'
import type { Incoming } from './incoming.ts'
import { brokenView, limitsFor, type SizedRequest, type SizingSetup, sizeRequest, withSize } from './sized-request.ts'
import type { Workshop } from './workshop.ts'

/** A count is asked for from this share of the trigger on. */
const COUNT_FROM = 0.7
const COUNT_TIMEOUT_MS = 5_000

export interface CallSizingSetup<Request> {
  readonly workshop: Workshop<Request>
  readonly branch: Branch<object>
  readonly incoming: Incoming<Request>
  readonly emit: (event: EventDraft) => void
  /** The request body that goes out for a sized request: what a counter is asked of. */
  readonly outgoing: (sized: SizedRequest<object>) => Request
}

/** The size of one request on its branch: under the record in force, within what is known of limits. */
export class CallSizing<Request> {
  readonly #workshop: Workshop<Request>
  readonly #branch: Branch<object>
  readonly #incoming: Incoming<Request>
  readonly #emit: (event: EventDraft) => void
  readonly #outgoing: (sized: SizedRequest<object>) => Request

  constructor({ workshop, branch, incoming, emit, outgoing }: CallSizingSetup<Request>) {
    this.#workshop = workshop
    this.#branch = branch
    this.#incoming = incoming
    this.#emit = emit
    this.#outgoing = outgoing
  }

  get limitScope(): LimitScope {
    const { options, model } = this.#incoming
    return { namespace: this.#branch.scope.namespace, upstream: this.#workshop.upstreamOf(options), model }
  }

  /** The request measured; a view that the new items made illegal is given up for the whole transcript. */
  async size(): Promise<SizedRequest<object>> {
    const setup = await this.#setup()
    const { conversation, model } = this.#incoming
    let sized = sizeRequest(setup, this.#branch, conversation)
    const broken = brokenView(this.#workshop.dialect, this.#branch, sized)
    if (broken !== undefined) {
      const detail = `${broken.rule}: ${broken.message}`
      this.#emit({ type: 'plan-rejected', rejected: { rung: 'record', reason: 'invalid-view', detail } })
      this.#branch.record = undefined
      sized = sizeRequest(setup, this.#branch, conversation)
    }
    if (!sized.limits.profile.known && sized.limits.window === undefined && this.#workshop.isNewlyUnknown(model)) {
      this.#emit({ type: 'unknown-model' })
    }
    const counted = await this.#count(sized)
    return counted === undefined ? sized : this.#measured(setup, sized, counted)
  }

  /** The request under its record as it is now, and nothing else asked. */
  async underRecord(): Promise<SizedRequest<object>> {
    return sizeRequest(await this.#setup(), this.#branch, this.#incoming.conversation)
  }

  /** The same request, of the size that somebody measured. */
  async measured(sized: SizedRequest<object>, tokens: number): Promise<SizedRequest<object>> {
    return this.#measured(await this.#setup(), sized, tokens)
  }

  #measured(setup: SizingSetup<object>, sized: SizedRequest<object>, tokens: number): SizedRequest<object> {
    const limits = (overhead: number) => limitsFor(setup, this.#incoming.conversation, overhead)
    return withSize(sized, { tokens, basis: 'measured' }, limits)
  }

  async #setup(): Promise<SizingSetup<object>> {
    const { conversation, model } = this.#incoming
    const { dialect, preset, overheads } = this.#workshop
    const overhead = overheads.measure(conversation, this.#workshop.metersOf(model), this.#branch.scope.family)
    return { dialect, preset, overhead, model, bound: this.#branch.bound, limits: await this.#limitOptions() }
  }

  /** The caller's options under what providers stated: a limit only ever lowers the window. */
  async #limitOptions(): Promise<LimitOptions> {
    const { options } = this.#workshop
    const { model } = this.#incoming
    const windows = [
      options.window ?? resolveProfile(model, options.profiles).window,
      await this.#workshop.limits.window(this.limitScope),
    ].filter((one) => one !== undefined)
    return windows.length === 0 ? options : { ...options, window: Math.min(...windows) }
  }

  /** An exact count, where one is to be had and near enough to matter; undefined: the estimate has to do. */
  async #count(sized: SizedRequest<object>): Promise<number | undefined> {
    const { counter, countTokens: common } = this.#workshop.options
    const countTokens = this.#incoming.options.countTokens ?? common
    if (countTokens === undefined) return undefined
    const upper = Math.max(
      sized.size.tokens,
      sized.overhead.upper + (sized.mean - sized.overhead.mean) * this.#branch.upperRatio(),
    )
    if (counter !== 'always' && upper < sized.limits.trigger * COUNT_FROM) return undefined
    try {
      const tokens = await countTokens(this.#outgoing(sized), { signal: AbortSignal.timeout(COUNT_TIMEOUT_MS) })
      return Number.isFinite(tokens) && tokens > 0 ? Math.ceil(tokens) : undefined
    } catch {
      return undefined // the estimate is there
    }
  }
}
