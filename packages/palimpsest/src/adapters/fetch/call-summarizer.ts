import { resolveProfile } from '../../engine/tokens/profiles.ts'
import { extractiveSummarizerOf } from '../../summarizers/extractive-writer.ts'
import { modelSummarizer } from '../../summarizers/model-summarizer.ts'
import type { Summarizer } from '../../summarizers/summarizer.ts'
import type { WireExchangeOptions } from './exchange-options.ts'
import type { ModelCall } from './model-call.ts'
import type { SeenWindows, WindowScope } from './seen-windows.ts'
import { generateBy, summaryOverflow } from './summary-call.ts'
import type { Send } from './wire-request.ts'

/** Milliseconds for one summary: the caller waits for its answer all that time. */
const DEADLINE_MS = 45_000

export interface CallSummarizerSetup {
  readonly options: WireExchangeOptions
  readonly send: Send
  readonly windows: SeenWindows
  readonly scope: WindowScope
}

/** Who writes the summaries of this call. */
export function callSummarizer(call: ModelCall, setup: CallSummarizerSetup): Summarizer {
  const { summarizer = 'model', preset, profiles } = setup.options
  if (typeof summarizer === 'function') return summarizer
  if (summarizer === 'extractive') return extractiveSummarizerOf()
  const other = summarizer === 'model' ? summarizerOf(setup) : summarizer.model
  return modelSummarizer({
    generate: generateBy(call, setup.send),
    ...(other !== undefined && { model: other }),
    window: () => (other === undefined ? ownWindow(setup) : resolveProfile(other, profiles).window),
    deadline: DEADLINE_MS,
    fallback: preset?.summaryFallback ?? 'extractive',
    isOverflow: (error) => {
      const facts = summaryOverflow(call, error)
      if (other === undefined && facts?.kind === 'tokens') setup.windows.see(setup.scope, facts.limit)
      return facts !== undefined
    },
  })
}

/** The one that the profile of the run's own model names. */
function summarizerOf({ options: { profiles }, scope }: CallSummarizerSetup): string | undefined {
  return resolveProfile(scope.model, profiles).summarizerModel
}

/** The run's own model has the window that its calls turned out to have. */
function ownWindow({ options: { window, profiles }, windows, scope }: CallSummarizerSetup): number | undefined {
  return windows.of(scope) ?? window ?? resolveProfile(scope.model, profiles).window
}
