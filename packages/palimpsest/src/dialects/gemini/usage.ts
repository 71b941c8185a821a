import type { OverflowContext, OverflowFacts, Usage } from '../dialect.ts'
import { property, tokenCount } from '../json-fields.ts'
import { overflowFacts, silentOverflow } from '../overflow.ts'
import { type FieldName, field } from './fields.ts'

/**
 * Usage of a response, of a chunk of a stream, or of a whole list of chunks (the newest that tells). `promptTokenCount`
 * already holds what a cache served. A count that is missing, zero or no number is no usage.
 */
export function usageOf(response: unknown): Usage | undefined {
  const metadata = chunksOf(response)
    .map((chunk) => field(chunk, 'usageMetadata'))
    .findLast((found) => count(found, 'promptTokenCount') > 0)
  if (metadata === undefined) return undefined
  return {
    input: count(metadata, 'promptTokenCount'),
    cacheRead: count(metadata, 'cachedContentTokenCount'),
    cacheWrite: 0,
    output: count(metadata, 'candidatesTokenCount') + count(metadata, 'thoughtsTokenCount'),
  }
}

/** Did the answer come although the input did not fit? An error chunk inside a stream is judged like an error. */
export function outcomeOf(response: unknown, context: OverflowContext): 'ok' | OverflowFacts {
  const failed = chunksOf(response).find((chunk) => property(chunk, 'error') !== undefined)
  if (failed !== undefined) return overflowFacts(failed, context) ?? 'ok'
  const usageInput = usageOf(response)?.input
  // Gemini itself has no such finish reason; gateways that speak its format pass on those of the models behind them.
  return silentOverflow({ usageInput, finishReason: finishReason(response)?.toLowerCase() }, context) ?? 'ok'
}

function finishReason(response: unknown): string | undefined {
  return chunksOf(response)
    .flatMap((chunk) => {
      const candidates = property(chunk, 'candidates')
      return Array.isArray(candidates) ? candidates : []
    })
    .map((candidate) => field(candidate, 'finishReason'))
    .findLast((reason) => typeof reason === 'string')
}

/** The chunks of an answer: `streamGenerateContent` without SSE gives a list; Code Assist wraps each in `response`. */
function chunksOf(response: unknown): readonly unknown[] {
  const chunks: readonly unknown[] = Array.isArray(response) ? response : [response]
  return chunks.map((chunk) => property(chunk, 'response') ?? chunk)
}

function count(metadata: unknown, name: FieldName): number {
  return tokenCount(field(metadata, name))
}
