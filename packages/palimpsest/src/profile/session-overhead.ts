import { dialectMeter } from '../compactor/dialect-meter.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { LEAST_SCALE, scaleOf } from '../engine/tokens/calibration.ts'
import { Ledger, tokensOf } from '../engine/tokens/ledger.ts'
import type { RecordedSession } from './recorded-session.ts'

/** What a session file tells of the requests behind it. */
export interface SessionScale {
  /** Tokens of system and tools, which the file does not hold. */
  readonly overhead: number
  /** Measured tokens per estimated one (κ). */
  readonly scale: number
  /** Recorded calls that this rests on; 0: nothing was measured. */
  readonly samples: number
}

/** Below this many estimated tokens a ratio says more about the overhead than about the text. */
const LEAST_SAMPLE_TOKENS = 4_000

/**
 * Overhead and scale of a recorded session: the first recorded usage minus the estimate of the items it answered is the
 * overhead; later ones give κ. Calls behind the client's own first compaction are no samples: they answered another view.
 *
 * @example
 * const { overhead, scale, samples } = sessionScale(anthropicMessages, recorded)
 */
export function sessionScale<Item extends object>(
  dialect: Dialect<unknown, Item>,
  session: RecordedSession<Item>,
): SessionScale {
  const ledger = new Ledger(dialectMeter(dialect, session.model, 'mean'))
  for (const item of session.items) ledger.append(dialect.view(item))
  const end = session.compactions?.[0]?.position ?? Number.POSITIVE_INFINITY
  const calls = session.calls.filter((call) => (call.usage?.input ?? 0) > 0 && call.position <= end)
  const [first, ...later] = calls
  if (first?.usage === undefined) return { overhead: 0, scale: 1, samples: 0 }
  const estimated = tokensOf(ledger.units(0, first.position))
  const overhead = Math.max(0, first.usage.input - estimated)
  // less than the items alone are estimated at: either the estimate is high, or the number is no usage of this prompt
  const ratio = first.usage.input / Math.max(1, estimated)
  const opening = ratio < 1 && ratio >= LEAST_SCALE ? [ratio] : []
  const followed = later.flatMap((call) => {
    const estimate = tokensOf(ledger.units(0, call.position))
    const measured = (call.usage?.input ?? 0) - overhead
    return estimate >= LEAST_SAMPLE_TOKENS && measured > 0 ? [measured / estimate] : []
  })
  const ratios = [...opening, ...followed]
  return { overhead, scale: scaleOf(ratios), samples: 1 + followed.length }
}
