import { type CompactionLimits, compactionLimits, type LimitOptions } from '../compactor/compaction-limits.ts'
import { dialectMeter } from '../compactor/dialect-meter.ts'
import { extractiveAnswers } from '../compactor/summary-input.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { PalimpsestError } from '../engine/errors.ts'
import { runCompaction } from '../engine/ladder/compaction.ts'
import type { CompactionTask } from '../engine/ladder/compaction-task.ts'
import { type IsInherited, inheritedViolations } from '../engine/ladder/inherited-violations.ts'
import type { Rung } from '../engine/ladder/rung.ts'
import type { Violation } from '../engine/messages/message.ts'
import { Transcript } from '../engine/messages/transcript.ts'
import { LiveView } from '../engine/plan/live-view.ts'
import type { Plan } from '../engine/plan/plan.ts'
import { type Preset, rungsOf } from '../engine/presets/preset.ts'
import { keptFrom } from '../engine/record/compaction-record.ts'
import { tokensOf } from '../engine/tokens/ledger.ts'
import type { RecordedSession } from './recorded-session.ts'
import { type ViewComposition, viewComposition } from './view-composition.ts'

export interface ProfileOptions extends LimitOptions {
  readonly preset: Preset
  readonly summarizer?: 'extractive' | 'none'
  /** Tokens of system and tools. */
  readonly overhead: number
  /** Measured tokens per estimated one. */
  readonly scale: number
  /** Called after each step with how many of all are done. */
  readonly onStep?: (done: number, all: number) => void
}

/** One model call of the replay. */
export interface ProfiledStep {
  /** The call answered the items before this position. */
  readonly position: number
  /** Tokens of the request. Above `limits.limit` it is not sent: it would be refused by size. */
  readonly tokens: number
  /**
   * Of these, tokens that begin the request as they began the last one that was sent: what a prefix cache can serve. 0
   * where this one is not sent.
   */
  readonly cached: number
  /** Index in `compactions` when one ran before this call. */
  readonly compaction?: number
}

/** One compaction of the replay. */
export interface ProfiledCompaction extends ViewComposition {
  /** Index of the step whose request it made smaller. */
  readonly step: number
  readonly position: number
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly strategies: readonly string[]
  /** The first item behind everything that is out of view. */
  readonly keptFrom: number
  readonly plan: Plan
}

/** What one policy would have made of one session. */
export interface SessionProfile {
  readonly policy: string
  readonly limits: CompactionLimits
  readonly steps: readonly ProfiledStep[]
  readonly compactions: readonly ProfiledCompaction[]
  /** Attempts to make a request fit that failed, with the reason. One is made when the request has grown by 5 %. */
  readonly refusals: readonly { readonly step: number; readonly error: PalimpsestError }[]
  /** Steps whose request is larger than `limits.limit`: it would be refused by size, and could not be made to fit. */
  readonly unfit: number
  /** Rules that requests break and the recording does not, each once, with positions in the view. */
  readonly violations: readonly Violation[]
  /** Rules that the recording itself breaks, with positions in it. */
  readonly recordingViolations: readonly Violation[]
  /** Steps whose request breaks none of `violations`, of which that is sure: views are checked where they are longest. */
  readonly sound: number
  /** Tokens of the largest request that is sent; 0: none is. */
  readonly peak: number
  /** Share of all prompt tokens that a prefix cache can serve, 0 to 1, over the requests that are sent. */
  readonly cacheShare: number
  /** What everything would have been without compaction, at the last step. */
  readonly uncompacted: number
}

/**
 * Replays a recorded session through a policy, without a model: before each recorded call the view is measured, and
 * compacted where the policy says so.
 *
 * @example
 * const { overhead, scale } = sessionScale(anthropicMessages, recorded)
 * const options = { preset: DEFAULT_PRESET, overhead, scale, window: 200_000 }
 * const { steps } = profileSession(anthropicMessages, recorded, options)
 */
export function profileSession<Item extends object>(
  dialect: Dialect<unknown, Item>,
  session: RecordedSession<Item>,
  options: ProfileOptions,
): SessionProfile {
  const replay = new Replay(dialect, session, options)
  const positions = callPositions(dialect, session)
  positions.forEach((position, index) => {
    replay.step(position)
    options.onStep?.(index + 1, positions.length)
  })
  return replay.result()
}

/** A refused compaction is tried again when the request has grown by this share: not at every step. */
const RETRY_GROWTH = 1.05

class Replay<Item extends object> {
  readonly #dialect: Dialect<unknown, Item>
  readonly #session: RecordedSession<Item>
  readonly #options: ProfileOptions
  readonly #limits: CompactionLimits
  readonly #rungs: readonly Rung[]
  readonly #transcript: Transcript<Item>
  readonly #view: LiveView<Item>
  readonly #summarize: ReturnType<typeof extractiveAnswers>
  readonly #steps: ProfiledStep[] = []
  readonly #compactions: ProfiledCompaction[] = []
  readonly #refusals: { step: number; error: PalimpsestError }[] = []
  readonly #recordingViolations: readonly Violation[]
  readonly #isInherited: IsInherited<Item>
  readonly #violations = new Map<string, Violation>()
  #retryAt = 0
  /** Tokens of the last request that was sent. */
  #sent = 0
  /** Steps since the view was checked, and those of them that are known to break no rule. */
  #unchecked = 0
  #sound = 0

  constructor(dialect: Dialect<unknown, Item>, session: RecordedSession<Item>, options: ProfileOptions) {
    this.#dialect = dialect
    this.#session = session
    this.#options = options
    const { model } = session
    this.#limits = compactionLimits(
      options.preset,
      { ...(model !== undefined && { model }) },
      options,
      options.overhead,
    )
    this.#rungs = rungsOf(options.preset, this.#limits.window).filter(
      (rung) => options.summarizer !== 'none' || rung.needsSummary !== true,
    )
    this.#transcript = new Transcript<Item>(dialect, dialectMeter(dialect, model, 'mean'))
    this.#view = new LiveView(this.#transcript, this.#limits.context)
    this.#summarize = extractiveAnswers(this.#transcript)
    this.#recordingViolations = dialect.check({ system: [], items: session.items }, this.#limits.context)
    this.#isInherited = inheritedViolations(session.items, this.#recordingViolations)
  }

  step(position: number): void {
    this.#transcript.append(this.#session.items.slice(this.#transcript.length, position))
    this.#view.follow()
    const grown = this.#size()
    if (grown < this.#limits.trigger || grown < this.#retryAt) {
      this.#push({ position, tokens: grown, cached: this.#sent })
      return
    }
    this.#checkView() // the longest view of this stretch: all earlier ones are its beginnings
    const before = [...this.#view.items]
    if (!this.#compact(this.#steps.length, position, grown)) {
      this.#push({ position, tokens: grown, cached: this.#sent })
      return
    }
    const shared = sharedPrefix(this.#dialect, before, this.#view.items)
    const same = this.#tokens(this.#transcript.unitsOf(this.#view.items.slice(0, shared)))
    // the view before the compaction may hold what no request before it had
    const cached = Math.min(this.#sent, same)
    this.#push({ position, tokens: this.#size(), cached, compaction: this.#compactions.length - 1 })
  }

  result(): SessionProfile {
    this.#checkView()
    const sent = this.#steps.filter((step) => this.#fits(step))
    const all = sent.reduce((sum, step) => sum + step.tokens, 0)
    const cached = sent.reduce((sum, step) => sum + step.cached, 0)
    return {
      policy: this.#options.preset.name,
      limits: this.#limits,
      steps: this.#steps,
      compactions: this.#compactions,
      refusals: this.#refusals,
      unfit: this.#steps.length - sent.length,
      violations: [...this.#violations.values()],
      recordingViolations: this.#recordingViolations,
      sound: this.#sound,
      peak: sent.reduce((peak, step) => Math.max(peak, step.tokens), 0),
      cacheShare: all === 0 ? 0 : cached / all,
      uncompacted: this.#tokens(this.#transcript.ledger.units()),
    }
  }

  #push(step: ProfiledStep): void {
    const fits = this.#fits(step)
    this.#steps.push(fits ? step : { ...step, cached: 0 })
    this.#unchecked += 1
    if (fits) this.#sent = step.tokens
  }

  #fits({ tokens }: Pick<ProfiledStep, 'tokens'>): boolean {
    return tokens <= this.#limits.limit
  }

  /** Puts a smaller view in force; false when none was found. */
  #compact(step: number, position: number, tokensBefore: number): boolean {
    const outcome = runCompaction(this.#task(), (effect) =>
      effect.kind === 'summarize' ? this.#summarize(effect.request) : undefined,
    )
    if (outcome.status === 'refused') {
      if (outcome.error.code !== 'no-progress') this.#refusals.push({ step, error: outcome.error })
      this.#retryAt = Math.ceil(tokensBefore * RETRY_GROWTH)
      return false
    }
    const { plan, strategies } = outcome
    const previous = this.#view.plan
    this.#view.adopt(plan)
    const tokensAfter = this.#size()
    if (tokensAfter >= this.#limits.trigger) this.#retryAt = Math.ceil(tokensAfter * RETRY_GROWTH)
    const composition = this.#composition(plan, previous, tokensAfter)
    const kept = keptFrom(plan, this.#transcript.length)
    this.#compactions.push({
      step,
      position,
      tokensBefore,
      tokensAfter,
      strategies,
      ...composition,
      keptFrom: kept,
      plan,
    })
    return true
  }

  #composition(plan: Plan, previous: Plan, tokens: number): ViewComposition {
    const { overhead, scale } = this.#options
    const { length, ledger } = this.#transcript
    return viewComposition({ plan, previous, length, tokens, overhead, scale, meter: ledger.meter })
  }

  #task(): CompactionTask<Item> {
    const { target, limit, keep, context } = this.#limits
    return {
      transcript: this.#transcript,
      current: this.#view.plan,
      madeAt: this.#view.madeAt,
      overhead: this.#options.overhead,
      scale: this.#options.scale,
      target,
      limit,
      keep,
      rungs: this.#rungs,
      context,
    }
  }

  #checkView(): void {
    const { items } = this.#view
    const found = this.#dialect.check({ system: [], items }, this.#limits.context)
    const own = found.filter((violation) => !this.#isInherited(violation, items))
    for (const violation of own) {
      const key = `${violation.rule} ${violation.position}`
      if (!this.#violations.has(key)) this.#violations.set(key, violation)
    }
    if (own.length === 0) this.#sound += this.#unchecked
    this.#unchecked = 0
  }

  #size(): number {
    return this.#tokens(this.#view.units)
  }

  #tokens(units: number): number {
    return Math.ceil(this.#options.overhead + tokensOf(units) * this.#options.scale)
  }
}

/** Where the calls stand: as recorded, else before each assistant step. */
function callPositions<Item extends object>(
  dialect: Dialect<unknown, Item>,
  session: RecordedSession<Item>,
): readonly number[] {
  const recorded = session.calls.map((call) => call.position).filter((position) => position > 0)
  if (recorded.length > 0) return [...new Set(recorded)].sort((a, b) => a - b)
  const roles = session.items.map((item) => dialect.view(item).role)
  const starts = roles.flatMap((role, position) =>
    role === 'assistant' && position > 0 && roles[position - 1] !== 'assistant' ? [position] : [],
  )
  const open = roles.at(-1) !== 'assistant' && roles.length > 0 ? [roles.length] : []
  return [...starts, ...open]
}

/** How many items both begin with; an item that was edited anew into the same is the same. */
function sharedPrefix<Item>(dialect: Dialect<unknown, Item>, before: readonly Item[], after: readonly Item[]): number {
  const differs = after.findIndex((item, index) => {
    const other = before[index]
    if (other === undefined) return true
    return other !== item && dialect.fingerprint(other) !== dialect.fingerprint(item)
  })
  return differs < 0 ? after.length : differs
}
