import type { Plan } from './plan.ts'
import { indexPlan, mergeIndexes, planOf } from './plan-index.ts'

/**
 * One plan that does what `earlier` and then `later` do. Associative; the empty plan is neutral. Drops join as sets of
 * positions; a summary of the earlier plan goes if and only if its `insert_after` lies in a drop of the later; per part,
 * drop beats removal beats offload beats the smallest truncation.
 *
 * @example
 * mergePlans({ drop: [{ from: 0, to: 3 }] }, { drop: [{ from: 3, to: 5 }] }).drop // [{ from: 0, to: 5 }]
 */
export function mergePlans(...plans: readonly Plan[]): Plan {
  const [first, ...rest] = plans
  if (first === undefined) return {}
  return planOf(rest.reduce((merged, plan) => mergeIndexes(merged, indexPlan(plan)), indexPlan(first)))
}
