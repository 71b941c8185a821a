import type { OverflowContext, OverflowFacts, Usage } from '../dialect.ts'
import { silentOverflow } from '../overflow.ts'
import { isRecord } from './items.ts'

/** Usage of a response or of a stream's `metadata` event; undefined where no prompt tokens are reported. */
export function usageOf(response: unknown): Usage | undefined {
  if (!isRecord(response)) return undefined
  const holder = isRecord(response.metadata) ? response.metadata : response
  const { usage } = holder
  if (!isRecord(usage)) return undefined
  const cacheRead = tokens(usage.cacheReadInputTokens) || tokens(usage.cacheReadInputTokenCount)
  const cacheWrite = tokens(usage.cacheWriteInputTokens) || tokens(usage.cacheWriteInputTokenCount)
  // Cached tokens are reported beside the input, not inside it.
  const input = tokens(usage.inputTokens) + cacheRead + cacheWrite
  return input > 0 ? { input, cacheRead, cacheWrite, output: tokens(usage.outputTokens) } : undefined
}

function tokens(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

/** Did the answer stop because the window was full, or report more prompt than the window holds? */
export function outcomeOf(response: unknown, context: OverflowContext): 'ok' | OverflowFacts {
  const facts = silentOverflow({ usageInput: usageOf(response)?.input, finishReason: stopReason(response) }, context)
  return facts ?? 'ok'
}

function stopReason(response: unknown): string | undefined {
  if (!isRecord(response)) return undefined
  const holder = isRecord(response.messageStop) ? response.messageStop : response
  return typeof holder.stopReason === 'string' ? holder.stopReason : undefined
}
