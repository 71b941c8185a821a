import { derive, deriveList } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { isCheckpointText } from '../../engine/summary/checkpoint-text.ts'
import { type CacheBreakpoints, stableCount } from '../cache-breakpoints.ts'
import { type CacheLifetime, lifetimeBetween } from '../cache-lifetime.ts'
import { isObject } from '../json-fields.ts'
import { type BedrockBlock, type BedrockMessage, blocksOf, type CachePoint, isCachePoint } from './items.ts'
import { mayPrecedePoint } from './lay-out.ts'

/** Cache points that one request may carry. */
export const MAX_CACHE_POINTS = 4

/** A cache point where it stands in reading order: tools, system, messages. */
export interface PlacedPoint {
  readonly ttl: CacheLifetime
  /** Place among the system blocks, for points there. */
  readonly inSystem?: number
  /** Position, and place in the message's content, for points in messages. */
  readonly position?: number
  readonly at?: number
}

/** Every cache point of the request in reading order. */
export function cachePoints(view: Conversation<BedrockMessage>): readonly PlacedPoint[] {
  const inTools = (view.tools ?? []).flatMap((entry) => pointIn(entry))
  const inSystem = view.system.flatMap((entry, place) => pointIn(entry).map((point) => ({ ...point, inSystem: place })))
  const inside = view.items.flatMap((message, position) =>
    blocksOf(message).flatMap((block, at) => pointIn(block).map((point) => ({ ...point, position, at }))),
  )
  return [...inTools, ...inSystem, ...inside]
}

function pointIn(entry: unknown): readonly PlacedPoint[] {
  if (!isObject(entry) || !isObject(entry.cachePoint)) return []
  return [{ ttl: entry.cachePoint.ttl === '1h' ? '1h' : '5m' }]
}

/**
 * Puts a cache point behind the last stable system block and behind the block of an item that holds the summary (its last block
 * where there is none), in this order, as long as slots are free. Points that stand are kept; where one stands already
 * none is added.
 */
export function markConversation<C extends Conversation<BedrockMessage>>(view: C, at: CacheBreakpoints): C {
  const withSystem = markSystem(view, stableCount(view.system, at.system))
  return at.item === undefined ? withSystem : markItem(withSystem, at.item)
}

function markSystem<C extends Conversation<BedrockMessage>>(view: C, stable: number): C {
  const [last, next] = [view.system[stable - 1], view.system[stable]]
  if (last === undefined || isCachePoint(last) || isCachePoint(next)) return view
  const point = freePoint(view, ({ position, inSystem = -1 }) => position !== undefined || inSystem >= stable)
  if (point === undefined) return view
  return { ...view, system: deriveList(view.system, view.system.toSpliced(stable, 0, { cachePoint: point })) }
}

function markItem<C extends Conversation<BedrockMessage>>(view: C, position: number): C {
  const message = view.items[position]
  if (message === undefined) return view
  const blocks = blocksOf(message)
  const summary = blocks.findLastIndex(isSummaryText)
  const place = summary >= 0 ? summary : blocks.findLastIndex(mayPrecedePoint)
  const point = freePoint(view, (one) => (one.position ?? -1) > position || isBehind(one, position, place))
  if (place < 0 || point === undefined || isCachePoint(blocks[place + 1])) return view
  const next: BedrockBlock[] = [...blocks.slice(0, place + 1), { cachePoint: point }, ...blocks.slice(place + 1)]
  const marked = derive(message, { content: deriveList(message.content ?? [], next) })
  return { ...view, items: deriveList(view.items, view.items.with(position, marked)) }
}

function isSummaryText(block: BedrockBlock): boolean {
  return isObject(block) && typeof block.text === 'string' && isCheckpointText(block.text)
}

function isBehind(point: PlacedPoint, position: number, at: number): boolean {
  return point.position === position && (point.at ?? -1) > at
}

/** The point to put at a place: none when no slot is free, or its time to live would not fit between the others. */
function freePoint(
  view: Conversation<BedrockMessage>,
  isLater: (point: PlacedPoint) => boolean,
): CachePoint | undefined {
  const points = cachePoints(view)
  if (points.length >= MAX_CACHE_POINTS) return undefined
  const ttls = (later: boolean) => points.filter((point) => isLater(point) === later).map(({ ttl }) => ttl)
  const ttl = lifetimeBetween(ttls(false), ttls(true))
  return ttl === undefined ? undefined : { type: 'default', ...(ttl === '1h' && { ttl }) }
}
