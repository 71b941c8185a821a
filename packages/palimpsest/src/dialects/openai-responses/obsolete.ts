import { isReasoning, kindOf, pairIdOf } from './families.ts'
import type { ResponsesItem } from './items.ts'

/**
 * Positions before this one stand before the newest `compaction` item: the provider no longer reads them, so they count 0
 * and may be dropped first. Less where an output behind the compaction answers a call before it: that call, and the
 * reasoning it belongs to, must stay. 0 without a compaction item.
 */
export function obsoleteBefore(items: readonly ResponsesItem[]): number {
  const compaction = items.findLastIndex((item) => kindOf(item) === 'compaction')
  if (compaction < 0) return 0
  const open = openCallsAt(items, compaction)
  const later = items.slice(compaction).flatMap((item) => (isAnswer(item) ? (pairIdOf(item) ?? []) : []))
  let cut = Math.min(compaction, ...later.map((id) => open.get(id) ?? compaction))
  while (cut > 0 && isReasoningAt(items, cut - 1)) cut--
  return cut
}

/** Calls and approval requests before `end` that nothing before it answers, by id. */
function openCallsAt(items: readonly ResponsesItem[], end: number): ReadonlyMap<string, number> {
  const open = new Map<string, number>()
  items.slice(0, end).forEach((item, index) => {
    const id = pairIdOf(item)
    if (id === undefined) return
    if (isAnswer(item)) open.delete(id)
    else open.set(id, index)
  })
  return open
}

function isAnswer(item: ResponsesItem): boolean {
  const kind = kindOf(item)
  return kind === 'output' || kind === 'approval-response'
}

function isReasoningAt(items: readonly ResponsesItem[], index: number): boolean {
  const item = items[index]
  return item !== undefined && isReasoning(item)
}
