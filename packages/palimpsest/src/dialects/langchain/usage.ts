import type { OverflowContext, OverflowFacts, Usage } from '../dialect.ts'
import { fieldsOf, isObject, stringOf, tokenCount } from '../json-fields.ts'
import { overflowFacts, silentOverflow } from '../overflow.ts'

/** Usage of an answer, or of a chunk of one. `input_tokens` is the whole prompt, whatever part of it a cache served. */
export function usageOf(response: unknown): Usage | undefined {
  const { input_tokens: reported, output_tokens: output, input_token_details: details } = countsOf(response)
  const { cache_read: read, cache_creation: written } = fieldsOf(details)
  const [cacheRead, cacheWrite] = [tokenCount(read), tokenCount(written)]
  // Older integrations report what stands behind the cached prefix alone.
  const input = Math.max(tokenCount(reported), cacheRead + cacheWrite)
  return input > 0 ? { input, cacheRead, cacheWrite, output: tokenCount(output) } : undefined
}

function countsOf(response: unknown): Readonly<Record<string, unknown>> {
  return fieldsOf(fieldsOf(response).usage_metadata)
}

/** Did the answer come although the input did not fit? Providers say so in the reason why they stopped. */
export function outcomeOf(response: unknown, context: OverflowContext): 'ok' | OverflowFacts {
  if (response instanceof Error) return langChainOverflow(response, context) ?? 'ok'
  const { response_metadata: metadata, additional_kwargs: extra } = fieldsOf(response)
  const reasons = [fieldsOf(metadata), fieldsOf(extra)].flatMap(
    ({ stop_reason: stop, finish_reason: finish, stopReason }) => [stop, finish, stopReason],
  )
  const finishReason = reasons.map(stringOf).find((reason) => reason === 'model_context_window_exceeded')
  return silentOverflow({ usageInput: usageOf(response)?.input, finishReason }, context) ?? 'ok'
}

/** The mark of `ContextOverflowError` of `@langchain/core`: registered globally, so that all copies of the package agree. */
const OVERFLOW_BRAND = Symbol.for('langchain.error.context-overflow')

/** Errors that LangChain itself calls an overflow are one, though their words say nothing that is known here. */
export function langChainOverflow(failure: unknown, context: OverflowContext): OverflowFacts | undefined {
  const facts = overflowFacts(failure, context)
  if (facts !== undefined) return facts
  const branded = layersOf(failure).find((layer) => property(layer, OVERFLOW_BRAND) === true)
  if (branded === undefined) return undefined
  const message = stringOf(property(branded, 'message')) ?? ''
  return overflowFacts({ code: 'context_length_exceeded', message }, context)
}

const MOST_LAYERS = 8

/** The failure and its causes: middleware wraps what it lets through. */
function layersOf(failure: unknown): readonly object[] {
  const layers: object[] = []
  for (let layer = failure; isObject(layer) && layers.length < MOST_LAYERS && !layers.includes(layer); ) {
    layers.push(layer)
    layer = property(layer, 'cause')
  }
  return layers
}

/** Failures may be anything: a getter that throws tells nothing. */
function property(value: object, name: PropertyKey): unknown {
  try {
    return (value as Record<PropertyKey, unknown>)[name]
  } catch {
    return undefined
  }
}
