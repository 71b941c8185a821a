import { derive, deriveList } from '../../engine/json/derive.ts'
import type { RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import { withBlocks } from './edit.ts'
import {
  type AnthropicMessage,
  blocksOf,
  createdSummary,
  isDirective,
  isRecord,
  isThinking,
  kindOf,
  roleOf,
} from './items.ts'

/** What a plan did to the transcript: the first changed position, and the transcript's length when the plan was made. */
export interface PlanChange {
  readonly from: number | undefined
  readonly before: number
}

/** A message on its way out; `summary` tells that it is ours, not the transcript's. */
interface Placed {
  readonly message: AnthropicMessage
  readonly summary: boolean
}

/** The messages of a view, in an order and form that the API takes. Untouched messages come out as the same objects. */
export function layOutMessages(
  items: readonly RenderedItem<AnthropicMessage>[],
  changed: PlanChange,
  context: RenderContext,
): readonly AnthropicMessage[] {
  const untouched = changed.from === undefined && items.every((item) => item.kind === 'item' && !item.edited)
  const placed = items.flatMap((item) => place(item, changed, context))
  const settled = untouched ? placed : settleSystem(placed)
  const joined = untouched || !context.strictAlternation ? settled : joinTurns(settled)
  return joined.map(({ message }) => message)
}

function place(item: RenderedItem<AnthropicMessage>, changed: PlanChange, context: RenderContext): readonly Placed[] {
  if (item.kind === 'summary') return [{ message: createdSummary(item.text), summary: true }]
  const unbound = context.thinkingBinding === 'prefix' && isAfterChange(item.position, changed)
  const message = unbound ? withoutThinking(item.item) : item.item
  return message === undefined ? [] : [{ message, summary: false }]
}

function isAfterChange(position: number, { from, before }: PlanChange): boolean {
  return from !== undefined && position >= from && position < before
}

/** Thinking whose prefix changed is refused, so it leaves whole; what was said with it stays. */
function withoutThinking(message: AnthropicMessage): AnthropicMessage | undefined {
  if (roleOf(message) !== 'assistant') return message
  const blocks = blocksOf(message)
  const kept = blocks.filter((block) => !isThinking(block))
  return kept.length === blocks.length ? message : withBlocks(message, kept)
}

/**
 * A system message must end a user turn: behind a user message or a server tool's result, and before an assistant message
 * or the end. Where the user message before it left, or a summary came behind it, it waits for the end of the next user
 * turn. Messages that stand legally do not move.
 */
function settleSystem(messages: readonly Placed[]): readonly Placed[] {
  const settled: Placed[] = []
  let waiting: readonly Placed[] = []
  for (const placed of messages) {
    const role = roleOf(placed.message)
    if (role === 'system' && (waiting.length > 0 || !isDirective(placed.message))) {
      waiting = [...waiting, placed]
      continue
    }
    if (waiting.length > 0) {
      const before = settled.findLast(({ message }) => !isDirective(message))
      const isPlace = role === 'assistant' && before !== undefined && takesSystem(before.message)
      if (isPlace) settled.push(...waiting)
      waiting = isPlace ? [] : waiting.map(withoutMarks)
    }
    settled.push(placed)
  }
  return [...settled, ...waiting]
}

/** What moves takes no cache mark along: behind others its time to live could be too long, and its prefix is another. */
function withoutMarks(placed: Placed): Placed {
  const { message } = placed
  const blocks = blocksOf(message)
  if (typeof message.content === 'string' || !blocks.some((block) => isRecord(block.cache_control))) return placed
  const plain = blocks.map((block) => derive(block, { cache_control: undefined }))
  return { ...placed, message: derive(message, { content: deriveList(blocks, plain) }) }
}

/** May a system message follow this one? */
export function takesSystem(before: AnthropicMessage): boolean {
  if (roleOf(before) !== 'assistant') return true
  const last = blocksOf(before).at(-1)
  return last !== undefined && kindOf(last) === 'server-result'
}

/** For strict chat templates: neighbours of one role become one message. */
function joinTurns(messages: readonly Placed[]): readonly Placed[] {
  const joined: Placed[] = []
  for (const placed of messages) {
    const before = joined.at(-1)
    if (before !== undefined && mayJoin(before, placed)) joined[joined.length - 1] = join(before, placed)
    else joined.push(placed)
  }
  return joined
}

/** Results stand first in their message, and a summary never stands with results: such neighbours stay apart. */
function mayJoin(before: Placed, after: Placed): boolean {
  const role = roleOf(before.message)
  if (role !== roleOf(after.message) || (role !== 'user' && role !== 'assistant')) return false
  if (hasResults(after)) return !before.summary && blocksOf(before.message).every((block) => isResult(block))
  return !(after.summary && hasResults(before))
}

function hasResults({ message }: Placed): boolean {
  return blocksOf(message).some(isResult)
}

function isResult(block: Parameters<typeof kindOf>[0]): boolean {
  return kindOf(block) === 'client-result'
}

function join(before: Placed, after: Placed): Placed {
  // The message of the transcript is the one to derive from: what it shares is spliced from its source text.
  const model = before.summary ? after.message : before.message
  const blocks = [...blocksOf(before.message), ...blocksOf(after.message)]
  const content = deriveList(typeof model.content === 'string' ? [] : (model.content ?? []), blocks)
  const message = derive(model, { ...after.message, ...before.message, content })
  return { message, summary: before.summary && after.summary }
}
