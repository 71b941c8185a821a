import { fieldsOf, listOf, stringOf } from '../json-fields.ts'
import type { ChatMessage } from './items.ts'

/** Where in a message a part stands. The place of a slot in the list is its part number. */
export type Slot =
  /** `reasoning_content`, `reasoning` and `reasoning_details`, whichever are there, as one. */
  | { readonly at: 'reasoning' }
  | { readonly at: 'text' }
  | { readonly at: 'entry'; readonly index: number }
  | { readonly at: 'refusal' }
  | { readonly at: 'audio' }
  | { readonly at: 'call'; readonly index: number }
  | { readonly at: 'function-call' }
  /** The whole message is one part: a tool result, a role that is not known, or nothing that could be a part. */
  | { readonly at: 'whole' }

/** Fields in which compatible servers keep what a model thought. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const

/** The slots of a message, at least one. */
export function slotsOf(message: ChatMessage): readonly Slot[] {
  const fields = fieldsOf(message)
  if (!SPEAKERS.has(fields.role)) return [{ at: 'whole' }]
  const isAssistant = fields.role === 'assistant'
  const slots: Slot[] = [
    ...(isAssistant && hasReasoning(fields) ? [{ at: 'reasoning' } as const] : []),
    ...contentSlots(fields.content),
    ...(isAssistant ? assistantSlots(fields) : []),
  ]
  if (slots.length > 0) return slots
  return [typeof fields.content === 'string' ? { at: 'text' } : { at: 'whole' }]
}

/** Roles whose messages are read part by part. */
const SPEAKERS: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant'])

/** An empty string beside something else is how clients write "no content". */
function contentSlots(content: unknown): readonly Slot[] {
  if (typeof content === 'string') return content === '' ? [] : [{ at: 'text' }]
  return listOf(content).map((_, index) => ({ at: 'entry', index }))
}

function assistantSlots(fields: Readonly<Record<string, unknown>>): readonly Slot[] {
  return [
    ...(stringOf(fields.refusal) ? [{ at: 'refusal' } as const] : []),
    ...(fields.audio != null ? [{ at: 'audio' } as const] : []),
    ...listOf(fields.tool_calls).map((_, index) => ({ at: 'call', index }) as const),
    ...(fields.function_call != null ? [{ at: 'function-call' } as const] : []),
  ]
}

function hasReasoning(fields: Readonly<Record<string, unknown>>): boolean {
  return REASONING_FIELDS.some((name) => {
    const value = fields[name]
    return Array.isArray(value) ? value.length > 0 : value != null && value !== ''
  })
}

/** Does the message carry nothing but a tool result? */
export function isToolResult(message: ChatMessage): boolean {
  const { role } = fieldsOf(message)
  return role === 'tool' || role === 'function'
}

/** A system or developer message. */
export function isInstruction(message: ChatMessage): boolean {
  const { role } = fieldsOf(message)
  return role === 'system' || role === 'developer'
}
