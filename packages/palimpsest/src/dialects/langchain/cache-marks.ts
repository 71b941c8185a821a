import { derive, deriveList } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { type CacheBreakpoints, stableCount } from '../cache-breakpoints.ts'
import { type CacheLifetime, lifetimeBetween } from '../cache-lifetime.ts'
import { type Fields, fieldsOf, isObject, listOf } from '../json-fields.ts'
import { copyMessage } from './copy-message.ts'
import { type LangChainMessage, textEntry } from './items.ts'

/** Marks that one request to Anthropic may carry. */
const MAX_MARKS = 4

/**
 * The view with Anthropic's cache marks on its last stable system message and on the summary, as far as slots are free. Only where the
 * conversation shows that the provider takes them: marks of the caller, or answers of Anthropic's API to a Claude model.
 * The caller's marks stay; a message that has one gets none of ours.
 */
export function markCache(view: Conversation<LangChainMessage>, at: CacheBreakpoints): Conversation<LangChainMessage> {
  const own = marksOf([...(view.tools ?? []), ...view.system, ...view.items])
  if (own.length === 0 && !isAnthropic(view)) return view
  const free = MAX_MARKS - own.length
  const item = at.item === undefined || free < 1 ? undefined : marked(view, view.items[at.item])
  const last = stableCount(view.system, at.system) - 1
  const system = last >= 0 && free > (item ? 1 : 0) ? marked(view, view.system[last]) : undefined
  if (item === undefined && system === undefined) return view
  return {
    ...view,
    ...(item && { items: view.items.with(at.item ?? 0, item) }),
    ...(system && { system: view.system.with(last, system) }),
  }
}

function isAnthropic({ model, items }: Conversation<LangChainMessage>): boolean {
  if (!/claude/i.test(model ?? '')) return false
  return items.some((item) => fieldsOf(fieldsOf(item).response_metadata).model_provider === 'anthropic')
}

/** The message with our mark on its last text; undefined where it can have none. */
function marked(view: Conversation<LangChainMessage>, message: unknown): LangChainMessage | undefined {
  if (!isObject(message) || marksOf([message]).length > 0) return undefined
  const { content } = message
  const list = typeof content === 'string' && content !== '' ? [textEntry(content)] : listOf(content)
  const last = list.at(-1)
  const { type, text } = fieldsOf(last)
  const lifetime = lifetimeAt(view, message)
  if (lifetime === undefined || type !== 'text' || typeof text !== 'string' || text === '') return undefined
  const mark = { type: 'ephemeral', ...(lifetime === '1h' && { ttl: '1h' }) }
  const entry = derive<Fields>(fieldsOf(last), { cache_control: mark })
  return copyMessage(message as object, {
    content: deriveList<unknown>(list, list.with(-1, entry)),
  }) as LangChainMessage
}

function lifetimeAt(view: Conversation<LangChainMessage>, message: unknown): CacheLifetime | undefined {
  const holders = [...(view.tools ?? []), ...view.system, ...view.items]
  const at = holders.indexOf(message) + 1
  return lifetimeBetween(marksOf(holders.slice(0, at)).map(lifetimeOf), marksOf(holders.slice(at)).map(lifetimeOf))
}

function lifetimeOf(mark: unknown): CacheLifetime {
  return fieldsOf(mark).ttl === '1h' ? '1h' : '5m'
}

/** Every mark in these tools and messages, in the order of the request. */
function marksOf(holders: readonly unknown[]): readonly unknown[] {
  return holders.flatMap((holder) =>
    [holder, ...listOf(fieldsOf(holder).content)]
      .map((one) => fieldsOf(one).cache_control)
      .filter((mark) => isObject(mark)),
  )
}
