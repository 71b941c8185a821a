import type { RenderContext } from '../engine/messages/message.ts'

/** What a plan did to the transcript: the first position it changed (undefined: none), and the transcript's length then. */
export interface PlanChange {
  readonly from: number | undefined
  readonly before: number
}

/** Was the item at this position said before a change, to a prefix that is no longer sent, by a model whose thinking is bound to it? */
export function hasLostPrefix(
  position: number,
  change: PlanChange,
  context: Pick<RenderContext, 'thinkingBinding'>,
): boolean {
  const { from, before } = change
  return context.thinkingBinding === 'prefix' && from !== undefined && position >= from && position < before
}
