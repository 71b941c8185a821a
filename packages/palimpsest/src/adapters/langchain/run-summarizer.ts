import { langchain, modelName } from '../../dialects/langchain/index.ts'
import { readTextAnswer } from '../../dialects/langchain/text-answer.ts'
import { type ProfileOverrides, resolveProfile } from '../../engine/tokens/profiles.ts'
import { modelSummarizer } from '../../summarizers/model-summarizer.ts'
import type { Summarizer } from '../../summarizers/summarizer.ts'
import type { SummarizerModel } from './palimpsest-options.ts'

/** The model that writes summaries, and how it is asked. */
export interface SummaryModel {
  readonly model: SummarizerModel
  readonly fallback: 'extractive' | 'none'
  /** Tokens that the model takes at once, where its profile does not say. */
  readonly window?: number
  readonly profiles?: ProfileOverrides
}

/** Summaries by a chat model: single calls without tools, which no stream and no tracer of the run gets to see. */
export function chatModelSummarizer({ model, fallback, window, profiles }: SummaryModel): Summarizer {
  const name = modelName(model)
  return modelSummarizer({
    generate: async ({ system, user }, { signal }) => {
      const messages: [string, string][] = [
        ['system', system],
        ['human', user],
      ]
      return readTextAnswer(await model.invoke(messages, { ...PRIVATE, ...(signal !== undefined && { signal }) }))
    },
    ...(name !== undefined && { model: name }),
    window: () => window ?? resolveProfile(name, profiles).window,
    fallback,
    isOverflow: (error) => langchain.overflow(error, { size: 0, window: Number.POSITIVE_INFINITY }) !== undefined,
  })
}

/**
 * Without callbacks of its own the call would take those of the run, through which LangGraph streams messages; the tags keep it
 * out of that stream wherever callbacks come from else.
 */
const PRIVATE = { callbacks: [], tags: ['langsmith:nostream', 'nostream'], runName: 'palimpsest_summary' }
