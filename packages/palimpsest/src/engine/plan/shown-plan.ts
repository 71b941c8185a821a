import type { Lens, PartEdit, RenderContext, RenderedItem } from '../messages/message.ts'
import { firstChange, type Plan } from './plan.ts'
import { type ReadItems, renderContext } from './render.ts'
import { partEditsOf } from './shown-text.ts'
import { applyPlan, type ViewEntry, wholeView } from './view.ts'

/**
 * A plan over the transcript it was made for, ready to be shown again and again while that grows: which items stay, and the
 * texts that stand for what was cut, are worked out once. Gives what `renderPlan` gives.
 *
 * @example
 * const shown = new ShownPlan(plan, transcript.length)
 * const items = shown.render(anthropicMessages, transcript, {})
 */
export class ShownPlan {
  readonly #plan: Plan
  readonly #madeAt: number
  readonly #entries: readonly ViewEntry[]
  readonly #edits = new Map<number, readonly PartEdit[]>()

  /** `madeAt`: transcript length when the plan was made. @throws PalimpsestError `plan-mismatch` for a plan of a longer one. */
  constructor(plan: Plan, madeAt: number) {
    this.#plan = plan
    this.#madeAt = madeAt
    this.#entries = applyPlan(plan, wholeView(madeAt)).entries
  }

  /** The native items of the view. The items must be those that the plan was made for, as far as it reads or edits them. */
  render<Item>(lens: Lens<Item>, items: ReadItems<Item>, context: Partial<RenderContext>): readonly Item[] {
    const rendered: RenderedItem<Item>[] = []
    for (const entry of this.#entries) {
      // a branch that went back may end before the transcript that the plan was made for
      if (entry.kind === 'item' && entry.position >= items.length) continue
      if (entry.kind === 'summary')
        rendered.push({ kind: 'summary', insertAfter: entry.insertAfter, text: entry.content })
      else if (entry.edits === undefined) rendered.push(asItIs(items, entry.position))
      else this.#pushEdited(rendered, lens, items, entry)
    }
    for (let position = this.#madeAt; position < items.length; position++) rendered.push(asItIs(items, position))
    return lens.layOut(rendered, { from: firstChange(this.#plan), before: this.#madeAt }, renderContext(context))
  }

  #pushEdited<Item>(
    rendered: RenderedItem<Item>[],
    lens: Lens<Item>,
    items: ReadItems<Item>,
    { position, edits = { parts: new Map() } }: ViewEntry & { readonly kind: 'item' },
  ): void {
    let known = this.#edits.get(position)
    if (known === undefined) {
      known = partEditsOf(items.view(position), edits)
      this.#edits.set(position, known)
    }
    const original = items.item(position)
    const item = known.length === 0 ? original : lens.edit(original, known)
    if (item !== undefined) rendered.push({ kind: 'item', position, item, edited: item !== original })
  }
}

function asItIs<Item>(items: ReadItems<Item>, position: number): RenderedItem<Item> {
  return { kind: 'item', position, item: items.item(position), edited: false }
}
