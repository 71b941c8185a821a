/**
 * The native types of AI SDK prompts, as far as this library reads them: what `LanguageModelV2Prompt` to
 * `LanguageModelV4Prompt` have in common. Fields that are not named here are carried along.
 */

/** Options by provider name. They carry signatures, item ids and cache marks. */
export type ProviderOptions = { readonly [provider: string]: { readonly [option: string]: unknown } }

/** One message of a prompt. Content is a text for `system`, and in the messages of an application also for the others. */
export interface AiSdkMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | readonly AiSdkPart[]
  readonly providerOptions?: ProviderOptions | undefined
}

/** One part of a message; `type` tells what else it holds. */
export interface AiSdkPart {
  readonly type: string
  readonly providerOptions?: ProviderOptions | undefined
}

/** The options of one model call, as a middleware gets them. */
export interface AiSdkCallOptions {
  readonly prompt: readonly AiSdkMessage[]
  readonly maxOutputTokens?: number | undefined
  readonly tools?: readonly object[] | undefined
  readonly providerOptions?: ProviderOptions | undefined
}

/** Call options, or a prompt alone. */
export type AiSdkRequest = AiSdkCallOptions | readonly AiSdkMessage[]

/** The message that this dialect makes: a summary. */
export interface SummaryMessage {
  role: 'user'
  content: { type: 'text'; text: string }[]
}
