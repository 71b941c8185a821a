import type { Transcript } from '../messages/transcript.ts'
import type { Draft } from '../plan/draft.ts'
import { EMPTY_PLAN } from '../plan/plan.ts'
import { decodePlan } from '../plan/plan-codec.ts'
import { type RenderOptions, renderPlan } from '../plan/render.ts'
import type { Ledger } from '../tokens/ledger.ts'
import { KEEP_NOTHING, type KeepWindow } from './keep-window.ts'
import type { Strategy } from './strategy.ts'

/** A strategy behind JSON: for callers that store plans as text and apply them elsewhere. */
export interface StrategyAdapter {
  /** The name that stands in its plans. */
  strategyName(): string
  /** The draft as JSON with the strategy's name; undefined when there is nothing to do. Holes are in it as requests. */
  plan<Item extends object>(ledger: Ledger, messages: Transcript<Item>): string | undefined
  /**
   * The items that a filled plan leaves of the messages.
   * @throws PalimpsestError `invalid-input` for what is no plan, or still has holes.
   */
  applyPlanJson<Item extends object>(json: string, messages: Transcript<Item>, options?: RenderOptions): readonly Item[]
}

/**
 * A strategy with its name and limit (tokens that all items may take), speaking JSON.
 *
 * @example
 * const adapter = strategyAdapter('sliding', 8_000, slidingWindow({ keepLast: 6 }))
 * const json = adapter.plan(transcript.ledger, transcript)
 * const items = json === undefined ? transcript.items : adapter.applyPlanJson(json, transcript)
 */
export function strategyAdapter(
  name: string,
  limit: number,
  strategy: Strategy,
  keep: KeepWindow = KEEP_NOTHING,
): StrategyAdapter {
  return {
    strategyName: () => name,
    plan(ledger, { groups }) {
      const draft: Draft | undefined = strategy({ ledger, groups, current: EMPTY_PLAN, limit, keep })
      return draft === undefined ? undefined : JSON.stringify({ strategy: name, ...draft })
    },
    applyPlanJson: (json, messages, options) => renderPlan(messages.lens, messages, decodePlan(json), options),
  }
}
