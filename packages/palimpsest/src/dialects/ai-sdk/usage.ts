import type { OverflowContext, OverflowFacts, Usage } from '../dialect.ts'
import { property, stringOf, tokenCount } from '../json-fields.ts'
import { overflowFacts, silentOverflow } from '../overflow.ts'

/**
 * Usage of one model call: of its result, of the `finish` part of its stream, or of one step. Sums over the steps of a
 * loop (`totalUsage`) are no size of any request and are not read. A count that is missing, zero or no number is no usage.
 */
export function usageOf(response: unknown): Usage | undefined {
  const usage = property(response, 'usage')
  const found = typeof property(usage, 'inputTokens') === 'object' ? nestedUsage(usage) : flatUsage(usage, response)
  return found.input > 0 ? found : undefined
}

/** From version 3 on: counts by kind, the total among them. */
function nestedUsage(usage: unknown): Usage {
  const input = property(usage, 'inputTokens')
  const cacheRead = count(input, 'cacheRead')
  const cacheWrite = count(input, 'cacheWrite')
  return {
    input: Math.max(count(input, 'total'), count(input, 'noCache') + cacheRead + cacheWrite),
    cacheRead,
    cacheWrite,
    output: count(property(usage, 'outputTokens'), 'total'),
  }
}

/** Version 2, and what `generateText` reports: plain numbers, with details beside them in newer releases. */
function flatUsage(usage: unknown, response: unknown): Usage {
  const input = count(usage, 'inputTokens')
  const output = count(usage, 'outputTokens')
  const details = property(usage, 'inputTokenDetails')
  if (details !== undefined) {
    const cacheRead = count(details, 'cacheReadTokens')
    const cacheWrite = count(details, 'cacheWriteTokens')
    const sum = count(details, 'noCacheTokens') + cacheRead + cacheWrite
    return { input: Math.max(input, sum), cacheRead, cacheWrite, output }
  }
  const cacheRead = count(usage, 'cachedInputTokens')
  const cacheWrite = cacheWriteOf(response)
  const apart = cacheRead > input || countsCacheApart(response)
  return { input: apart ? input + cacheRead + cacheWrite : input, cacheRead, cacheWrite, output }
}

/** In version 2 Anthropic and Bedrock report the tokens behind the cached prefix alone; the others report all of them. */
function countsCacheApart(response: unknown): boolean {
  const metadata = property(response, 'providerMetadata')
  return property(metadata, 'anthropic') !== undefined || property(metadata, 'bedrock') !== undefined
}

function cacheWriteOf(response: unknown): number {
  const metadata = property(response, 'providerMetadata')
  const anthropic = count(property(metadata, 'anthropic'), 'cacheCreationInputTokens')
  return anthropic || count(property(property(metadata, 'bedrock'), 'usage'), 'cacheWriteInputTokens')
}

/**
 * Did the answer come although the input did not fit? Providers that stop at the window say so in the raw finish reason;
 * an error part of a stream is judged like an error.
 */
export function outcomeOf(response: unknown, context: OverflowContext): 'ok' | OverflowFacts {
  if (property(response, 'type') === 'error') return overflowFacts(property(response, 'error'), context) ?? 'ok'
  const usageInput = usageOf(response)?.input
  return silentOverflow({ usageInput, finishReason: rawFinishReason(response) }, context) ?? 'ok'
}

/** The provider's own word: what the SDK makes of it is `length` or `other`. */
function rawFinishReason(response: unknown): string | undefined {
  const reason = property(response, 'finishReason')
  return stringOf(property(response, 'rawFinishReason')) ?? stringOf(property(reason, 'raw')) ?? stringOf(reason)
}

function count(holder: unknown, name: string): number {
  return tokenCount(property(holder, name))
}
