import { derive, deriveList } from '../../engine/json/derive.ts'
import type { RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import { joinedNeighbours } from '../joined-neighbours.ts'
import { hasLostPrefix, type PlanChange } from '../plan-change.ts'
import type { GeminiContent, SummaryContent } from './items.ts'
import { contentRole, holdsResponse, isCall, partData, partsOf } from './part-data.ts'

/**
 * The contents as they go out. A summary becomes the first part of the user's words behind it, or a content of its own;
 * contents of one role that a plan brought together are joined, never one that holds a function response. Where thinking
 * is bound to its prefix, thoughts from before the change leave; signatures stay on the parts that they stand on.
 */
export function layOutContents(
  items: readonly RenderedItem<GeminiContent>[],
  changed: PlanChange,
  context: RenderContext,
): readonly GeminiContent[] {
  const placed = items.flatMap((item) => placeItem(item, changed, context))
  return joinedNeighbours(placed, { mayJoin, join }).map(({ content }) => content)
}

/** A content of the view with its position in the transcript; a summary has none. */
interface Placed {
  readonly content: GeminiContent
  readonly position: number | undefined
}

function placeItem(item: RenderedItem<GeminiContent>, changed: PlanChange, context: RenderContext): readonly Placed[] {
  if (item.kind === 'summary') return [{ content: summaryContent(item.text), position: undefined }]
  const content = hasLostPrefix(item.position, changed, context) ? withoutThoughts(item.item) : item.item
  return content === undefined ? [] : [{ content, position: item.position }]
}

function summaryContent(text: string): SummaryContent {
  return { role: 'user', parts: [{ text }] }
}

function withoutThoughts(content: GeminiContent): GeminiContent | undefined {
  const parts = partsOf(content)
  const kept = parts.filter((part) => partData(part).kind !== 'thought')
  if (kept.length === parts.length) return content
  return kept.length === 0 ? undefined : derive(content, { parts: deriveList(parts, kept) })
}

/** Neighbours of the transcript stay as the client sent them; only what a plan brought together may have to be joined. */
function stoodTogether(a: Placed, b: Placed): boolean {
  return a.position !== undefined && b.position === a.position + 1
}

function mayJoin(before: Placed, after: Placed): boolean {
  const [a, b] = [before.content, after.content]
  const role = contentRole(a)
  if (role !== contentRole(b) || stoodTogether(before, after)) return false
  if (role === 'user') return !holdsResponse(a) && !holdsResponse(b)
  return role === 'model' && !partsOf(a).some(isCall)
}

/** One content with the parts of both. It is made from the later one where the first is ours, to keep its own fields. */
function join({ content: a, position: before }: Placed, { content: b, position }: Placed): Placed {
  const [base, other] = before === undefined ? [b, a] : [a, b]
  const parts = deriveList(partsOf(base), [...partsOf(a), ...partsOf(b)])
  return { content: derive(base, { ...other, ...base, parts }), position }
}
