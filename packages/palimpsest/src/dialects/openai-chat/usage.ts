import type { OverflowContext, OverflowFacts, Usage } from '../dialect.ts'
import { fieldsOf, listOf, stringOf, tokenCount } from '../json-fields.ts'
import { filledWindow, reportedInput } from '../openai-usage.ts'
import { overflowFacts, silentOverflow } from '../overflow.ts'

/** Usage of a completion or chunk. Prompt tokens already contain what a cache served. */
export function readUsage(response: unknown): Usage | undefined {
  const { usage: own, x_groq: groq } = fieldsOf(response)
  const usage = fieldsOf(own ?? fieldsOf(groq).usage)
  const { cached_tokens: cached, cache_write_tokens: written } = fieldsOf(usage.prompt_tokens_details)
  const input = reportedInput(usage.prompt_tokens, usage.total_tokens)
  if (input === undefined) return undefined
  // DeepSeek and Kimi report the cached part in fields of their own.
  const cacheRead = tokenCount(cached) || tokenCount(usage.prompt_cache_hit_tokens) || tokenCount(usage.cached_tokens)
  return { input, cacheRead, cacheWrite: tokenCount(written), output: tokenCount(usage.completion_tokens) }
}

/** Was the input cut or refused, though the call succeeded? Servers that cut silently speak this format too. */
export function judgeOutcome(response: unknown, context: OverflowContext): 'ok' | OverflowFacts {
  const { choices, error } = fieldsOf(response)
  // Some routers answer 200 with an error in the body, or send one as a chunk.
  if (error != null) return overflowFacts(response, context) ?? 'ok'
  const usageInput = readUsage(response)?.input
  // Routers keep the reason of the provider behind them beside their own.
  const reasons = listOf(choices)
    .map(fieldsOf)
    .flatMap((choice) => [choice.native_finish_reason, choice.finish_reason])
  const finishReason = reasons.map(stringOf).find((reason) => reason === 'model_context_window_exceeded')
  return filledWindow(usageInput, context) ?? silentOverflow({ usageInput, finishReason }, context) ?? 'ok'
}
