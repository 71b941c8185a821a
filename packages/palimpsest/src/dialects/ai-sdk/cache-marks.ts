import { derive, deriveList } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { type CacheBreakpoints, stableCount } from '../cache-breakpoints.ts'
import { type CacheLifetime, lifetimeBetween } from '../cache-lifetime.ts'
import { type Fields, fieldsOf, isObject, listOf, property } from '../json-fields.ts'
import { optionsByProvider } from './fields.ts'
import type { AiSdkMessage, ProviderOptions } from './items.ts'
import { partsOf, wordsOf } from './part-data.ts'

/** Cache marks that Anthropic and Bedrock take in one request. */
const MAX_MARKS = 4

/** How each provider that reads marks calls them. None reads another's, and all others read none. */
const MARKS = { anthropic: ['cacheControl', 'cache_control'], bedrock: ['cachePoint'] } as const

/**
 * The view with cache marks of Anthropic and of Bedrock on the last stable system message and on the item that holds the
 * summary, at message level, as far as slots are free. The caller's marks stay; a message that ends in one gets none from us.
 * With one slot left the item gets it: what it caches holds the system message too.
 */
export function markCache(view: Conversation<AiSdkMessage>, at: CacheBreakpoints): Conversation<AiSdkMessage> {
  const holders = [...(view.tools ?? []), ...view.system, ...view.items]
  const free = MAX_MARKS - Math.max(...Object.values(MARKS).map((names) => marksOf(holders, names).length))
  const item = at.item === undefined || free < 1 ? undefined : marked(view, view.items[at.item])
  const last = stableCount(view.system, at.system) - 1
  const system = last >= 0 && free > (item ? 1 : 0) ? marked(view, view.system[last]) : undefined
  if (item === undefined && system === undefined) return view
  return {
    ...view,
    ...(item && { items: deriveList(view.items, view.items.with(at.item ?? 0, item)) }),
    ...(system && { system: deriveList(view.system, view.system.with(last, system)) }),
  }
}

/** The message with our mark; undefined where it can have none. */
function marked(view: Conversation<AiSdkMessage>, message: unknown): AiSdkMessage | undefined {
  const last = partsOf(message).at(-1)
  if (last === undefined || wordsOf(last) === '' || endsInMark(message)) return undefined
  const lifetime = lifetimeAt(view, message)
  return lifetime === undefined ? undefined : withMark(message as AiSdkMessage, lifetime)
}

/** A mark at message level is the mark of its last part. */
function endsInMark(message: unknown): boolean {
  const last = listOf(property(message, 'content')).at(-1)
  return [message, last, property(last, 'output')].some((holder) => ownMark(holder) !== undefined)
}

function lifetimeAt(view: Conversation<AiSdkMessage>, message: unknown): CacheLifetime | undefined {
  const holders = [...(view.tools ?? []), ...view.system, ...view.items]
  const at = holders.indexOf(message) + 1
  return lifetimeBetween(marksOf(holders.slice(0, at)).map(lifetimeOf), marksOf(holders.slice(at)).map(lifetimeOf))
}

function lifetimeOf(mark: unknown): CacheLifetime {
  return property(mark, 'ttl') === '1h' ? '1h' : '5m'
}

const ALL_NAMES = [...MARKS.anthropic, ...MARKS.bedrock]

/** Every mark of these names in these tools and messages, in the order of the request. */
function marksOf(holders: readonly unknown[], names: readonly string[] = ALL_NAMES): readonly unknown[] {
  return holders.flatMap((holder) => {
    const parts = listOf(property(holder, 'content'))
    const outputs = parts.map((part) => property(part, 'output'))
    const blocks = outputs.flatMap((output) => listOf(property(output, 'value')))
    return [holder, ...parts, ...outputs, ...blocks].flatMap((inner) => ownMark(inner, names) ?? [])
  })
}

/** The mark in the options of one object, whatever provider's name it stands under. */
function ownMark(holder: unknown, names: readonly string[] = ALL_NAMES): unknown {
  return optionsByProvider(holder)
    .flatMap((options) => names.map((name) => property(options, name)))
    .find(isObject)
}

function withMark(message: AiSdkMessage, lifetime: CacheLifetime): AiSdkMessage {
  const ttl = lifetime === '1h' && { ttl: lifetime }
  const before: ProviderOptions = message.providerOptions ?? {}
  const anthropic = derive<Fields>(fieldsOf(before.anthropic), { cacheControl: { type: 'ephemeral', ...ttl } })
  const bedrock = derive<Fields>(fieldsOf(before.bedrock), { cachePoint: { type: 'default', ...ttl } })
  return derive(message, { providerOptions: derive(before, { anthropic, bedrock }) })
}
