import { resolveProfile } from '../../engine/tokens/profiles.ts'
import { extractiveSummarizerOf } from '../../summarizers/extractive-writer.ts'
import { modelSummarizer } from '../../summarizers/model-summarizer.ts'
import type { Summarizer } from '../../summarizers/summarizer.ts'
import type { WireExchangeOptions } from './exchange-options.ts'
import type { ModelCall } from './model-call.ts'
import { generateBy, isSummaryOverflow } from './summary-call.ts'
import type { Send } from './wire-request.ts'

/** Milliseconds for one summary: the caller waits for its answer all that time. */
const DEADLINE_MS = 45_000

/** Who writes the summaries of this call. */
export function summarizerOf(options: WireExchangeOptions, call: ModelCall, send: Send): Summarizer {
  const { summarizer = 'model', preset } = options
  if (typeof summarizer === 'function') return summarizer
  if (summarizer === 'extractive') return extractiveSummarizerOf()
  const other = summarizer === 'model' ? undefined : summarizer.model
  return modelSummarizer({
    generate: generateBy(call, send),
    ...(other !== undefined && { model: other }),
    window: (model) => windowOf(options, other === undefined ? call.model : undefined, model),
    deadline: DEADLINE_MS,
    fallback: preset?.summaryFallback ?? 'extractive',
    isOverflow: (error) => isSummaryOverflow(call, error),
  })
}

/** Another model has its own window; the run's own that which the caller named. */
function windowOf(
  { window, profiles, summarizer }: WireExchangeOptions,
  inPath: string | undefined,
  model: string | undefined,
): number | undefined {
  const known = resolveProfile(inPath ?? model, profiles).window
  return typeof summarizer === 'object' ? (known ?? window) : (window ?? known)
}
