import { isObject } from '../json-fields.ts'

/** A cache breakpoint on a block. `5m` where no time to live is given. */
export interface CacheControl {
  readonly type: 'ephemeral'
  readonly ttl?: '5m' | '1h'
}

/**
 * One content block of a message. Every field but `type` may be missing or of any shape: blocks come from the wire, and a
 * type that this library does not know keeps all its fields.
 */
export interface AnthropicBlock {
  readonly type: string
  readonly text?: unknown
  readonly thinking?: unknown
  readonly signature?: unknown
  readonly data?: unknown
  readonly id?: unknown
  readonly name?: unknown
  readonly input?: unknown
  readonly tool_use_id?: unknown
  readonly content?: unknown
  readonly is_error?: unknown
  readonly source?: unknown
  readonly cache_control?: unknown
}

/** One entry of `messages`: `user`, `assistant`, or `system` inside the conversation. */
export interface AnthropicMessage {
  readonly role: string
  readonly content?: string | readonly AnthropicBlock[]
  /** Settings that a system message changes from here on; such a message may have no content. */
  readonly output_config?: unknown
}

/** The body of a Messages request. Fields that are not named here survive untouched. */
export interface AnthropicRequest {
  readonly model?: string
  readonly max_tokens?: number
  readonly system?: string | readonly AnthropicBlock[]
  readonly messages: readonly AnthropicMessage[]
  readonly tools?: readonly unknown[]
  readonly thinking?: unknown
  readonly cache_control?: unknown
  readonly context_management?: unknown
  readonly thread?: unknown
}

/** A text block as this library makes it. */
export interface CreatedText {
  type: 'text'
  text: string
  cache_control?: CacheControl
}

/** A message as this library makes it: a summary. */
export interface CreatedMessage {
  role: 'user'
  content: CreatedText[]
}

export function createdText(text: string): CreatedText {
  return { type: 'text', text }
}

export function createdSummary(text: string): CreatedMessage {
  return { role: 'user', content: [createdText(text)] }
}

/** The blocks of a message; a string counts as one text block. Anything else that stands there gives none. */
export function blocksOf(message: AnthropicMessage): readonly AnthropicBlock[] {
  const content: unknown = isObject(message) ? message.content : undefined
  if (typeof content === 'string') return [createdText(content)]
  return isBlockList(content) ? content : []
}

/** The role, however malformed the message is. */
export function roleOf(message: AnthropicMessage): string {
  return isObject(message) && typeof message.role === 'string' ? message.role : ''
}

/** A system message that only changes settings: it may stand anywhere, and nothing of it is text. */
export function isDirective(message: AnthropicMessage): boolean {
  return roleOf(message) === 'system' && blocksOf(message).length === 0 && isObject(message.output_config)
}

/** What a block answers or asks, on which side of the wire. */
export type BlockKind = 'client-call' | 'client-result' | 'server-call' | 'server-result' | 'thinking' | 'other'

/**
 * Server tools grow in number; their blocks follow one naming scheme: `*_tool_use` and `*_tool_result`.
 */
export function kindOf(block: AnthropicBlock): BlockKind {
  const type = typeOf(block)
  if (type === 'tool_use') return 'client-call'
  if (type === 'tool_result') return 'client-result'
  if (type === 'thinking' || type === 'redacted_thinking') return 'thinking'
  if (type.endsWith('_tool_use')) return 'server-call'
  return type.endsWith('_tool_result') ? 'server-result' : 'other'
}

/** The block's type; empty for what is no block at all. */
export function typeOf(block: AnthropicBlock): string {
  return isObject(block) && typeof block.type === 'string' ? block.type : ''
}

export function isThinking(block: AnthropicBlock): boolean {
  return kindOf(block) === 'thinking'
}

export function isBlockList(value: unknown): value is readonly AnthropicBlock[] {
  return Array.isArray(value)
}
