import type { MessageGroup } from '../messages/groups.ts'
import type { PartView } from '../messages/message.ts'
import { unwrapCheckpoint } from '../summary/checkpoint-text.ts'
import type { Ledger } from '../tokens/ledger.ts'

/** The group of the last message of the user's own words, with its place among the groups. */
export function lastUserGroup(
  groups: readonly MessageGroup[],
): { readonly group: MessageGroup; readonly index: number } | undefined {
  const index = groups.findLastIndex((group) => group.ownWords)
  const group = groups[index]
  return group === undefined ? undefined : { group, index }
}

/**
 * The user's own words in this group as one text, or undefined when it holds more than text (a picture cannot stand
 * inside a summary: then the message itself has to stay). Of a checkpoint, the words that it carries.
 */
export function ownWords(group: MessageGroup, ledger: Ledger): string | undefined {
  const parts = group.slices.flatMap(({ position, parts: numbers }): readonly PartView[] => {
    const { view } = ledger.message(position)
    return numbers === 'all' ? view.parts : numbers.flatMap((number) => view.parts[number] ?? [])
  })
  if (group.kind === 'summary') return unwrapCheckpoint(parts[0]?.text() ?? '')?.lastUserMessage
  const own = parts.filter((part) => part.injected !== true)
  if (own.some((part) => part.kind !== 'text')) return undefined
  return own.map((part) => part.text()).join('\n')
}
