/** What a request and its model say about room, in tokens. */
export interface BudgetInput {
  /** Tokens that the model takes at once: input and output together, or input alone where that is limited by itself. */
  readonly window: number
  /** Output tokens that the request asks for. Default 8,192, in small windows a quarter of the window. */
  readonly requestedOutput?: number
  /** Has the wire format an output cap that can be lowered? Default true; without one all of the request stays reserved. */
  readonly hasOutputCap?: boolean
  /** Where compaction starts: a share of the window or of the effective budget, or a number. */
  readonly trigger: { readonly fraction: number; readonly of: 'window' | 'effective' } | { readonly tokens: number }
  /** Where it ends, as a share of what lies between `fixed` and the trigger. */
  readonly targetShare: number
  /** Tokens that no compaction takes away (system, tools). Default 0. */
  readonly fixed?: number
  /** Leaves reserve and margin out of the trigger: for presets with a formula of their own. */
  readonly ownFormula?: boolean
}

/** How a window is divided, in whole tokens. */
export interface ContextBudget {
  readonly window: number
  /** Kept free for what an estimate may miss. */
  readonly margin: number
  /** Output tokens that are asked for. */
  readonly requested: number
  /** Output tokens that the trigger leaves room for; between these and `requested` the output cap gives way instead. */
  readonly reserve: number
  /** window − reserve − margin: what no request should exceed. Always positive, and never below `effective`. */
  readonly ceiling: number
  /** window − requested − margin, at least a quarter of the window: the input that fits without a lower output cap. */
  readonly effective: number
  /** A request of this size or more is compacted. */
  readonly trigger: number
  /** Where a compaction must end. Always below the trigger. */
  readonly target: number
}

const DEFAULT_OUTPUT = 8_192
const LEAST_PLANNED_RESERVE = 8_192
const LEAST_MARGIN = 4_096
/** Shares of the window, in hundredths, so that the sums stay whole. */
const PLANNED_PERCENT = 20
const MARGIN_PERCENT = 5
const MOST_MARGIN_PERCENT = 25
/** However much output is asked for, this much of the window stays for input: a small window must not compact at every step. */
const LEAST_INPUT_PERCENT = 25
/** What is set aside for output when nothing is asked for, at most. */
const DEFAULT_OUTPUT_PERCENT = 25

/**
 * Divides a window. The margin is 5 %, at least 4,096 and at most a quarter of the window; the planned reserve is what the
 * request asks for, at most the larger of 8,192 and a fifth of the window. Whatever is asked for, a quarter of the window
 * stays for input.
 *
 * @example contextBudget({ window: 200_000, trigger: { fraction: 0.85, of: 'window' }, targetShare: 0.5 }).trigger // 170000
 */
export function contextBudget(input: BudgetInput): ContextBudget {
  const window = Math.max(1, Math.floor(input.window))
  const percent = (share: number) => Math.floor((window * share) / 100)
  const requested = requestedOutput(input, percent(DEFAULT_OUTPUT_PERCENT))
  const margin = Math.min(Math.max(LEAST_MARGIN, percent(MARGIN_PERCENT)), percent(MOST_MARGIN_PERCENT))
  const leastInput = Math.max(1, percent(LEAST_INPUT_PERCENT))
  const effective = Math.max(leastInput, window - requested - margin)
  const planned = Math.min(requested, Math.max(LEAST_PLANNED_RESERVE, percent(PLANNED_PERCENT)))
  const wantedReserve = input.hasOutputCap === false ? requested : planned
  const reserve = Math.max(0, Math.min(wantedReserve, window - margin - leastInput))
  const ceiling = Math.max(1, window - reserve - margin)
  const most = input.ownFormula === true ? window : ceiling
  const trigger = Math.max(1, Math.min(wantedTrigger(input.trigger, window, effective), most))
  const fixed = Math.min(trigger, Math.max(0, input.fixed ?? 0))
  const target = Math.max(0, Math.min(trigger - 1, fixed + shareOf(trigger - fixed, input.targetShare)))
  return { window, margin, requested, reserve, ceiling, effective, trigger, target }
}

function requestedOutput({ requestedOutput: asked }: BudgetInput, quarter: number): number {
  if (asked === undefined || !Number.isFinite(asked)) return Math.min(DEFAULT_OUTPUT, quarter)
  return Math.max(0, Math.floor(asked))
}

function wantedTrigger(trigger: BudgetInput['trigger'], window: number, effective: number): number {
  if ('tokens' in trigger) return Math.ceil(trigger.tokens)
  return shareOf(trigger.of === 'window' ? window : effective, trigger.fraction)
}

/** The smallest whole number that is at least this share. Whole arithmetic: 0.07 × 100 is 7, not 7.000000000000001. */
function shareOf(tokens: number, fraction: number): number {
  const millionths = Math.round(fraction * 1_000_000)
  return Math.ceil((tokens * millionths) / 1_000_000)
}

/** Output tokens below which a request is compacted rather than its output cap lowered. */
const LEAST_OUTPUT = 4_096
const THINKING_HEADROOM = 1_024

/**
 * The output cap for a request of `size` tokens: what it asks for, lowered to what window and margin leave; never below the
 * thinking budget + 1,024, nor below the smaller of what it asks for and 4,096 (in windows below 16k: the reserve), and
 * never raised. Undefined when nothing has to change.
 *
 * @example
 * loweredOutputCap({ window: 200_000, margin: 10_000, reserve: 40_000 }, 150_000, 64_000) // 40000
 */
export function loweredOutputCap(
  budget: Pick<ContextBudget, 'window' | 'margin' | 'reserve'>,
  size: number,
  requested: number,
  thinkingBudget = -THINKING_HEADROOM,
): number | undefined {
  const left = Math.floor(budget.window - budget.margin - size)
  if (left >= requested) return undefined
  const least = Math.max(Math.min(requested, LEAST_OUTPUT, budget.reserve), thinkingBudget + THINKING_HEADROOM)
  const cap = Math.min(requested, Math.max(least, left))
  return cap === requested ? undefined : cap
}
