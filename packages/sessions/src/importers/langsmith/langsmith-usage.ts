import type { Usage } from 'palimpsest'
import { countOf, type Fields, fieldsOf, textOf } from '../json-fields.ts'

/** What a message itself says of the call that it answers. */
export function messageUsage({ usage_metadata: own, response_metadata: metadata }: Fields): Usage | undefined {
  const { tokenUsage, token_usage: snake, usage } = fieldsOf(metadata)
  return firstUsage([own, usage, snake, tokenUsage])
}

/** What a run says of its call beside the message. */
export function runUsage(run: Fields, outputs: Fields): Usage | undefined {
  const { llmOutput, llm_output: snake, usage, usage_metadata: own } = outputs
  const output = { ...fieldsOf(snake), ...fieldsOf(llmOutput) }
  return firstUsage([own, usage, output.tokenUsage, output.token_usage, output.usage, run])
}

/** The model that a message names. */
export function messageModel({ response_metadata: metadata }: Fields): string | undefined {
  const { model_name: name, model, modelName } = fieldsOf(metadata)
  return textOf(name) ?? textOf(model) ?? textOf(modelName)
}

/** The model that a run names. */
export function runModel({ extra }: Fields): string | undefined {
  const { metadata, invocation_params: parameters } = fieldsOf(extra)
  const { model, model_name: name } = fieldsOf(parameters)
  return textOf(fieldsOf(metadata).ls_model_name) ?? textOf(model) ?? textOf(name)
}

function firstUsage(candidates: readonly unknown[]): Usage | undefined {
  return candidates.map((candidate) => usageOf(fieldsOf(candidate))).find((usage) => usage !== undefined)
}

/** Counts as LangChain, OpenAI or Anthropic spell them. LangChain's own are of the whole prompt. */
function usageOf(counts: Fields): Usage | undefined {
  const details = fieldsOf(counts.input_token_details ?? counts.input_tokens_details ?? counts.prompt_tokens_details)
  const cacheRead = firstCount([details.cache_read, details.cached_tokens, counts.cache_read_input_tokens])
  const cacheWrite = firstCount([details.cache_creation, counts.cache_creation_input_tokens])
  const told = firstCount([counts.input_tokens, counts.prompt_tokens, counts.promptTokens])
  // Anthropic counts what stands behind the cached prefix alone.
  const apart = 'cache_read_input_tokens' in counts || 'cache_creation_input_tokens' in counts
  const input = apart ? told + cacheRead + cacheWrite : Math.max(told, cacheRead + cacheWrite)
  const output = firstCount([counts.output_tokens, counts.completion_tokens, counts.completionTokens])
  return input > 0 ? { input, cacheRead, cacheWrite, output } : undefined
}

function firstCount(values: readonly unknown[]): number {
  return values.map(countOf).find((count) => count !== undefined) ?? 0
}
