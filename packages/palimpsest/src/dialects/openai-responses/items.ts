/** One entry of `input`. Only what every kind shares is typed here; a kind's own fields are read where they are needed. */
export interface ResponsesItem {
  /** Absent in the short forms of messages (`role` and `content`) and references (`id` alone). */
  readonly type?: string | null
  readonly role?: string
  readonly id?: string | null
  readonly call_id?: string | null
  readonly content?: unknown
  readonly output?: unknown
  readonly status?: string | null
}

/** The body of `POST /responses`, as far as it is read or written here; every other field passes through. */
export interface ResponsesRequest {
  readonly model?: string
  readonly input?: string | readonly ResponsesItem[]
  readonly instructions?: string | null
  readonly tools?: readonly unknown[]
  readonly max_output_tokens?: number | null
  readonly store?: boolean | null
  readonly stream?: boolean | null
  readonly include?: readonly string[] | null
  readonly previous_response_id?: string | null
  readonly conversation?: unknown
  readonly prompt_cache_options?: unknown
  readonly context_management?: unknown
  readonly truncation?: string | null
}

/** The user message that carries a summary. */
export interface SummaryItem extends ResponsesItem {
  readonly type: 'message'
  readonly role: 'user'
  readonly content: { type: 'input_text'; text: string }[]
}

export function summaryItem(text: string): SummaryItem {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
}

/** A string as `input` means this one message. */
export function stringInputItem(text: string): ResponsesItem {
  return { type: 'message', role: 'user', content: text }
}
