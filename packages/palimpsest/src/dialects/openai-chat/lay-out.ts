import { derive, deriveList } from '../../engine/json/derive.ts'
import type { RenderedItem } from '../../engine/messages/message.ts'
import { joinedNeighbours } from '../joined-neighbours.ts'
import { type Fields, fieldsOf, listOf } from '../json-fields.ts'
import { type ChatContentPart, type ChatMessage, summaryMessage, textPart } from './items.ts'

type Entry = RenderedItem<ChatMessage>

/**
 * The messages of a view, legal: summaries are user messages. Where roles must alternate, neighbours of one role become one
 * message, so a summary stands as the first part of the user message behind it. A view that no plan changed goes out as it is.
 */
export function layOutMessages(entries: readonly Entry[], joins: boolean): readonly ChatMessage[] {
  const messages = entries.map((entry) => (entry.kind === 'item' ? entry.item : summaryMessage(entry.text)))
  return joins ? joinedNeighbours(messages, { mayJoin, join: joinTwo }) : messages
}

function mayJoin(before: ChatMessage, after: ChatMessage): boolean {
  const { role } = fieldsOf(after)
  return (role === 'user' || role === 'assistant') && fieldsOf(before).role === role
}

function joinTwo(before: ChatMessage, after: ChatMessage): ChatMessage {
  return after.role === 'user' ? joinUsers(before, after) : joinAssistants(before, after)
}

/** Both contents as parts of one list, each part as it was: what the user said stays word for word. */
function joinUsers(first: ChatMessage, second: ChatMessage): ChatMessage {
  const content = [...partsOf(first), ...partsOf(second)]
  return join(first, second, { content: deriveList(listOf(second.content), content) })
}

/** The first cannot have calls: their results would stand between. Its reasoning leaves, the newer stays as it is. */
function joinAssistants(first: ChatMessage, second: ChatMessage): ChatMessage {
  const texts = [first.content, second.content].filter((content) => content != null && content !== '')
  if (texts.every((content) => typeof content === 'string')) {
    return join(first, second, { content: texts.length === 0 ? null : texts.join('\n\n') })
  }
  const content = [...partsOf(first), ...partsOf(second)]
  return join(first, second, { content: deriveList(listOf(second.content), content) })
}

/** The newer message with what only the older one has. */
function join(first: ChatMessage, second: ChatMessage, changes: Pick<ChatMessage, 'content'>): ChatMessage {
  const missing = Object.entries(first).filter(([name]) => !(name in second) && !REASONING.has(name))
  return derive<Fields>(fieldsOf(second), { ...Object.fromEntries(missing), ...changes }) as unknown as ChatMessage
}

const REASONING: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning', 'reasoning_details'])

function partsOf({ content }: ChatMessage): readonly ChatContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)]
  return content ?? []
}
