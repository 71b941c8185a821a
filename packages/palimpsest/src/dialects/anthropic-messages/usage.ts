import type { OverflowContext, OverflowFacts, Usage } from '../dialect.ts'
import { isObject, tokenCount } from '../json-fields.ts'
import { silentOverflow } from '../overflow.ts'

/**
 * Usage of a response, or of a `message_start` or `message_delta` event. Undefined where no prompt tokens are reported:
 * some events carry output alone, and a prompt is never empty.
 */
export function usageOf(response: unknown): Usage | undefined {
  const reported = reportedUsage(response)
  if (reported === undefined) return undefined
  const prompt = lastSampling(reported) ?? reported
  const cacheRead = tokenCount(prompt.cache_read_input_tokens)
  const cacheWrite = tokenCount(prompt.cache_creation_input_tokens) || writtenByAge(prompt.cache_creation)
  const input = tokenCount(prompt.input_tokens) + cacheRead + cacheWrite
  return input > 0 ? { input, cacheRead, cacheWrite, output: tokenCount(reported.output_tokens) } : undefined
}

interface Reported {
  readonly [field: string]: unknown
}

function reportedUsage(response: unknown): Reported | undefined {
  if (!isObject(response)) return undefined
  const holder = response.type === 'message_start' && isObject(response.message) ? response.message : response
  return isObject(holder.usage) ? holder.usage : undefined
}

/**
 * A response that ran server tools sums its samplings up; the context is what the last of them read. Samplings that wrote
 * a server-side summary or asked an adviser read something else.
 */
function lastSampling(usage: Reported): Reported | undefined {
  if (!Array.isArray(usage.iterations)) return undefined
  const samplings: readonly unknown[] = usage.iterations
  return samplings.filter(isObject).findLast(({ type }) => type === 'message' || type === 'fallback_message')
}

function writtenByAge(creation: unknown): number {
  if (!isObject(creation)) return 0
  return tokenCount(creation.ephemeral_5m_input_tokens) + tokenCount(creation.ephemeral_1h_input_tokens)
}

/** Did the answer stop because the window was full, or report more prompt than the window holds? */
export function outcomeOf(response: unknown, context: OverflowContext): 'ok' | OverflowFacts {
  const finishReason = stopReason(response)
  return silentOverflow({ usageInput: usageOf(response)?.input, finishReason }, context) ?? 'ok'
}

function stopReason(response: unknown): string | undefined {
  if (!isObject(response)) return undefined
  const holders = [response, response.delta, response.message]
  const reasons = holders.map((holder) => (isObject(holder) ? holder.stop_reason : undefined))
  return reasons.find((reason): reason is string => typeof reason === 'string')
}
