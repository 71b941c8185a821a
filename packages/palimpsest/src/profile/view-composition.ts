import type { Plan } from '../engine/plan/plan.ts'
import { countEvicted } from '../engine/plan/view.ts'
import { type TokenMeter, tokensOf } from '../engine/tokens/ledger.ts'

/** What a compacted request consists of, and what of it is new against the plan that was in force before. */
export interface ViewComposition {
  /** Tokens of system and tools. */
  readonly overhead: number
  /** Tokens of the summaries in view; 0 without one. */
  readonly summaryTokens: number
  /** Items of the transcript that are still in view, whole or shortened, and their tokens: the rest of the request. */
  readonly keptItems: number
  readonly keptTokens: number
  /** Items out of view, all told, and those that only this compaction took out. */
  readonly evicted: number
  readonly newlyEvicted: number
  /** Parts with less in them than there was, all told, and those that only this compaction shortened, or shortened more. */
  readonly shortened: number
  readonly newlyShortened: number
}

/** What `viewComposition` goes by. Tokens are estimates times `scale`. */
export interface ComposedView {
  readonly plan: Plan
  /** The plan in force before. Empty: none was. */
  readonly previous: Plan
  /** Items of the transcript. */
  readonly length: number
  /** Tokens of the whole request under `plan`. */
  readonly tokens: number
  readonly overhead: number
  readonly scale: number
  readonly meter: TokenMeter
}

/**
 * Takes the request of a plan apart: system and tools, summaries, and what is kept add up to its tokens.
 *
 * @example
 * const meter = dialectMeter(anthropicMessages, 'claude-sonnet-4-5', 'mean')
 * viewComposition({ plan, previous: {}, length: 50, tokens: 40_000, overhead: 3_000, scale: 1, meter })
 */
export function viewComposition(view: ComposedView): ViewComposition {
  const { plan, previous, length, tokens, meter, scale } = view
  const overhead = Math.min(tokens, view.overhead)
  const units = (plan.summaries ?? []).reduce((sum, { content }) => sum + meter.text(content), 0)
  const summaryTokens = Math.min(tokens - overhead, Math.ceil(tokensOf(units) * scale))
  const evicted = countEvicted(plan)
  const edits = editsByPart(plan)
  const before = editsByPart(previous)
  return {
    overhead,
    summaryTokens,
    keptItems: length - evicted,
    keptTokens: tokens - overhead - summaryTokens,
    evicted,
    newlyEvicted: evicted - countEvicted(previous),
    shortened: edits.size,
    newlyShortened: [...edits].filter(([part, edit]) => before.get(part) !== edit).length,
  }
}

/** What a plan does to each part that it leaves in view with less in it, as JSON. */
function editsByPart({ offloads, truncations, removals, placeholders }: Plan): ReadonlyMap<string, string> {
  const edits = new Map<string, string>()
  for (const edit of [offloads, truncations, removals, placeholders].flatMap((list) => list ?? [])) {
    const part = `${edit.message_index}.${edit.part}`
    edits.set(part, (edits.get(part) ?? '') + JSON.stringify(edit))
  }
  return edits
}
