import { type Ledger, type MeasuredMessage, UNITS_PER_TOKEN } from '../tokens/ledger.ts'
import type { Plan } from './plan.ts'
import { type ItemEdits, indexPlan } from './plan-index.ts'
import { hasPosition } from './position-set.ts'
import { partEditsOf } from './shown-text.ts'

/**
 * Units that each position takes under a plan, before a dialect lays the view out (which can only take away more, or join
 * neighbours). Costs an estimate for each edited part and a look for each other item.
 */
export function projectUnits(plan: Plan, ledger: Ledger): { readonly total: number; at(position: number): number } {
  const index = indexPlan(plan)
  const framing = Math.round(ledger.meter.framing.message * UNITS_PER_TOKEN)
  let total = 0
  for (const { content } of index.summaries) total += ledger.meter.text(content) + framing
  const units = new Float64Array(ledger.length)
  for (let position = 0; position < ledger.length; position++) {
    if (hasPosition(index.drop, position)) continue
    units[position] = unitsUnder(ledger, position, index.items.get(position))
    total += units[position] ?? 0
  }
  return { total, at: (position) => units[position] ?? 0 }
}

/** Units of one item under these edits. */
export function unitsUnder(ledger: Ledger, position: number, edits: ItemEdits | undefined): number {
  const message = ledger.message(position)
  if (edits === undefined) return message.units
  let units = message.units
  let left = message.view.parts.length
  for (const edit of partEditsOf(message.view, edits)) {
    const own = message.parts[edit.part] ?? 0
    if (edit.kind === 'remove') left--
    const media = edit.kind === 'replace-text' ? mediaUnits(message, edit.part, ledger) : 0
    units -= own
    if (edit.kind === 'replace-media') units += own - mediaUnits(message, edit.part, ledger)
    if (edit.kind !== 'remove') units += ledger.meter.text(edit.text) + media
  }
  return left === 0 ? 0 : units
}

function mediaUnits(message: MeasuredMessage, part: number, ledger: Ledger): number {
  const media = message.view.parts[part]?.media ?? []
  return media.reduce((sum, one) => sum + Math.round(ledger.meter.media(one) * UNITS_PER_TOKEN), 0)
}
