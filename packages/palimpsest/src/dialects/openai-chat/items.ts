/** One entry of `messages`, as far as it is read or written here; every other field passes through. */
export interface ChatMessage {
  readonly role: string
  readonly content?: string | readonly ChatContentPart[] | null
  readonly tool_calls?: readonly ChatToolCall[] | null
  /** The call that a `tool` message answers. */
  readonly tool_call_id?: string
  /** The one call of the older form, answered by a `function` message of the same name. */
  readonly function_call?: unknown
  readonly name?: string
  readonly refusal?: string | null
  readonly audio?: unknown
}

/** One part of a content list. */
export interface ChatContentPart {
  readonly type: string
}

/** One call of an assistant message: of a function, or of a custom tool with free text as input. */
export interface ChatToolCall {
  readonly id: string
  readonly type?: string
}

/** The body of `POST /chat/completions`, as far as it is read or written here; every other field passes through. */
export interface ChatRequest {
  readonly model?: string
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly unknown[]
  readonly max_tokens?: number | null
  readonly max_completion_tokens?: number | null
}

/** The user message that carries a summary. */
export interface SummaryMessage extends ChatMessage {
  readonly role: 'user'
  readonly content: string
}

export function summaryMessage(text: string): SummaryMessage {
  return { role: 'user', content: text }
}

/** A text part of a content list. */
export interface TextPart extends ChatContentPart {
  readonly type: 'text'
  readonly text: string
}

export function textPart(text: string): TextPart {
  return { type: 'text', text }
}
