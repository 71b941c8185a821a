import { derive, deriveList } from '../../engine/json/derive.ts'
import type { PartEdit, RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import { editMessage } from './edit.ts'
import type { AiSdkMessage, ProviderOptions, SummaryMessage } from './items.ts'
import { isReasoning, partsOf, typeOf } from './part-data.ts'

/**
 * The messages as they go out. A summary is one user message. Where thinking is bound to its prefix, thinking from before
 * the change leaves, and what stood behind it loses its item id. Where roles alternate, messages of one role that a plan
 * brought together are joined: the summary becomes the first part of the user's message behind it.
 */
export function layOutMessages(
  items: readonly RenderedItem<AiSdkMessage>[],
  changed: { readonly from: number | undefined; readonly before: number },
  context: RenderContext,
): readonly AiSdkMessage[] {
  const out: AiSdkMessage[] = []
  let previous: Placed | undefined
  for (const placed of items.flatMap((item) => placeItem(item, changed, context))) {
    const last = out.at(-1)
    const joins = context.strictAlternation && last !== undefined && mayJoin(last, placed.message)
    if (joins && previous !== undefined && !stoodTogether(previous, placed)) {
      out[out.length - 1] = join(last, placed.message, previous.position === undefined)
    } else out.push(placed.message)
    previous = placed
  }
  return out
}

/** A message of the view with its position in the transcript; a summary has none. */
interface Placed {
  readonly message: AiSdkMessage
  readonly position: number | undefined
}

function placeItem(
  item: RenderedItem<AiSdkMessage>,
  changed: { readonly from: number | undefined; readonly before: number },
  context: RenderContext,
): readonly Placed[] {
  if (item.kind === 'summary') return [{ message: summaryMessage(item.text), position: undefined }]
  const lostPrefix =
    context.thinkingBinding === 'prefix' &&
    changed.from !== undefined &&
    item.position >= changed.from &&
    item.position < changed.before
  const message = lostPrefix ? withoutThinking(item.item) : item.item
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

/** A message with an open call ends where its results follow: nothing is put behind it. */
function mayJoin(a: AiSdkMessage, b: AiSdkMessage): boolean {
  if (a.role !== b.role || (a.role !== 'user' && a.role !== 'assistant')) return false
  return !partsOf(a).some((part) => typeOf(part) === 'tool-call')
}

/** One message with the parts of both. It is made from `b` where `a` is ours, so that `b` keeps its own fields. */
function join(a: AiSdkMessage, b: AiSdkMessage, intoB: boolean): AiSdkMessage {
  const [base, other] = intoB ? [b, a] : [a, b]
  const providerOptions = joinOptions(other.providerOptions, base.providerOptions)
  return derive(base, {
    ...other,
    ...base,
    content: deriveList(partsOf(base), [...partsOf(a), ...partsOf(b)]),
    ...(providerOptions !== undefined && { providerOptions }),
  })
}

function joinOptions(
  under: ProviderOptions | undefined,
  over: ProviderOptions | undefined,
): ProviderOptions | undefined {
  if (!under || !over) return over ?? under ?? undefined
  const providers = [...new Set([...Object.keys(over), ...Object.keys(under)])]
  return Object.fromEntries(providers.map((provider) => [provider, { ...under[provider], ...over[provider] }]))
}
