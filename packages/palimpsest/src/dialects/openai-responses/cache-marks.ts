import { derive, deriveList } from '../../engine/json/derive.ts'
import { type CacheBreakpoints, stableCount } from '../cache-breakpoints.ts'
import { fieldsOf, listOf } from '../json-fields.ts'
import type { ResponsesConversation } from './check.ts'
import { isTextEntry, type TextEntry } from './editable-fields.ts'
import type { ResponsesItem } from './items.ts'

/** Breakpoints that one request may write beside the one that the provider sets itself. */
const MAX_MARKS = 3

const MARK = { mode: 'explicit' } as const

/**
 * Marks the last stable system item and the summary. Only where the caller himself uses breakpoints or their options, which
 * shows that this model knows them; everywhere else the provider caches by itself and the view stays as it is.
 */
export function markBreakpoints(view: ResponsesConversation, at: CacheBreakpoints): ResponsesConversation {
  const own = [...view.system, ...view.items].reduce<number>((sum, item) => sum + countMarks(item), 0)
  if (own === 0 && view.settings?.cacheBreakpoints !== true) return view
  let free = MAX_MARKS - own
  const mark = <T>(list: readonly T[], index: number | undefined): readonly T[] => {
    const marked = index === undefined || free <= 0 ? undefined : markLastText(list[index])
    if (index === undefined || marked === undefined) return list
    free--
    return list.with(index, marked as T)
  }
  const items = mark(view.items, at.item)
  const stable = stableCount(view.system, at.system)
  const system = mark(view.system, stable > 0 ? stable - 1 : undefined)
  return items === view.items && system === view.system ? view : { ...view, system, items }
}

/** The message with a mark on its last text part; undefined where there is none, or one is marked already. */
function markLastText(item: unknown): ResponsesItem | undefined {
  const { content } = fieldsOf(item)
  const list = listOf(content)
  const index = list.findLastIndex(isTextEntry)
  const entry = list[index]
  if (countMarks(item) > 0 || !isTextEntry(entry)) return undefined
  const marked = derive<TextEntry & { prompt_cache_breakpoint?: unknown }>(entry, { prompt_cache_breakpoint: MARK })
  return derive<ResponsesItem>(item as ResponsesItem, { content: deriveList(list, list.with(index, marked)) })
}

function countMarks(item: unknown): number {
  return listOf(fieldsOf(item).content).filter((entry) => fieldsOf(entry).prompt_cache_breakpoint != null).length
}
