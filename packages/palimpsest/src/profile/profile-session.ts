import { type CompactionLimits, compactionLimits, type LimitOptions } from '../compactor/compaction-limits.ts'
import { dialectMeter } from '../compactor/dialect-meter.ts'
import { extractiveSummarizer } from '../compactor/extractive-summarizer.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { PalimpsestError } from '../engine/errors.ts'
import { runCompaction } from '../engine/ladder/compaction.ts'
import type { CompactionTask } from '../engine/ladder/compaction-task.ts'
import type { Rung } from '../engine/ladder/rung.ts'
import type { Violation } from '../engine/messages/message.ts'
import { Transcript } from '../engine/messages/transcript.ts'
import { LiveView } from '../engine/plan/live-view.ts'
import type { Plan } from '../engine/plan/plan.ts'
import { countEvicted } from '../engine/plan/view.ts'
import { type Preset, rungsOf } from '../engine/presets/preset.ts'
import { keptFrom } from '../engine/record/compaction-record.ts'
import type { KeepWindow } from '../engine/strategies/keep-window.ts'
import { tokensOf } from '../engine/tokens/ledger.ts'
import type { RecordedSession } from './recorded-session.ts'

export interface ProfileOptions extends LimitOptions {
  readonly preset: Preset
  readonly keep?: KeepWindow
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
  /** Tokens of the request that would have gone out. */
  readonly tokens: number
  /** Of these, tokens that begin the request as they began the one before: what a prefix cache can serve. */
  readonly cached: number
  /** Index in `compactions` when one ran before this call. */
  readonly compaction?: number
}

/** One compaction of the replay. */
export interface ProfiledCompaction {
  /** Index of the step whose request it made smaller. */
  readonly step: number
  readonly position: number
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly strategies: readonly string[]
  /** Items out of view, all told, and the first that is kept whole. */
  readonly evicted: number
  readonly keptFrom: number
  readonly plan: Plan
}

/** What one policy would have made of one session. */
export interface SessionProfile {
  readonly policy: string
  readonly limits: CompactionLimits
  readonly steps: readonly ProfiledStep[]
  readonly compactions: readonly ProfiledCompaction[]
  /** Steps at which the request did not fit and could not be made to, with the reason. */
  readonly refusals: readonly { readonly step: number; readonly error: PalimpsestError }[]
  /** Rules broken by requests that would have gone out, each once; of the recording itself where nothing was compacted. */
  readonly violations: readonly Violation[]
  readonly peak: number
  /** Share of all prompt tokens that a prefix cache can serve, 0 to 1. */
  readonly cacheShare: number
  /** What everything would have been without compaction, at the last step. */
  readonly uncompacted: number
}

/**
 * Replays a recorded session through a policy, without a model: before each recorded call the view is measured, and
 * compacted where the policy says so.
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
  readonly #summarize: ReturnType<typeof extractiveSummarizer>
  readonly #steps: ProfiledStep[] = []
  readonly #compactions: ProfiledCompaction[] = []
  readonly #refusals: { step: number; error: PalimpsestError }[] = []
  readonly #violations = new Map<string, Violation>()
  #retryAt = 0
  #sent = 0

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
    this.#rungs = rungsOf(options.preset).filter(
      (rung) => options.summarizer !== 'none' || rung.name !== 'summarizeOlder',
    )
    this.#transcript = new Transcript<Item>(dialect, dialectMeter(dialect, model, 'mean'))
    this.#view = new LiveView(this.#transcript, this.#limits.context)
    this.#summarize = extractiveSummarizer(this.#transcript)
  }

  step(position: number): void {
    this.#transcript.append(this.#session.items.slice(this.#transcript.length, position))
    this.#view.follow()
    const grown = this.#size()
    const index = this.#steps.length
    const previous = this.#sent
    if (grown < this.#limits.trigger || grown < this.#retryAt) {
      this.#push({ position, tokens: grown, cached: previous })
      return
    }
    this.#checkView() // the longest view of this stretch: all earlier ones are its beginnings
    const before = [...this.#view.items]
    if (!this.#compact(index, position, grown)) {
      this.#push({ position, tokens: grown, cached: previous })
      return
    }
    const shared = sharedPrefix(this.#dialect, before, this.#view.items)
    const cached = index === 0 ? 0 : this.#tokens(this.#transcript.unitsOf(this.#view.items.slice(0, shared)))
    this.#push({ position, tokens: this.#size(), cached, compaction: this.#compactions.length - 1 })
  }

  result(): SessionProfile {
    this.#checkView()
    const all = this.#steps.reduce((sum, step) => sum + step.tokens, 0)
    const cached = this.#steps.reduce((sum, step) => sum + step.cached, 0)
    return {
      policy: this.#options.preset.name,
      limits: this.#limits,
      steps: this.#steps,
      compactions: this.#compactions,
      refusals: this.#refusals,
      violations: [...this.#violations.values()],
      peak: this.#steps.reduce((peak, step) => Math.max(peak, step.tokens), 0),
      cacheShare: all === 0 ? 0 : cached / all,
      uncompacted: this.#tokens(this.#transcript.ledger.units()),
    }
  }

  #push(step: ProfiledStep): void {
    this.#steps.push(step)
    this.#sent = step.tokens
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
    this.#view.adopt(plan)
    const tokensAfter = this.#size()
    if (tokensAfter >= this.#limits.trigger) this.#retryAt = Math.ceil(tokensAfter * RETRY_GROWTH)
    const evicted = countEvicted(plan)
    const kept = keptFrom(plan, this.#transcript.length)
    this.#compactions.push({ step, position, tokensBefore, tokensAfter, strategies, evicted, keptFrom: kept, plan })
    return true
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
      keep: this.#options.keep ?? keep,
      rungs: this.#rungs,
      context,
    }
  }

  #checkView(): void {
    for (const violation of this.#dialect.check({ system: [], items: this.#view.items }, this.#limits.context)) {
      const key = `${violation.rule} ${violation.position}`
      if (!this.#violations.has(key)) this.#violations.set(key, violation)
    }
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
