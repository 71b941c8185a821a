/** What a request and its model say about room, in tokens. */
export interface BudgetInput {
  /** Input and output tokens that the model takes at once. */
  readonly window: number
  /** Output tokens that the request asks for. Default 8,192. */
  readonly requestedOutput?: number
  /** Thinking tokens inside of these. */
  readonly thinkingBudget?: number
  /** Where compaction starts: a share of the window or of the effective budget, or a number. */
  readonly trigger: { readonly fraction: number; readonly of: 'window' | 'effective' } | { readonly tokens: number }
  /** Where it ends, as a share of what lies between `fixed` and the trigger. */
  readonly targetShare: number
  /** Tokens that no compaction takes away (system, tools). Default 0. */
  readonly fixed?: number
  /** Leaves reserve and margin out of the trigger: for presets with a formula of their own. */
  readonly ownFormula?: boolean
}

/** How a window is divided, in tokens. */
export interface ContextBudget {
  readonly window: number
  /** Kept free for what an estimate may miss. */
  readonly margin: number
  /** Output tokens that are asked for. */
  readonly requested: number
  /** Output tokens that the trigger leaves room for; between these and `requested` the output cap gives way instead. */
  readonly reserve: number
  /** window − reserve − margin: what no request may exceed. Always positive. */
  readonly effective: number
  /** A request of this size or more is compacted. */
  readonly trigger: number
  /** Where a compaction must end. Always below the trigger. */
  readonly target: number
}

const DEFAULT_OUTPUT = 8_192
const LEAST_PLANNED_RESERVE = 8_192
const PLANNED_SHARE = 0.2
const LEAST_MARGIN = 4_096
const MARGIN_SHARE = 0.05
const MOST_MARGIN_SHARE = 0.25
/** However much output is asked for, this share of the window stays for input. */
const LEAST_EFFECTIVE_SHARE = 0.25

/**
 * Divides a window. The planned reserve is what the request asks for, at most the larger of 8,192 and a fifth of the
 * window; the margin 5 %, at least 4,096 and at most a quarter of the window.
 *
 * @example contextBudget({ window: 200_000, trigger: { fraction: 0.85, of: 'window' }, targetShare: 0.5 }).trigger // 170000
 */
export function contextBudget(input: BudgetInput): ContextBudget {
  const window = Math.max(1, Math.floor(input.window))
  const requested = Math.max(0, Math.floor(input.requestedOutput ?? DEFAULT_OUTPUT))
  const margin = Math.floor(Math.min(Math.max(LEAST_MARGIN, window * MARGIN_SHARE), window * MOST_MARGIN_SHARE))
  const planned = Math.min(requested, Math.max(LEAST_PLANNED_RESERVE, Math.floor(window * PLANNED_SHARE)))
  const most = window - margin - Math.ceil(window * LEAST_EFFECTIVE_SHARE)
  const reserve = Math.max(0, Math.min(planned, most))
  const effective = Math.max(1, window - reserve - margin)
  const wanted = wantedTrigger(input, effective)
  const trigger = Math.max(1, input.ownFormula === true ? Math.min(wanted, window) : Math.min(wanted, effective))
  const fixed = Math.min(trigger, Math.max(0, input.fixed ?? 0))
  const target = Math.max(0, Math.min(trigger - 1, Math.floor(fixed + (trigger - fixed) * input.targetShare)))
  return { window, margin, requested, reserve, effective, trigger, target }
}

/** Is this size at or above the limit? Exactly at the boundary it is. */
export function reaches(size: number, limit: number): boolean {
  return size >= limit
}

/** Output tokens below which a request is compacted rather than its output cap lowered. */
const LEAST_OUTPUT = 4_096
const THINKING_HEADROOM = 1_024

/**
 * The output cap for a request of `size` tokens: what it asks for, lowered to what the window leaves; never below the
 * thinking budget + 1,024, nor below the smallest of what it asks for, 4,096, and what reserve and margin leave of a small
 * window. Undefined when nothing has to change.
 */
export function loweredOutputCap(
  budget: Pick<ContextBudget, 'window' | 'effective'>,
  size: number,
  requested: number,
  thinkingBudget?: number,
): number | undefined {
  const left = budget.window - size
  if (left >= requested) return undefined
  const least = Math.max(
    Math.min(requested, LEAST_OUTPUT, budget.window - budget.effective),
    thinkingBudget === undefined ? 0 : thinkingBudget + THINKING_HEADROOM,
  )
  return Math.min(requested, Math.max(least, left))
}

function wantedTrigger({ trigger, window }: BudgetInput, effective: number): number {
  if ('tokens' in trigger) return trigger.tokens
  // 0.29 * 100 is 28.999…: a hair is added so that whole results stay whole
  return Math.floor(trigger.fraction * (trigger.of === 'window' ? window : effective) + 1e-6)
}
