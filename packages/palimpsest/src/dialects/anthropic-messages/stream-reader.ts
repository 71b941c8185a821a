import type { StreamReader } from '../dialect.ts'
import { fieldsOf, isObject } from '../json-fields.ts'
import { isErrorEvent, isText, laterCounts, type StreamRules, streamReader } from '../stream-reader.ts'
import { outcomeOf, usageOf } from './usage.ts'

/** A reader of the events of one streamed message. */
export function readStream(): StreamReader {
  return streamReader(RULES)
}

interface Answer {
  readonly usage?: unknown
  readonly stop_reason?: unknown
}

const RULES: StreamRules<Answer> = {
  empty: {},
  fold: foldEvent,
  hasContent,
  isFailure: isErrorEvent,
  // Gateways leave out `message_stop`; what stands before it says as much.
  isEnd: (answer, event) => fieldsOf(event).type === 'message_stop' || typeof answer.stop_reason === 'string',
  usage: usageOf,
  outcome: outcomeOf,
}

/** `message_start` counts the prompt, `message_delta` counts anew what has grown since, and tells why it stopped. */
function foldEvent(answer: Answer, event: unknown): Answer {
  const { type, message, delta, usage } = fieldsOf(event)
  if (type === 'message_start') return merge(answer, fieldsOf(message).usage, fieldsOf(message).stop_reason)
  return type === 'message_delta' ? merge(answer, usage, fieldsOf(delta).stop_reason) : answer
}

function merge(answer: Answer, usage: unknown, stopReason: unknown): Answer {
  return { usage: laterCounts(answer.usage, usage), stop_reason: stopReason ?? answer.stop_reason }
}

function hasContent(event: unknown): boolean {
  const { type, content_block: block, delta } = fieldsOf(event)
  if (type === 'content_block_start') return isObject(block) && (block.type !== 'text' || isText(block.text))
  return type === 'content_block_delta' && isObject(delta) && (delta.type !== 'text_delta' || isText(delta.text))
}
