import type { CompactorOptions } from '../../compactor/compactor.ts'
import type { LangChainRequest } from '../../dialects/langchain/index.ts'
import type { Summarizer } from '../../summarizers/summarizer.ts'
import type { AgentRequest } from './agent-middleware.ts'

/** How the middleware keeps an agent's model calls in their window. Everything has a default. */
export interface PalimpsestOptions extends Omit<CompactorOptions<LangChainRequest>, 'dialect' | 'summarizer'> {
  /**
   * The name under which the agent knows the middleware. `createDeepAgent` puts a middleware in the place of its own of the
   * same name: `DEEPAGENTS_SUMMARIZATION`. Default `Palimpsest`.
   */
  readonly name?: string
  /**
   * Names the conversation. Default: `configurable.thread_id` of the run; without one the conversation is found by its
   * content.
   */
  readonly session?: string | ((request: AgentRequest) => string | undefined)
  /**
   * Who writes summaries: the run's own model (the default), nobody (`extractive`: they are put together from the
   * transcript), another chat model, or a function.
   */
  readonly summarizer?: 'model' | 'extractive' | { readonly model: SummarizerModel } | Summarizer
  /**
   * Give the agent the tools `compact_conversation`, `read_history` and `search_history`? Then what leaves a request leaves a
   * pointer that they can read. Default false.
   */
  readonly tools?: boolean
}

/** A chat model of any integration package. */
export interface SummarizerModel {
  /** One answer to these messages (role and text). */
  invoke(input: [string, string][], options?: SummaryCallOptions): Promise<unknown>
}

/** What keeps a summary out of the streams and traces of the run that it is made for. */
export interface SummaryCallOptions {
  callbacks?: never[]
  tags?: string[]
  runName?: string
  signal?: AbortSignal
}
