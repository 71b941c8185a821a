import type { Plan } from '../plan/plan.ts'
import { indexPlan, mergeIndexes, type PlanIndex } from '../plan/plan-index.ts'
import { projectUnits, unitsUnder } from '../plan/projected-units.ts'
import { type Ledger, UNITS_PER_TOKEN } from '../tokens/ledger.ts'
import type { StrategyInput } from './strategy.ts'

/**
 * As many of these one-part edits, in their order, as bring the items under the limit. Edits that save nothing are left
 * out.
 */
export function untilLimit(input: StrategyInput, edits: readonly Plan[]): readonly Plan[] {
  const current = indexPlan(input.current)
  let excess = projectUnits(input.current, input.ledger).total - input.limit * UNITS_PER_TOKEN
  return edits.filter((edit) => {
    if (excess <= 0) return false
    const saved = savedBy(edit, current, input.ledger)
    if (saved > 0) excess -= saved
    return saved > 0
  })
}

/** Units that this edit takes away beside what `current` does: none where a stronger edit is in force already. */
export function savedBy(plan: Plan, current: PlanIndex, ledger: Ledger): number {
  const edit = indexPlan(plan)
  let saved = 0
  for (const position of edit.items.keys()) {
    const before = current.items.get(position)
    const now: PlanIndex = { drop: [], summaries: [], items: new Map(before === undefined ? [] : [[position, before]]) }
    const after = mergeIndexes(now, edit).items.get(position)
    saved += unitsUnder(ledger, position, before) - unitsUnder(ledger, position, after)
  }
  return saved
}
