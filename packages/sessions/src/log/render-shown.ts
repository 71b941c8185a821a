import type { Dialect } from 'palimpsest'
import type { RenderContext, ShownPlan } from 'palimpsest/engine'
import type { StoredMessage } from './session-store.ts'

/** The plan in force, and the transcript that it is shown of. */
export interface ShownTranscript {
  readonly dialect: Dialect<unknown, object>
  readonly plan: ShownPlan
  readonly length: number
  readonly context: Partial<RenderContext>
}

/** The native items that the model is sent, from those messages alone that the plan shows. */
export function renderShown(
  messages: readonly StoredMessage[],
  { dialect, plan, length, context }: ShownTranscript,
): readonly object[] {
  const items = new Map(messages.map(({ position, item }) => [position, item as object]))
  const item = (position: number): object => {
    const found = items.get(position)
    if (found === undefined) throw new RangeError(`Position ${position} is not shown.`)
    return found
  }
  const source = { length, item, view: (position: number) => dialect.view(item(position)) }
  return plan.render(dialect, source, context)
}
