import { derive, deriveList } from '../../engine/json/derive.ts'
import type { RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import { joinedNeighbours } from '../joined-neighbours.ts'
import { isObject } from '../json-fields.ts'
import { hasLostPrefix, type PlanChange } from '../plan-change.ts'
import { type SystemPlaces, settledSystem } from '../settled-system.ts'
import { withBlocks } from './edit.ts'
import { type AnthropicMessage, blocksOf, createdSummary, isDirective, isThinking, kindOf, roleOf } from './items.ts'

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
  const settled = untouched ? placed : settledSystem(placed, PLACES)
  const joined = untouched || !context.strictAlternation ? settled : joinedNeighbours(settled, { mayJoin, join })
  return joined.map(({ message }) => message)
}

function place(item: RenderedItem<AnthropicMessage>, changed: PlanChange, context: RenderContext): readonly Placed[] {
  if (item.kind === 'summary') return [{ message: createdSummary(item.text), summary: true }]
  const message = hasLostPrefix(item.position, changed, context) ? withoutThinking(item.item) : item.item
  return message === undefined ? [] : [{ message, summary: false }]
}

/** Thinking whose prefix changed is refused, so it leaves whole; what was said with it stays. */
function withoutThinking(message: AnthropicMessage): AnthropicMessage | undefined {
  if (roleOf(message) !== 'assistant') return message
  const blocks = blocksOf(message)
  const kept = blocks.filter((block) => !isThinking(block))
  return kept.length === blocks.length ? message : withBlocks(message, kept)
}

/** A message of settings alone may stand anywhere. */
const PLACES: SystemPlaces<Placed> = {
  roleOf: ({ message }) => roleOf(message),
  floats: ({ message }) => isDirective(message),
  takesSystem: ({ message }) => takesSystem(message),
  unmarked: withoutMarks,
}

function withoutMarks(placed: Placed): Placed {
  const { message } = placed
  const blocks = blocksOf(message)
  if (typeof message.content === 'string' || !blocks.some((block) => isObject(block.cache_control))) return placed
  const plain = blocks.map((block) => derive(block, { cache_control: undefined }))
  return { ...placed, message: derive(message, { content: deriveList(blocks, plain) }) }
}

/** May a system message follow this one? Behind a user message or a server tool's result. */
export function takesSystem(before: AnthropicMessage): boolean {
  if (roleOf(before) !== 'assistant') return true
  const last = blocksOf(before).at(-1)
  return last !== undefined && kindOf(last) === 'server-result'
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
