import type { OverflowContext, OverflowFacts, Usage } from '../dialect.ts'
import { silentOverflow } from '../overflow.ts'
import { isRecord } from './items.ts'

/**
 * Usage of a response, or of a `message_start` or `message_delta` event. Undefined where no prompt tokens are reported:
 * some events carry output alone, and a prompt is never empty.
 */
export function usageOf(response: unknown): Usage | undefined {
  const reported = reportedUsage(response)
  if (reported === undefined) return undefined
  const prompt = lastSampling(reported) ?? reported
  const cacheRead = tokens(prompt.cache_read_input_tokens)
  const cacheWrite = tokens(prompt.cache_creation_input_tokens) || writtenByAge(prompt.cache_creation)
  const input = tokens(prompt.input_tokens) + cacheRead + cacheWrite
  return input > 0 ? { input, cacheRead, cacheWrite, output: tokens(reported.output_tokens) } : undefined
}

interface Reported {
  readonly [field: string]: unknown
}

function reportedUsage(response: unknown): Reported | undefined {
  if (!isRecord(response)) return undefined
  const holder = response.type === 'message_start' && isRecord(response.message) ? response.message : response
  return isRecord(holder.usage) ? holder.usage : undefined
}

/**
 * A response that ran server tools sums its samplings up; the context is what the last of them read. Samplings that wrote
 * a server-side summary or asked an adviser read something else.
 */
function lastSampling(usage: Reported): Reported | undefined {
  if (!Array.isArray(usage.iterations)) return undefined
  const samplings: readonly unknown[] = usage.iterations
  return samplings.filter(isRecord).findLast(({ type }) => type === 'message' || type === 'fallback_message')
}

function writtenByAge(creation: unknown): number {
  if (!isRecord(creation)) return 0
  return tokens(creation.ephemeral_5m_input_tokens) + tokens(creation.ephemeral_1h_input_tokens)
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
  const holders = [response, response.delta, response.message]
  const reasons = holders.map((holder) => (isRecord(holder) ? holder.stop_reason : undefined))
  return reasons.find((reason): reason is string => typeof reason === 'string')
}
