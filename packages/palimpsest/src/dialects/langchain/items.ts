/**
 * The native types of this dialect, as far as they are read or written here. They describe what the classes of
 * `@langchain/core` have in common over its versions; none of them is imported, so the library needs no peer to read them.
 */

/** A message: an instance of `HumanMessage`, `AIMessage`, `ToolMessage`, `SystemMessage` …, or of one of their chunks. */
export interface LangChainMessage {
  readonly type: string
  readonly content: unknown
  readonly id?: string | undefined
  readonly name?: string | undefined
}

/** A call to a model, as the middleware of an agent gets it; every other field passes through. */
export interface LangChainRequest {
  readonly messages: readonly LangChainMessage[]
  /** Stands before all messages. Newer versions have the message, older ones its text alone. */
  readonly systemMessage?: LangChainMessage
  readonly systemPrompt?: string
  readonly tools?: readonly unknown[]
  /** An instance of a chat model, something that is bound to one, or a name. */
  readonly model?: unknown
  /** Settings that are bound to the model for this call. */
  readonly modelSettings?: Readonly<Record<string, unknown>>
}

/** What this dialect cannot know without the classes of `@langchain/core`. */
export interface LangChainOptions {
  /**
   * Makes the message of a summary, of which the others of its view are given. Default: of the class of a human message among
   * them; where there is none, an object that inherits what all messages have and says `human`.
   */
  readonly humanMessage?: (text: string, messages: readonly LangChainMessage[]) => LangChainMessage
  /** A tool as the model is told of it, as JSON. Default: name, description, and the schema where it can be had as JSON. */
  readonly describeTool?: (tool: unknown) => unknown
}

/** A text entry of a content list. */
export interface TextEntry {
  readonly type: 'text'
  readonly text: string
}

export function textEntry(text: string): TextEntry {
  return { type: 'text', text }
}
