import type { StreamReader } from '../dialect.ts'
import { fieldsOf, listOf, stringOf } from '../json-fields.ts'
import { isErrorEvent, isText, laterCounts, type StreamRules, streamReader } from '../stream-reader.ts'
import { outcomeOf, usageOf } from './usage.ts'

/** A reader of the `AIMessageChunk`s of one streamed answer. */
export function readStream(): StreamReader {
  return streamReader(RULES)
}

/** As much of the chunks as usage and outcome read. */
interface Answer {
  readonly usage_metadata?: unknown
  readonly response_metadata?: unknown
}

const RULES: StreamRules<Answer> = {
  empty: {},
  fold: (answer, chunk) => {
    const { usage_metadata: usage, response_metadata: metadata } = fieldsOf(chunk)
    return {
      usage_metadata: laterCounts(answer.usage_metadata, usage),
      response_metadata: { ...fieldsOf(answer.response_metadata), ...reasonsOf(metadata) },
    }
  },
  hasContent,
  isFailure: (chunk) => chunk instanceof Error || isErrorEvent(chunk),
  isEnd: (answer) => Object.keys(fieldsOf(answer.response_metadata)).length > 0,
  usage: usageOf,
  outcome: outcomeOf,
}

/** Why the provider stopped. Nothing else of the metadata is kept. */
function reasonsOf(metadata: unknown): object {
  const named = Object.entries(fieldsOf(metadata)).filter(([name, reason]) => REASONS.has(name) && isText(reason))
  return Object.fromEntries(named)
}

const REASONS: ReadonlySet<string> = new Set(['stop_reason', 'finish_reason', 'stopReason'])

function hasContent(chunk: unknown): boolean {
  const { content, tool_call_chunks: chunks, tool_calls: calls, additional_kwargs: extra } = fieldsOf(chunk)
  if (isText(content) || listOf(chunks).length > 0 || listOf(calls).length > 0) return true
  if (listOf(content).some((entry) => stringOf(fieldsOf(entry).text) !== '')) return true
  const { reasoning_content: reasoning } = fieldsOf(extra)
  return isText(reasoning)
}
