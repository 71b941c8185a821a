/** Positions `from` up to, not including, `to`. */
export interface PositionRange {
  readonly from: number
  readonly to: number
}

/** A summary that stands behind the items up to `insert_after` (−1: before position 0). */
export interface PlanSummary {
  readonly insert_after: number
  readonly content: string
}

/** A tool result whose original is stored and which shows a pointer and a preview. Without `part`: every tool result of the item. */
export interface Offload {
  readonly message_index: number
  readonly part?: number
  readonly artifact_key?: string
  /** Bytes above which a result was offloaded; without `part`, smaller results of the item stay. */
  readonly threshold?: number
}

/**
 * A part cut to its first `kept_head` and last `kept_tail` characters (UTF-16 units) of `of`, always counted on the
 * original. For a tool call the two numbers bound every string inside its arguments.
 */
export interface Truncation {
  readonly message_index: number
  readonly part: number
  readonly kept_head: number
  readonly kept_tail: number
  readonly of: number
}

/** A part that leaves its item; an item without parts leaves the view. */
export interface Removal {
  readonly message_index: number
  readonly part: number
}

/** Media (of a part or inside a tool result) replaced by a line of text; `reasoning` leaves without one. */
export interface Placeholder {
  readonly message_index: number
  readonly part: number
  readonly kind: 'image' | 'document' | 'reasoning'
  readonly artifact_key?: string
}

/**
 * Edits of a view, as JSON. All indexes are absolute positions in the append-only transcript, counted from the first item
 * that is not a leading system item. Empty fields are omitted.
 */
export interface Plan {
  readonly drop?: readonly PositionRange[]
  readonly summaries?: readonly PlanSummary[]
  readonly offloads?: readonly Offload[]
  readonly truncations?: readonly Truncation[]
  readonly removals?: readonly Removal[]
  readonly placeholders?: readonly Placeholder[]
}

/** A plan together with the name of the strategy that made it. */
export interface RuntimePlan extends Plan {
  readonly strategy: string
}

/** The plan that changes nothing. */
export const EMPTY_PLAN: Plan = {}

/**
 * Does the plan change nothing?
 *
 * @example
 * isEmptyPlan({ drop: [] }) // true
 */
export function isEmptyPlan(plan: Plan): boolean {
  return FIELDS.every((field) => (plan[field]?.length ?? 0) === 0)
}

/**
 * One more than the highest position the plan speaks of: what it needs of a transcript. 0 for the empty plan.
 *
 * @example
 * planExtent({ drop: [{ from: 0, to: 41 }] }) // 41
 */
export function planExtent(plan: Plan): number {
  const ends = [
    ...(plan.drop ?? []).map((range) => range.to),
    ...(plan.summaries ?? []).map((summary) => summary.insert_after + 1),
    ...[plan.offloads, plan.truncations, plan.removals, plan.placeholders].flatMap((edits) =>
      (edits ?? []).map((edit) => edit.message_index + 1),
    ),
  ]
  return ends.reduce((highest, end) => Math.max(highest, end), 0)
}

/**
 * The first position that the plan changes, takes away, or puts something before; undefined for the empty plan.
 *
 * @example
 * firstChange({ drop: [{ from: 3, to: 41 }] }) // 3
 */
export function firstChange(plan: Plan): number | undefined {
  const starts = [
    ...(plan.drop ?? []).map((range) => range.from),
    ...(plan.summaries ?? []).map((summary) => summary.insert_after + 1),
    ...[plan.offloads, plan.truncations, plan.removals, plan.placeholders].flatMap((edits) =>
      (edits ?? []).map((edit) => edit.message_index),
    ),
  ]
  return starts.length === 0 ? undefined : starts.reduce((lowest, start) => Math.min(lowest, start))
}

/** The fields of a plan, in the order in which its JSON lists them. */
export const FIELDS = ['drop', 'summaries', 'offloads', 'truncations', 'removals', 'placeholders'] as const
