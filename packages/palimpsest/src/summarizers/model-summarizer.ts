import { EXTRACTIVE, extractiveWriter } from './extractive-writer.ts'
import type { ModelSummarizerOptions } from './model-options.ts'
import { LEAST_ROOM, ModelRun } from './model-run.ts'
import type { Summarizer, SummaryOutcome } from './summarizer.ts'

export type { ModelSummarizerOptions } from './model-options.ts'

/**
 * A summariser that asks a model: in one call, or in several that fold one summary where the input is larger than the
 * model's window. An answer that is no summary is refused with its reason and asked for once more; then the deterministic
 * summariser writes. Rejects only when its signal is aborted, with the signal's reason.
 *
 * @example
 * const summarize = modelSummarizer({ generate, model: 'claude-haiku-4-5', window: 200_000, deadline: 45_000 })
 * const outcome = await summarize({ slices, request, mode: 'automatic', estimate }, { signal })
 */
export function modelSummarizer(options: ModelSummarizerOptions): Summarizer {
  checkOptions(options)
  const writeWithout = extractiveWriter()
  return async (input, { signal }) => {
    signal?.throwIfAborted()
    const run = new ModelRun(input, options, signal)
    const text = await run.write()
    const { usage, rejected } = run
    const name = options.model ?? input.model
    const by = name === undefined || name === EXTRACTIVE ? 'model' : name
    const asked = name !== undefined && run.calls > 0 ? { asked: name } : {}
    if (text !== undefined) return { status: 'written', text, by, usage, rejected, ...asked }
    const failed = { status: 'failed', usage, rejected, ...asked } as const
    return options.fallback === 'none' ? failed : afterModel(failed, writeWithout(input))
  }
}

/** What was written without a model, with what the model cost. */
function afterModel(model: SummaryOutcome, without: SummaryOutcome): SummaryOutcome {
  const { asked } = model
  return {
    ...without,
    ...(asked !== undefined && { asked }),
    usage: model.usage,
    rejected: [...model.rejected, ...without.rejected],
  }
}

/** Milliseconds that a timer can take; a longer one fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

function checkOptions(options: ModelSummarizerOptions): void {
  const { attempts, maxCalls, maxOutput, chunkTokens, deadline, window } = options
  const least = { attempts: 1, maxCalls: 1, maxOutput: 1, chunkTokens: LEAST_ROOM }
  for (const [name, value] of Object.entries({ attempts, maxCalls, maxOutput, chunkTokens })) {
    const from = least[name as keyof typeof least]
    if (value !== undefined && !(Number.isInteger(value) && value >= from)) {
      throw new RangeError(`modelSummarizer: ${name} is a whole number from ${from} on, not ${value}.`)
    }
  }
  if (deadline !== undefined && !(Number.isInteger(deadline) && deadline >= 0 && deadline <= LONGEST_TIMER)) {
    throw new RangeError(`modelSummarizer: deadline is a whole number of milliseconds, not ${deadline}.`)
  }
  if (typeof window === 'number' && !(window > 0)) {
    throw new RangeError(`modelSummarizer: window is a number of tokens, not ${window}.`)
  }
}
