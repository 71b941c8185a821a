import type { StreamReader } from '../dialect.ts'
import { fieldsOf, isObject } from '../json-fields.ts'
import { isErrorEvent, isText, type StreamRules, streamReader } from '../stream-reader.ts'
import { outcomeOf, usageOf } from './usage.ts'

/**
 * A reader of the events of one `ConverseStream` answer. An event is an object with one key, the event's or exception's
 * name, as the SDK gives it: `{ messageStop: { stopReason } }`.
 */
export function readStream(): StreamReader {
  return streamReader(RULES)
}

interface Answer {
  readonly usage?: unknown
  readonly stopReason?: unknown
}

const RULES: StreamRules<Answer> = {
  empty: {},
  fold: foldEvent,
  hasContent,
  isFailure,
  isEnd: (answer) => typeof answer.stopReason === 'string',
  usage: usageOf,
  outcome: outcomeOf,
}

function foldEvent(answer: Answer, event: unknown): Answer {
  const { messageStop, metadata } = fieldsOf(event)
  const stopReason = fieldsOf(messageStop).stopReason ?? answer.stopReason
  const usage = usageOf(event) === undefined ? answer.usage : fieldsOf(metadata).usage
  return { usage, stopReason }
}

function hasContent(event: unknown): boolean {
  const { contentBlockStart, contentBlockDelta } = fieldsOf(event)
  // Only tools and pictures have a start that says anything; text begins with its first delta.
  if (isObject(contentBlockStart)) return Object.keys(fieldsOf(contentBlockStart.start)).length > 0
  const delta = fieldsOf(fieldsOf(contentBlockDelta).delta)
  return Object.entries(delta).some(([name, value]) => name !== 'text' || isText(value))
}

/** An exception frame, under its own name or, where its frame was not of the service's, by its headers. */
function isFailure(event: unknown): boolean {
  if (!isObject(event)) return false
  return ':error-code' in event || Object.keys(event).some((name) => name.endsWith('Exception')) || isErrorEvent(event)
}
