import { derive, deriveList } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { type CacheBreakpoints, stableCount } from '../cache-breakpoints.ts'
import { type Fields, fieldsOf, listOf } from '../json-fields.ts'
import { CACHE_MARKS } from './fingerprint.ts'
import { type ChatMessage, textPart } from './items.ts'

/** Marks that one request may carry. */
const MAX_MARKS = 4

interface Mark {
  readonly name: string
  readonly value: unknown
  /** Place of the marked message among all messages, leading system included. */
  readonly at: number
}

/**
 * Marks the last stable system message and the summary with the kind of mark that the caller himself uses, which shows that
 * the upstream knows it. Without a mark of the caller the provider caches by itself, and the view stays as it is.
 */
export function markBreakpoints(view: Conversation<ChatMessage>, at: CacheBreakpoints): Conversation<ChatMessage> {
  const { system, items } = view
  const messages: readonly unknown[] = [...system, ...items]
  const own = messages.flatMap(marksOf)
  const stable = stableCount(system, at.system)
  const targets = [
    ...(at.item !== undefined && at.item < items.length ? [system.length + at.item] : []),
    ...(stable > 0 ? [stable - 1] : []),
  ]
  let free = own.length === 0 ? 0 : MAX_MARKS - own.length
  const marked = [...messages]
  for (const target of targets) {
    const message = free > 0 ? markLastText(messages[target], likeNeighbour(own, target)) : undefined
    if (message === undefined) continue
    marked[target] = message
    free--
  }
  if (marked.every((message, index) => message === messages[index])) return view
  const after = marked as readonly ChatMessage[]
  return { ...view, system: after.slice(0, system.length), items: after.slice(system.length) }
}

/** The mark before that place, else the first one: then no mark outlives one that stands before it. */
function likeNeighbour(own: readonly Mark[], place: number): Mark | undefined {
  return own.findLast((mark) => mark.at <= place) ?? own[0]
}

/** The message with a mark on its last text part; undefined where there is none, or one is marked already. */
function markLastText(message: unknown, like: Mark | undefined): ChatMessage | undefined {
  const { content } = fieldsOf(message)
  if (like === undefined || marksOf(message, 0).length > 0) return undefined
  const list = typeof content === 'string' && content !== '' ? [textPart(content)] : listOf(content)
  const index = list.findLastIndex((entry) => fieldsOf(entry).type === 'text' && fieldsOf(entry).text !== '')
  if (index < 0) return undefined
  const marked = derive<Fields>(fieldsOf(list[index]), { [like.name]: like.value })
  return derive<Fields>(fieldsOf(message), {
    content: deriveList<unknown>(list, list.with(index, marked)),
  }) as unknown as ChatMessage
}

function marksOf(message: unknown, at: number): readonly Mark[] {
  const holders = [message, ...listOf(fieldsOf(message).content)].map(fieldsOf)
  return holders.flatMap((holder) =>
    CACHE_MARKS.flatMap((name) => (holder[name] == null ? [] : [{ name, value: holder[name], at }])),
  )
}
