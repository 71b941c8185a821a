import { derive, deriveList } from '../../engine/json/derive.ts'
import type { RenderContext, RenderedItem } from '../../engine/messages/message.ts'
import { joinedNeighbours } from '../joined-neighbours.ts'
import { hasLostPrefix, type PlanChange } from '../plan-change.ts'
import { type SystemPlaces, settledSystem } from '../settled-system.ts'
import { withBlocks } from './edit.ts'
import {
  type BedrockBlock,
  type BedrockMessage,
  blocksOf,
  createdSummary,
  isCachePoint,
  isReasoning,
  partsOf,
  roleOf,
  toolResult,
} from './items.ts'

/** A message on its way out; `summary` tells that it is ours, not the transcript's. */
interface Placed {
  readonly message: BedrockMessage
  readonly summary: boolean
}

/**
 * The messages of a view with their roles alternating, as the API demands. Untouched messages come out as the same
 * objects.
 */
export function layOutMessages(
  items: readonly RenderedItem<BedrockMessage>[],
  changed: PlanChange,
  context: Pick<RenderContext, 'thinkingBinding'>,
): readonly BedrockMessage[] {
  const untouched = changed.from === undefined && items.every((item) => item.kind === 'item' && !item.edited)
  const placed = items.flatMap((item) => place(item, changed, context))
  return (untouched ? placed : joinedNeighbours(settledSystem(placed, PLACES), { mayJoin, join })).map(
    ({ message }) => message,
  )
}

function place(
  item: RenderedItem<BedrockMessage>,
  changed: PlanChange,
  context: Pick<RenderContext, 'thinkingBinding'>,
): readonly Placed[] {
  if (item.kind === 'summary') return [{ message: createdSummary(item.text), summary: true }]
  const message = hasLostPrefix(item.position, changed, context) ? withoutReasoning(item.item) : item.item
  return message === undefined ? [] : [{ message, summary: false }]
}

/** Reasoning whose prefix changed is refused, so it leaves whole; what was said with it stays. */
function withoutReasoning(message: BedrockMessage): BedrockMessage | undefined {
  const blocks = blocksOf(message)
  const kept = blocks.filter((block) => !isReasoning(block))
  return kept.length === blocks.length ? message : withBlocks(message, kept)
}

const PLACES: SystemPlaces<Placed> = {
  roleOf: ({ message }) => roleOf(message),
  floats: () => false,
  takesSystem: ({ message }) => roleOf(message) !== 'assistant',
  unmarked: withoutPoints,
}

function withoutPoints(placed: Placed): Placed {
  const { message } = placed
  const parts = partsOf(message)
  if (parts.length === blocksOf(message).length) return placed
  return { ...placed, message: derive(message, { content: deriveList(message.content ?? [], parts) }) }
}

/** A summary never stands in a message with results: there the check refuses the view. */
function mayJoin(before: Placed, after: Placed): boolean {
  const role = roleOf(before.message)
  if (role !== roleOf(after.message) || (role !== 'user' && role !== 'assistant')) return false
  return !(before.summary && hasResults(after)) && !(after.summary && hasResults(before))
}

function hasResults({ message }: Placed): boolean {
  return blocksOf(message).some((block) => toolResult(block) !== undefined)
}

function join(before: Placed, after: Placed): Placed {
  // The message of the transcript is the one to derive from: what it shares is spliced from its source text.
  const model = before.summary ? after.message : before.message
  const blocks = [...blocksOf(before.message), ...blocksOf(after.message)]
  const ordered = roleOf(model) === 'user' ? resultsFirst(blocks) : blocks
  const content = deriveList(model.content ?? [], ordered)
  const message = derive(model, { ...after.message, ...before.message, content })
  return { message, summary: before.summary && after.summary }
}

function resultsFirst(blocks: readonly BedrockBlock[]): readonly BedrockBlock[] {
  const parts = partsOf({ content: blocks })
  const other = parts.findIndex((block) => toolResult(block) === undefined)
  const isOrdered = other < 0 || parts.slice(other).every((block) => toolResult(block) === undefined)
  if (isOrdered) return blocks
  const results = blocks.filter((block) => toolResult(block) !== undefined)
  return [...results, ...blocks.filter((block) => !results.includes(block))]
}

/** Blocks that a cache point may follow. */
export function mayPrecedePoint(block: BedrockBlock | undefined): boolean {
  return block !== undefined && !isReasoning(block) && !isCachePoint(block)
}
