import type { OverflowContext, OverflowFacts, Usage } from '../dialect.ts'
import { type Fields, fieldsOf, listOf, stringOf } from '../json-fields.ts'
import { overflowFacts } from '../overflow.ts'

/** Usage of a completion or chunk. Prompt tokens already contain what a cache served. */
export function readUsage(response: unknown): Usage | undefined {
  const { usage: own, x_groq: groq } = fieldsOf(response)
  const usage = fieldsOf(own ?? fieldsOf(groq).usage)
  const { cached_tokens: cached, cache_write_tokens: written } = fieldsOf(usage.prompt_tokens_details)
  const input = count(usage.prompt_tokens)
  const total = usage.total_tokens
  // A usage that contradicts itself, or counts nothing, is none.
  if (input === 0 || (typeof total === 'number' && total < input)) return undefined
  // DeepSeek and Kimi report the cached part in fields of their own.
  const cacheRead = count(cached) || count(usage.prompt_cache_hit_tokens) || count(usage.cached_tokens)
  return { input, cacheRead, cacheWrite: count(written), output: count(usage.completion_tokens) }
}

/** Was the input cut or refused, though the call succeeded? */
export function judgeOutcome(response: unknown, context: OverflowContext): 'ok' | OverflowFacts {
  const { choices, error } = fieldsOf(response)
  const reason = listOf(choices)
    .map(finishReason)
    .find((one) => one === WINDOW_EXCEEDED)
  if (reason !== undefined) return { kind: 'silent', limit: context.window, detail: `finish reason ${reason}` }
  // Some routers answer 200 with an error in the body, or send one as a chunk.
  if (error != null) return overflowFacts(response, context) ?? 'ok'
  const input = readUsage(response)?.input ?? 0
  if (input < context.window || context.window <= 0) return 'ok'
  return {
    kind: 'silent',
    limit: context.window,
    size: input,
    detail: `usage of ${input} prompt tokens fills the window`,
  }
}

const WINDOW_EXCEEDED = 'model_context_window_exceeded'

/** Routers keep the reason of the provider behind them beside their own. */
function finishReason(choice: unknown): string | undefined {
  const { finish_reason: own, native_finish_reason: native }: Fields = fieldsOf(choice)
  return [native, own].map(stringOf).find((one) => one === WINDOW_EXCEEDED)
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0
}
