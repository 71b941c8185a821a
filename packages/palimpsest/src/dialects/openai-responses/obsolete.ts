import { obsoleteBefore } from '../obsolete-before.ts'
import { isReasoning, kindOf, pairIdOf } from './families.ts'
import type { ResponsesItem } from './items.ts'

/** @see Lens.obsoleteBefore: what stands before the newest `compaction` item; reasoning stays with the call it led to. */
export function obsoleteItemsBefore(items: readonly ResponsesItem[]): number {
  return obsoleteBefore(items, {
    isCompaction: (item) => kindOf(item) === 'compaction',
    asks: (item) => (isAnswer(item) ? [] : idsOf(item)),
    answers: (item) => (isAnswer(item) ? idsOf(item) : []),
    mayBegin: (all, index) => {
      const before = all[index - 1]
      return before === undefined || !isReasoning(before)
    },
  })
}

function isAnswer(item: ResponsesItem): boolean {
  const kind = kindOf(item)
  return kind === 'output' || kind === 'approval-response'
}

function idsOf(item: ResponsesItem): readonly string[] {
  const id = pairIdOf(item)
  return id === undefined ? [] : [id]
}
