import { type Fields, fieldsOf, isObject, listOf, stringOf } from '../json-fields.ts'
import type { LangChainMessage } from './items.ts'

/** Where in a message a part stands. The place of a slot in the list is its part number. */
export type Slot =
  /** Reasoning in `additional_kwargs`, in whatever fields it is, as one. */
  | { readonly at: 'reasoning' }
  /** `content` that is a text. */
  | { readonly at: 'text' }
  | { readonly at: 'entry'; readonly index: number }
  | { readonly at: 'refusal' }
  | { readonly at: 'audio' }
  /** An entry of `tool_calls`, with everything that repeats it: a content block, the provider's raw call, chunks. */
  | { readonly at: 'call'; readonly index: number }
  /** A raw call of a message whose class did not read it. */
  | { readonly at: 'raw-call'; readonly index: number }
  /** The one call of the older form. */
  | { readonly at: 'function-call' }
  /** The whole message is one part: a tool result, a type that is not known, or nothing that could be a part. */
  | { readonly at: 'whole' }

/** Who speaks, by `type`; `generic` messages say it in `role`. */
const ROLES: Readonly<Record<string, 'system' | 'user' | 'assistant' | 'tool'>> = {
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
}

/** Undefined for a message of a type that nobody here knows. */
export function speakerOf(message: LangChainMessage): 'system' | 'user' | 'assistant' | 'tool' | undefined {
  const type = typeOf(message)
  const name = type === 'generic' ? (stringOf(fieldsOf(message).role) ?? '') : type
  return Object.hasOwn(ROLES, name) ? ROLES[name] : undefined
}

/** Versions before 1 tell their type by a method alone. */
export function typeOf(message: LangChainMessage): string {
  const { type, _getType: tell } = fieldsOf(message)
  if (typeof type === 'string') return type
  return typeof tell === 'function' ? (stringOf(tell.call(message)) ?? '') : ''
}

/** Fields of `additional_kwargs` in which providers keep what a model thought. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const

/** Types of content entries that hold thinking. */
export const REASONING_TYPES: ReadonlySet<unknown> = new Set([
  'thinking',
  'redacted_thinking',
  'reasoning',
  'reasoning_content',
])

/** Types of content entries that repeat a call of `tool_calls`. */
const CALL_TYPES: ReadonlySet<unknown> = new Set(['tool_use', 'tool_call', 'tool_call_chunk', 'function_call'])

export function isCallEntry(entry: unknown): boolean {
  return CALL_TYPES.has(fieldsOf(entry).type)
}

/** Pieces of arguments, as they came in a stream: what they say stands in `tool_calls`. */
export function isArgumentPiece(entry: unknown): boolean {
  return fieldsOf(entry).type === 'input_json_delta'
}

/** The entry of `tool_calls` that this content entry repeats. */
export function repeatedCall(entry: unknown, calls: readonly unknown[]): number | undefined {
  const { id } = fieldsOf(entry)
  if (!isCallEntry(entry) || typeof id !== 'string') return undefined
  const index = calls.findIndex((call) => fieldsOf(call).id === id)
  return index < 0 ? undefined : index
}

/** The slots of a message, at least one. */
export function slotsOf(message: LangChainMessage): readonly Slot[] {
  const fields = fieldsOf(message)
  const speaker = speakerOf(message)
  if (speaker === undefined || speaker === 'tool') return [{ at: 'whole' }]
  const isAssistant = speaker === 'assistant'
  const extra = fieldsOf(fields.additional_kwargs)
  const slots: readonly Slot[] = [
    ...(isAssistant && hasReasoning(extra) ? [{ at: 'reasoning' } as const] : []),
    ...contentSlots(fields, isAssistant),
    ...(isAssistant ? assistantSlots(fields, extra) : []),
  ]
  if (slots.length > 0) return slots
  return [typeof fields.content === 'string' ? { at: 'text' } : { at: 'whole' }]
}

/** An empty text beside something else is how LangChain writes "no content". */
function contentSlots({ content, tool_calls: calls }: Fields, isAssistant: boolean): readonly Slot[] {
  if (typeof content === 'string') return content === '' ? [] : [{ at: 'text' }]
  const repeats = (entry: unknown) =>
    isAssistant && (isArgumentPiece(entry) || repeatedCall(entry, listOf(calls)) !== undefined)
  return listOf(content).flatMap((entry, index) => (repeats(entry) ? [] : [{ at: 'entry', index } as const]))
}

function assistantSlots({ tool_calls: calls }: Fields, extra: Fields): readonly Slot[] {
  const own = listOf(calls)
  const raw = own.length > 0 ? [] : listOf(extra.tool_calls)
  return [
    ...(stringOf(extra.refusal) ? [{ at: 'refusal' } as const] : []),
    ...(isObject(extra.audio) ? [{ at: 'audio' } as const] : []),
    ...own.map((_, index) => ({ at: 'call', index }) as const),
    ...raw.map((_, index) => ({ at: 'raw-call', index }) as const),
    ...(isObject(extra.function_call) ? [{ at: 'function-call' } as const] : []),
  ]
}

function hasReasoning(extra: Fields): boolean {
  return REASONING_FIELDS.some((name) => {
    const value = extra[name]
    return Array.isArray(value) ? value.length > 0 : value != null && value !== ''
  })
}
