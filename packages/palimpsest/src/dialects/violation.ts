import type { Violation } from '../engine/messages/message.ts'

/** Where a rule is broken; nothing: the request as a whole. */
export type Place = Pick<Violation, 'position' | 'part'>

/** A violation of `rule` at `place`: what is wrong and what to do, a sentence each. */
export function violation(rule: string, { position, part }: Place, message: string, fix: string): Violation {
  return { rule, ...(position !== undefined && { position }), ...(part !== undefined && { part }), message, fix }
}
