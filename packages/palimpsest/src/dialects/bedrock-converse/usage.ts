import type { OverflowContext, OverflowFacts, Usage } from '../dialect.ts'
import { isObject, tokenCount } from '../json-fields.ts'
import { silentOverflow } from '../overflow.ts'

/** Usage of a response or of a stream's `metadata` event; undefined where no prompt tokens are reported. */
export function usageOf(response: unknown): Usage | undefined {
  if (!isObject(response)) return undefined
  const holder = isObject(response.metadata) ? response.metadata : response
  const { usage } = holder
  if (!isObject(usage)) return undefined
  const cacheRead = tokenCount(usage.cacheReadInputTokens) || tokenCount(usage.cacheReadInputTokenCount)
  const cacheWrite = tokenCount(usage.cacheWriteInputTokens) || tokenCount(usage.cacheWriteInputTokenCount)
  // Cached tokens are reported beside the input, not inside it.
  const input = tokenCount(usage.inputTokens) + cacheRead + cacheWrite
  return input > 0 ? { input, cacheRead, cacheWrite, output: tokenCount(usage.outputTokens) } : undefined
}

/** Did the answer stop because the window was full, or report more prompt than the window holds? */
export function outcomeOf(response: unknown, context: OverflowContext): 'ok' | OverflowFacts {
  const finishReason = stopReason(response)
  return silentOverflow({ usageInput: usageOf(response)?.input, finishReason }, context) ?? 'ok'
}

function stopReason(response: unknown): string | undefined {
  if (!isObject(response)) return undefined
  const holder = isObject(response.messageStop) ? response.messageStop : response
  return typeof holder.stopReason === 'string' ? holder.stopReason : undefined
}
