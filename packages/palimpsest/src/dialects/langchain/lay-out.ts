import { deriveList } from '../../engine/json/derive.ts'
import type { RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import { joinedNeighbours } from '../joined-neighbours.ts'
import { fieldsOf, listOf } from '../json-fields.ts'
import { hasLostPrefix, type PlanChange } from '../plan-change.ts'
import { copyMessage } from './copy-message.ts'
import { editMessage, isReasoningSlot } from './edit.ts'
import { type LangChainMessage, textEntry } from './items.ts'
import { slotsOf, speakerOf } from './slots.ts'
import { viewMessage } from './view.ts'

type Entry = RenderedItem<LangChainMessage>

/** Makes the message of a summary; `messages` are those of the conversation around it. */
export type SummaryMaker = (text: string, messages: readonly LangChainMessage[]) => LangChainMessage

/**
 * The messages of a view, legal: summaries are human messages. Where thinking is bound to its prefix, thinking from before the
 * change leaves. Where roles must alternate, neighbours of one role become one message, so that a summary stands as the first
 * part of the user's message behind it. A view that no plan changed goes out as it is.
 */
export function layOutMessages(
  entries: readonly Entry[],
  changed: PlanChange,
  { context, summary }: { readonly context: RenderContext; readonly summary: SummaryMaker },
): readonly LangChainMessage[] {
  const around = entries.flatMap((entry) => (entry.kind === 'item' ? [entry.item] : []))
  const messages = entries.flatMap((entry) => {
    if (entry.kind === 'summary') return [summary(entry.text, around)]
    const message = hasLostPrefix(entry.position, changed, context) ? withoutThinking(entry.item) : entry.item
    return message === undefined ? [] : [message]
  })
  const joins = context.strictAlternation && changed.from !== undefined
  return joins ? joinedNeighbours(messages, { mayJoin, join }) : messages
}

function withoutThinking(message: LangChainMessage): LangChainMessage | undefined {
  const removals = slotsOf(message).flatMap((slot, part) =>
    isReasoningSlot(message, slot) ? [{ kind: 'remove', part } as const] : [],
  )
  return removals.length === 0 ? message : editMessage(message, removals)
}

/** A message with calls ends where its results follow. */
function mayJoin(before: LangChainMessage, after: LangChainMessage): boolean {
  const view = viewMessage(before)
  if (view.role !== viewMessage(after).role || (view.role !== 'user' && view.role !== 'assistant')) return false
  return (
    speakerOf(after) !== undefined &&
    view.parts.every((part) => part.kind !== 'tool-call' && part.kind !== 'tool-result')
  )
}

/** The newer message with what both say, each part as it was. */
function join(before: LangChainMessage, after: LangChainMessage): LangChainMessage {
  const first = speakerOf(after) === 'assistant' ? (withoutThinking(before) ?? before) : before
  const texts = [first.content, after.content].filter((content) => content !== '')
  if (speakerOf(after) === 'assistant' && texts.every((content) => typeof content === 'string')) {
    return copyMessage(after as object, { content: texts.join('\n\n') }) as LangChainMessage
  }
  const content = deriveList<unknown>(listOf(after.content), [...entriesOf(first), ...entriesOf(after)])
  return copyMessage(after as object, { content }) as LangChainMessage
}

function entriesOf(message: LangChainMessage): readonly unknown[] {
  const { content } = fieldsOf(message)
  if (typeof content === 'string') return content === '' ? [] : [textEntry(content)]
  return listOf(content)
}
