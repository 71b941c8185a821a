import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3Prompt } from '@ai-sdk/provider'

/** A model that an agent can call. */
export interface AgentModel {
  /** As a user names it: `anthropic:claude-sonnet-5`. */
  readonly name: string
  /** The word before the colon. */
  readonly provider: string
  /** The id that the provider knows, and by which profiles are found. */
  readonly id: string
  readonly language: LanguageModelV3
  /** Options of each of its calls: that the provider stores nothing, how much it may write, how hard it thinks. */
  readonly settings: ModelSettings
  /** Tokens that it takes at once, where its id tells nothing of it (a simulator). Default: its profile's. */
  readonly window?: number
  /** The server that answers, for limits that it states. */
  readonly upstream: string
  /**
   * The prompt as this provider takes it: signed reasoning of another one leaves. Pure, and message by message, so that a prompt
   * that only grew stays equal in front.
   */
  fit(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt
  /** Takes the keys that its calls may carry out of a text: some servers repeat them in what they refuse with. */
  conceal?(text: string): string
  /** Ends what was started for it (a simulator). */
  close?(): Promise<void>
}

/** Options that each call of a model has. */
export type ModelSettings = Pick<LanguageModelV3CallOptions, 'headers' | 'maxOutputTokens' | 'providerOptions'>

/**
 * Opens a model by its name. @throws PalimpsestError `invalid-input` for a name of no provider, `not-found` for a key that is
 * missing: in one line, with the variable that would hold it.
 */
export type OpenModel = (name: string) => Promise<AgentModel>
