import type { Violation } from '../engine/messages/message.ts'

/** One rule of a protocol: where it is broken, and what helps. */
export interface ProtocolRule<Item> {
  readonly id: string
  readonly fix: string
  find(items: readonly Item[]): readonly Omit<Violation, 'rule' | 'fix'>[]
}

/** The rules that the items break, rule by rule. */
export function brokenRules<Item>(rules: readonly ProtocolRule<Item>[], items: readonly Item[]): readonly Violation[] {
  return rules.flatMap((rule) => rule.find(items).map((found) => ({ rule: rule.id, fix: rule.fix, ...found })))
}
