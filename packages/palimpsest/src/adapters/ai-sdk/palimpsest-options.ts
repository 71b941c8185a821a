import type { CompactorOptions } from '../../compactor/compactor.ts'
import type { AiSdkCallOptions } from '../../dialects/ai-sdk/index.ts'
import type { Summarizer } from '../../summarizers/summarizer.ts'
import type { LanguageModel } from './language-model.ts'

/** How the middleware keeps conversations in their window. Everything has a default. */
export interface PalimpsestOptions extends Omit<CompactorOptions<AiSdkCallOptions>, 'dialect' | 'summarizer'> {
  /**
   * Names the conversation of all calls. Default: `providerOptions.palimpsest.session` of the call, and without that the
   * conversation is found by its content.
   */
  readonly session?: string
  /**
   * Who writes summaries: the run's own model (the default), nobody (`extractive`: they are put together from the
   * transcript), another model, or a function.
   */
  readonly summarizer?: 'model' | 'extractive' | { readonly model: SummarizerModel } | Summarizer
  /**
   * Do prompts hold the whole history, even where `previousResponseId` or `conversation` of OpenAI point at one? Then that
   * pointer leaves with the first compaction. Default false: a history that lies at the provider is left to it.
   */
  readonly wholeHistory?: boolean
}

/** A model object of any provider package. */
export type SummarizerModel = Pick<LanguageModel, 'modelId' | 'doGenerate' | 'doStream'>
