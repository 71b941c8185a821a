import { deriveList } from '../engine/json/derive.ts'

/** Which elements of a list leave, and what stands for all of them. */
export interface Replacement<T> {
  readonly isReplaced: (element: T) => boolean
  /** Made from those that leave, which may be none. */
  readonly replacement: (leaving: readonly T[]) => T
  /** Where nothing leaves: does the replacement stand in front, or is the list the answer? In front by default. */
  readonly whenNone?: 'in front' | 'nothing'
}

/** The list, derived, with one element where the first of these stood and without the others of them. */
export function oneForMany<T>(list: readonly T[], options: Replacement<T>): readonly T[] {
  const { isReplaced, replacement, whenNone = 'in front' } = options
  const leaving = list.filter(isReplaced)
  if (leaving.length === 0) return whenNone === 'nothing' ? list : deriveList(list, [replacement([]), ...list])
  const at = list.findIndex(isReplaced)
  const kept = list.flatMap((element, index) =>
    index === at ? [replacement(leaving)] : isReplaced(element) ? [] : [element],
  )
  return deriveList(list, kept)
}
