import type { Dialect } from '../dialects/dialect.ts'
import { estimateUnits } from '../engine/tokens/estimate-text.ts'
import { estimatorModel } from '../engine/tokens/estimator-model.ts'
import type { EstimateMode } from '../engine/tokens/feature-weights.ts'
import type { TokenMeter } from '../engine/tokens/ledger.ts'
import { modelFamily } from '../engine/tokens/model-family.ts'

/**
 * Counts as the model does that a request names, with the framing and media formulas of its wire format.
 *
 * @example
 * const transcript = new Transcript(anthropicMessages, dialectMeter(anthropicMessages, 'claude-sonnet-4-5', 'mean'))
 */
export function dialectMeter(
  dialect: Pick<Dialect, 'framing' | 'mediaTokens'>,
  model: string | undefined,
  mode: EstimateMode,
): TokenMeter {
  const estimator = estimatorModel(modelFamily(model), mode)
  return {
    text: (text) => estimateUnits(text, estimator),
    media: (media) => dialect.mediaTokens(media),
    framing: dialect.framing,
  }
}
