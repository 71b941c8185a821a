import type { Lens, MessageView, RenderContext, RenderedItem } from '../messages/message.ts'
import { firstChange, type Plan } from './plan.ts'
import { partEditsOf } from './shown-text.ts'
import { applyPlan, type View, wholeView } from './view.ts'

/** The items of a transcript together with their reading, so that nothing is read twice. */
export interface ReadItems<Item> {
  readonly length: number
  /** The native item itself. */
  item(position: number): Item
  /** The item as the lens reads it. */
  view(position: number): MessageView
}

/** What rendering needs to know beyond the plan. */
export interface RenderOptions extends Partial<RenderContext> {
  /** Transcript length when the plan was made: bound reasoning said later was said to the compacted view. Default: all. */
  readonly madeAt?: number
}

/**
 * The native items that the model is sent: the plan applied to the transcript, laid out by the dialect. Untouched items
 * come out as the same objects. Deterministic: same transcript, plan and options give equal items.
 *
 * @example
 * const items = renderPlan(anthropicMessages, transcript, { drop: [{ from: 0, to: 41 }] })
 */
export function renderPlan<Item>(
  lens: Lens<Item>,
  items: ReadItems<Item>,
  plan: Plan,
  options: RenderOptions = {},
): readonly Item[] {
  const view = applyPlan(plan, wholeView(items.length))
  return renderView(lens, items, view, { from: firstChange(plan), before: options.madeAt ?? items.length }, options)
}

/** The native items of a view that plans were applied to. */
export function renderView<Item>(
  lens: Lens<Item>,
  items: ReadItems<Item>,
  view: View,
  changed: { readonly from: number | undefined; readonly before: number },
  context: Partial<RenderContext> = {},
): readonly Item[] {
  const rendered = view.entries.flatMap((entry): RenderedItem<Item>[] => {
    if (entry.kind === 'summary') return [{ kind: 'summary', insertAfter: entry.insertAfter, text: entry.content }]
    const { position } = entry
    const original = items.item(position)
    const edits = entry.edits === undefined ? [] : partEditsOf(items.view(position), entry.edits)
    const item = edits.length === 0 ? original : lens.edit(original, edits)
    return item === undefined ? [] : [{ kind: 'item', position, item, edited: item !== original }]
  })
  return lens.layOut(rendered, changed, renderContext(context))
}

const DEFAULT_CONTEXT: RenderContext = { thinkingBinding: 'turn', strictAlternation: false }

/** The whole context: what is not said is the default. */
export function renderContext({ thinkingBinding, strictAlternation }: Partial<RenderContext>): RenderContext {
  return {
    ...DEFAULT_CONTEXT,
    ...(thinkingBinding !== undefined && { thinkingBinding }),
    ...(strictAlternation !== undefined && { strictAlternation }),
  }
}
