import { derive, deriveList } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { isCheckpointText } from '../../engine/summary/checkpoint-text.ts'
import { type CacheBreakpoints, stableCount } from '../cache-breakpoints.ts'
import { type CacheLifetime, lifetimeBetween } from '../cache-lifetime.ts'
import { isObject, stringOr } from '../json-fields.ts'
import {
  type AnthropicBlock,
  type AnthropicMessage,
  blocksOf,
  type CacheControl,
  createdText,
  isBlockList,
  isThinking,
  kindOf,
  typeOf,
} from './items.ts'
import type { AnthropicConversation } from './request.ts'

/** Cache marks that one request may carry. */
export const MAX_CACHE_MARKS = 4

/** A cache mark where it stands; `rank` rises in the order in which the API reads the request. */
export interface CacheMark {
  readonly block: AnthropicBlock
  readonly ttl: CacheLifetime
  /** Position and part, for marks in messages. */
  readonly position?: number
  readonly part?: number
}

/** Every cache mark of the request in reading order: tools, system, messages; marks inside tool results too. */
export function cacheMarks(view: Conversation<AnthropicMessage>): readonly CacheMark[] {
  const outside = [...(view.tools ?? []), ...view.system].flatMap((entry) => (isObject(entry) ? marksIn(entry) : []))
  const inside = view.items.flatMap((message, position) =>
    blocksOf(message).flatMap((block, part) => marksIn(block).map((mark) => ({ ...mark, position, part }))),
  )
  return [...outside, ...inside]
}

function marksIn(value: { readonly [key: string]: unknown } | AnthropicBlock): readonly CacheMark[] {
  const block = value as AnthropicBlock
  if (!isObject(block)) return []
  const nested = kindOf(block) === 'client-result' && isBlockList(block.content) ? block.content : []
  const control = block.cache_control
  const own: CacheMark[] = isObject(control) ? [{ block, ttl: control.ttl === '1h' ? '1h' : '5m' }] : []
  return [...nested.flatMap(marksIn), ...own]
}

/** How many marks the request spends, the one of automatic caching included. */
export function spentMarks(view: Conversation<AnthropicMessage>): number {
  return cacheMarks(view).length + ((view as AnthropicConversation).automaticCache === true ? 1 : 0)
}

/**
 * Marks the last stable system block and the block of an item that holds the summary (its last block where there is none), in
 * this order, as long as slots are free. Marks that stand are kept; where a mark stands already none is added.
 */
export function markConversation<C extends Conversation<AnthropicMessage>>(view: C, at: CacheBreakpoints): C {
  const withSystem = markSystem(view, stableCount(view.system, at.system))
  return at.item === undefined ? withSystem : markItem(withSystem, at.item)
}

function markSystem<C extends Conversation<AnthropicMessage>>(view: C, stable: number): C {
  const place = view.system.slice(0, stable).findLastIndex((entry) => isMarkable(asBlock(entry)))
  const block = asBlock(view.system[place])
  const behind = new Set(view.system.slice(place + 1))
  const control = freeControl(view, (mark) => mark.position !== undefined || behind.has(mark.block))
  if (block === undefined || control === undefined || isObject(block.cache_control)) return view
  const system = view.system.map((entry, index) => (index === place ? marked(block, control) : entry))
  return { ...view, system: deriveList(view.system, system) }
}

function asBlock(entry: unknown): AnthropicBlock | undefined {
  if (typeof entry === 'string') return createdText(entry)
  return isObject(entry) ? (entry as unknown as AnthropicBlock) : undefined
}

function markItem<C extends Conversation<AnthropicMessage>>(view: C, position: number): C {
  const message = view.items[position]
  if (message === undefined) return view
  const blocks = blocksOf(message)
  const summary = blocks.findLastIndex(
    (block) => typeOf(block) === 'text' && isCheckpointText(stringOr(block.text, '')),
  )
  const place = summary >= 0 ? summary : blocks.findLastIndex(isMarkable)
  const block = blocks[place]
  const control = freeControl(view, (mark) => (mark.position ?? -1) > position || isBehind(mark, position, place))
  if (block === undefined || control === undefined || isObject(block.cache_control)) return view
  const next = blocks.map((one, part) => (part === place ? marked(block, control) : one))
  const content = deriveList(typeof message.content === 'string' ? [] : (message.content ?? []), next)
  const items = view.items.map((one, index) => (index === position ? derive(message, { content }) : one))
  return { ...view, items: deriveList(view.items, items) }
}

function isBehind(mark: CacheMark, position: number, part: number): boolean {
  return mark.position === position && (mark.part ?? -1) > part
}

/** The mark to put at a place: none when no slot is free, or its time to live would not fit between the others. */
function freeControl(
  view: Conversation<AnthropicMessage>,
  isLater: (mark: CacheMark) => boolean,
): CacheControl | undefined {
  if (spentMarks(view) >= MAX_CACHE_MARKS) return undefined
  const marks = cacheMarks(view)
  const ttls = (later: boolean) => marks.filter((mark) => isLater(mark) === later).map(({ ttl }) => ttl)
  const ttl = lifetimeBetween(ttls(false), ttls(true))
  return ttl === undefined ? undefined : { type: 'ephemeral', ...(ttl === '1h' && { ttl }) }
}

function marked(block: AnthropicBlock, control: CacheControl): AnthropicBlock {
  return derive(block, { cache_control: control })
}

/** May a block carry a cache mark? Not thinking, not empty text. */
export function isMarkable(block: AnthropicBlock | undefined): boolean {
  if (block === undefined || isThinking(block) || typeOf(block) === '') return false
  return typeOf(block) !== 'text' || stringOr(block.text, '') !== ''
}
