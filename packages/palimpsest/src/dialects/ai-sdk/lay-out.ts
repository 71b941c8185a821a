import { derive, deriveList } from '../../engine/json/derive.ts'
import type { PartEdit, RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import { joinedNeighbours } from '../joined-neighbours.ts'
import { property } from '../json-fields.ts'
import { hasLostPrefix, type PlanChange } from '../plan-change.ts'
import { editMessage } from './edit.ts'
import type { AiSdkMessage, ProviderOptions, SummaryMessage } from './items.ts'
import { isProviderRun, isReasoning, partsOf, typeOf } from './part-data.ts'

/**
 * The messages as they go out. A summary is one user message. Where thinking is bound to its prefix, thinking from before
 * the change leaves, and what stood behind it loses its item id. Where roles alternate, messages of one role that a plan
 * brought together are joined: the summary becomes the first part of the user's message behind it.
 */
export function layOutMessages(
  items: readonly RenderedItem<AiSdkMessage>[],
  changed: PlanChange,
  context: RenderContext,
): readonly AiSdkMessage[] {
  const placed = items.flatMap((item) => placeItem(item, changed, context))
  const joined = context.strictAlternation ? joinedNeighbours(placed, { mayJoin, join }) : placed
  return joined.map(({ message }) => message)
}

/** A message of the view with its position in the transcript; a summary has none. */
interface Placed {
  readonly message: AiSdkMessage
  readonly position: number | undefined
}

function placeItem(item: RenderedItem<AiSdkMessage>, changed: PlanChange, context: RenderContext): readonly Placed[] {
  if (item.kind === 'summary') return [{ message: summaryMessage(item.text), position: undefined }]
  const message = hasLostPrefix(item.position, changed, context) ? withoutThinking(item.item) : item.item
  return message === undefined ? [] : [{ message, position: item.position }]
}

function summaryMessage(text: string): SummaryMessage {
  return { role: 'user', content: [{ type: 'text', text }] }
}

function withoutThinking(message: AiSdkMessage): AiSdkMessage | undefined {
  const removals: readonly PartEdit[] = partsOf(message).flatMap((part, at) =>
    isReasoning(part) ? [{ kind: 'remove', part: at }] : [],
  )
  return editMessage(message, removals)
}

/** Neighbours of the transcript stay as the client sent them; only what a plan brought together may have to be joined. */
function stoodTogether(a: Placed, b: Placed): boolean {
  return a.position !== undefined && b.position === a.position + 1
}

/** A message with an open call ends where its results follow, and an id names one call of a message. */
function mayJoin(before: Placed, after: Placed): boolean {
  const [a, b] = [before.message, after.message]
  const role = property(a, 'role')
  if (stoodTogether(before, after) || role !== property(b, 'role')) return false
  if (role !== 'user' && role !== 'assistant') return false
  const calls = partsOf(a).filter((part) => typeOf(part) === 'tool-call')
  const ids = new Set(partsOf(b).map((part) => property(part, 'toolCallId')))
  return calls.every((call) => isProviderRun(call, a) && !ids.has(property(call, 'toolCallId')))
}

/** One message with the parts of both. It is made from the later one where the first is ours, to keep its own fields. */
function join({ message: a, position: before }: Placed, { message: b, position }: Placed): Placed {
  const [base, other] = before === undefined ? [b, a] : [a, b]
  const providerOptions = joinOptions(other.providerOptions, base.providerOptions)
  const message = derive(base, {
    ...other,
    ...base,
    content: deriveList(partsOf(base), [...partsOf(a), ...partsOf(b)]),
    ...(providerOptions !== undefined && { providerOptions }),
  })
  return { message, position }
}

function joinOptions(
  under: ProviderOptions | undefined,
  over: ProviderOptions | undefined,
): ProviderOptions | undefined {
  if (!under || !over) return over ?? under ?? undefined
  const providers = [...new Set([...Object.keys(over), ...Object.keys(under)])]
  return Object.fromEntries(providers.map((provider) => [provider, { ...under[provider], ...over[provider] }]))
}
