import { derive, deriveList } from '../../engine/json/derive.ts'
import type { RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import type { GeminiContent, SummaryContent } from './items.ts'
import { contentRole, holdsResponse, isCall, partData, partsOf } from './part-data.ts'

/**
 * The contents as they go out. A summary becomes the first part of the user's words behind it, or a content of its own;
 * contents of one role that a plan brought together are joined, never one that holds a function response. Where thinking
 * is bound to its prefix, thoughts from before the change leave; signatures stay on the parts that they stand on.
 */
export function layOutContents(
  items: readonly RenderedItem<GeminiContent>[],
  changed: { readonly from: number | undefined; readonly before: number },
  context: RenderContext,
): readonly GeminiContent[] {
  const out: GeminiContent[] = []
  let previous: Placed | undefined
  for (const placed of items.flatMap((item) => placeItem(item, changed, context))) {
    const last = out.at(-1)
    if (previous && last && !stoodTogether(previous, placed) && mayJoin(last, placed.content)) {
      out[out.length - 1] = join(last, placed.content, previous.position === undefined)
    } else out.push(placed.content)
    previous = placed
  }
  return out
}

/** A content of the view with its position in the transcript; a summary has none. */
interface Placed {
  readonly content: GeminiContent
  readonly position: number | undefined
}

function placeItem(
  item: RenderedItem<GeminiContent>,
  changed: { readonly from: number | undefined; readonly before: number },
  context: RenderContext,
): readonly Placed[] {
  if (item.kind === 'summary') return [{ content: summaryContent(item.text), position: undefined }]
  const lostPrefix =
    context.thinkingBinding === 'prefix' &&
    changed.from !== undefined &&
    item.position >= changed.from &&
    item.position < changed.before
  const content = lostPrefix ? withoutThoughts(item.item) : item.item
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

function mayJoin(a: GeminiContent, b: GeminiContent): boolean {
  const role = contentRole(a)
  if (role !== contentRole(b)) return false
  if (role === 'user') return !holdsResponse(a) && !holdsResponse(b)
  return role === 'model' && !partsOf(a).some(isCall)
}

/** One content with the parts of both. It is made from `b` where `a` is ours, so that `b` keeps its own fields. */
function join(a: GeminiContent, b: GeminiContent, intoB: boolean): GeminiContent {
  const base = intoB ? b : a
  const parts = deriveList(partsOf(base), [...partsOf(a), ...partsOf(b)])
  return derive(base, { ...(intoB ? a : b), ...base, parts })
}
