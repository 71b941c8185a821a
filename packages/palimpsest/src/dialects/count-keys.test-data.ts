import type { Conversation } from '../engine/messages/message.ts'

/** Counts the objects that stand under these keys, anywhere in a conversation. */
export function countKeys(...keys: readonly string[]): (view: Conversation<object>) => number {
  const countIn = (value: unknown): number => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 0
    return Object.entries(value).reduce(
      (sum, [key, inner]) => sum + countIn(inner) + (keys.includes(key) && typeof inner === 'object' && inner ? 1 : 0),
      0,
    )
  }
  return ({ system, items, tools = [] }) => countIn([system, items, tools])
}
