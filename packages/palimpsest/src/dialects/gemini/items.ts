/**
 * The native types of `generateContent`, as far as this library reads them. They name the camelCase fields; the REST API
 * takes the snake_case names too (`function_call`), and so does everything here. What is not named is carried along.
 */

/** One entry of `contents`. A missing role means `user`. */
export interface GeminiContent {
  readonly role?: string
  readonly parts?: readonly GeminiPart[]
}

/** One part of a content: exactly one kind of data, and what belongs to it. */
export interface GeminiPart {
  readonly text?: string
  /** The text is the model's thought, not its answer. */
  readonly thought?: boolean
  /** Opaque state of the model; it goes back unchanged, on this part. */
  readonly thoughtSignature?: string
  readonly functionCall?: GeminiFunctionCall
  readonly functionResponse?: GeminiFunctionResponse
  readonly inlineData?: GeminiInlineData
  readonly fileData?: GeminiFileData
  readonly executableCode?: object
  readonly codeExecutionResult?: object
}

/** A call. Models before Gemini 3 give no id: then place and name pair it with its response. */
export interface GeminiFunctionCall {
  readonly id?: string
  readonly name?: string
  readonly args?: object
}

/** The answer to a call: an object, and media beside it. */
export interface GeminiFunctionResponse {
  readonly id?: string
  readonly name?: string
  readonly response?: object
  readonly parts?: readonly { readonly inlineData?: GeminiInlineData; readonly fileData?: GeminiFileData }[]
}

export interface GeminiInlineData {
  readonly mimeType?: string
  /** Base64. */
  readonly data?: string
}

export interface GeminiFileData {
  readonly mimeType?: string
  readonly fileUri?: string
}

/** The body of a `generateContent` or `streamGenerateContent` call, on the Gemini API or Vertex AI. */
export interface GeminiRequest {
  readonly contents: readonly GeminiContent[]
  readonly systemInstruction?: GeminiContent
  readonly tools?: readonly object[]
  readonly toolConfig?: object
  readonly generationConfig?: object
  /** Name of a cache at the provider that holds the start of the conversation: counted as unknown, never touched. */
  readonly cachedContent?: string
}

/** The content that this dialect makes: a summary. */
export interface SummaryContent {
  readonly role: 'user'
  readonly parts: readonly { readonly text: string }[]
}
