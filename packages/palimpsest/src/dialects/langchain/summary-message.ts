import { isObject } from '../json-fields.ts'
import type { LangChainMessage } from './items.ts'

/** Own fields that every message has, whatever it says. */
const COMMON: ReadonlySet<PropertyKey> = new Set<PropertyKey>([
  'lc_namespace',
  'lc_serializable',
  Symbol.for('langchain.message'),
])

/**
 * A human message with this text, made like the messages of the conversation: of the class of its first human message; else
 * of the class that all messages extend.
 */
export function summaryLike(text: string, messages: readonly LangChainMessage[]): LangChainMessage {
  const human = messages.find((message) => isObject(message) && message.type === 'human')
  const like = human ?? messages.find((message) => isObject(message))
  const summary = Object.create(human === undefined ? parentClass(like) : Object.getPrototypeOf(human)) as object
  for (const key of Reflect.ownKeys(like ?? {}).filter((name) => COMMON.has(name))) {
    Object.defineProperty(summary, key, { ...Object.getOwnPropertyDescriptor(like, key), configurable: true })
  }
  const given = { content: text, additional_kwargs: {}, response_metadata: {} }
  return Object.assign(summary, { type: 'human', ...given, lc_kwargs: { ...given } }) as unknown as LangChainMessage
}

/** What `AIMessage`, `ToolMessage` … extend; nothing special for a plain object. */
function parentClass(message: LangChainMessage | undefined): object {
  const own: unknown = message === undefined ? null : Object.getPrototypeOf(message)
  if (!isObject(own) || own === Object.prototype) return Object.prototype
  return Object.getPrototypeOf(own) as object
}
