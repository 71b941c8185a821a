import type { RenderContext } from '../messages/message.ts'
import type { Transcript } from '../messages/transcript.ts'
import { EMPTY_PLAN, type Plan } from './plan.ts'
import { renderPlan } from './render.ts'

/**
 * The view of a growing transcript under one plan. Between two compactions it only gains items at its end: what it gave
 * once is the beginning of everything it gives later. Following the transcript costs only what is new.
 *
 * @example
 * const view = new LiveView(transcript).follow()
 * transcript.append([{ role: 'user', content: 'And now the docs.' }])
 * view.follow().items.length
 */
export class LiveView<Item extends object> {
  readonly #transcript: Transcript<Item>
  readonly #context: Partial<RenderContext>
  #plan: Plan = EMPTY_PLAN
  #items: Item[] = []
  #units = 0
  /** Items of the transcript that are in the view or evicted. */
  #seen = 0
  #madeAt = 0

  constructor(transcript: Transcript<Item>, context: Partial<RenderContext> = {}) {
    this.#transcript = transcript
    this.#context = context
  }

  get plan(): Plan {
    return this.#plan
  }

  /** Transcript length when the plan was made. */
  get madeAt(): number {
    return this.#madeAt
  }

  /** What the model is sent now. The list is the view's own: it grows with the transcript. */
  get items(): readonly Item[] {
    return this.#items
  }

  /** Estimated units of `items`. */
  get units(): number {
    return this.#units
  }

  /** Takes in what was appended to the transcript since the last call. */
  follow(): this {
    let replaced = false
    for (; this.#seen < this.#transcript.length; this.#seen++) {
      const { view, units } = this.#transcript.measured(this.#seen)
      this.#items.push(this.#transcript.item(this.#seen))
      this.#units += units
      replaced ||= view.parts.some((part) => part.pinned)
    }
    // a provider's own compaction item makes what stands before it count nothing
    if (replaced) this.#units = this.#transcript.unitsOf(this.#items)
    return this
  }

  /** Puts another plan in force, made when the transcript had `madeAt` items. */
  adopt(plan: Plan, madeAt = this.#transcript.length): this {
    this.#plan = plan
    this.#madeAt = madeAt
    this.#items = [...renderPlan(this.#transcript.lens, this.#transcript, plan, { ...this.#context, madeAt })]
    this.#units = this.#transcript.unitsOf(this.#items)
    this.#seen = this.#transcript.length
    return this
  }
}
