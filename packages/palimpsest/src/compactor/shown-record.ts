import type { RenderContext } from '../engine/messages/message.ts'
import type { Transcript } from '../engine/messages/transcript.ts'
import { ShownPlan } from '../engine/plan/shown-plan.ts'
import type { CompactionRecord } from '../engine/record/compaction-record.ts'

/** The view of one branch under one record. Between two compactions it only grows: so do its size and its soundness. */
export class ShownRecord {
  readonly #plan: ShownPlan
  #measured: { readonly length: number; readonly units: number } | undefined
  readonly #sound = new Set<string>()

  constructor({ plan, length }: CompactionRecord) {
    this.#plan = new ShownPlan(plan, length)
  }

  /** The items that go out, made from the request's own. */
  view<Item extends object>(
    transcript: Transcript<Item>,
    items: readonly Item[],
    context: Partial<RenderContext>,
  ): readonly Item[] {
    const source = {
      length: items.length,
      item: (position: number) => items[position] as Item,
      view: (position: number) => transcript.view(position),
    }
    return this.#plan.render(transcript.lens, source, context)
  }

  /** Was a view under this record found to break no rule of this context? What comes behind it is the caller's own. */
  isSound(context: RenderContext): boolean {
    return this.#sound.has(JSON.stringify(context))
  }

  markSound(context: RenderContext): void {
    this.#sound.add(JSON.stringify(context))
  }

  /** Estimated units of that view: measured whole once, then by what came since. */
  units<Item extends object>(transcript: Transcript<Item>, view: readonly Item[]): number {
    const { length, ledger } = transcript
    const before = this.#measured
    const isContinued = before !== undefined && !hasPinned(transcript, before.length)
    const units = isContinued ? before.units + ledger.units(before.length, length) : transcript.unitsOf(view)
    this.#measured = { length, units }
    return units
  }
}

/** A provider's own compaction item makes what stands before it count nothing. */
function hasPinned<Item extends object>(transcript: Transcript<Item>, from: number): boolean {
  for (let position = from; position < transcript.length; position++) {
    if (transcript.view(position).parts.some((part) => part.pinned === true)) return true
  }
  return false
}
