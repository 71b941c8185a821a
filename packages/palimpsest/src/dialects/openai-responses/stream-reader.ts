import type { StreamReader } from '../dialect.ts'
import { fieldsOf, isObject, listOf } from '../json-fields.ts'
import { isErrorEvent, isText, type StreamRules, streamReader } from '../stream-reader.ts'
import { judgeOutcome, readUsage } from './usage.ts'

/** A reader of the events of one streamed response. */
export function readStream(): StreamReader {
  return streamReader(RULES)
}

interface Answer {
  readonly usage?: unknown
  readonly status?: unknown
  readonly error?: unknown
  readonly incomplete_details?: unknown
}

const RULES: StreamRules<Answer> = {
  empty: {},
  fold: foldEvent,
  hasContent,
  isFailure: (event) => fieldsOf(event).type === 'response.failed' || isErrorEvent(event),
  isEnd: (answer) => answer.status === 'completed' || answer.status === 'incomplete',
  usage: readUsage,
  outcome: judgeOutcome,
}

/** Some events hold the response as it is by then: what it says last counts. It repeats the request too; none of that is kept. */
function foldEvent(answer: Answer, event: unknown): Answer {
  const { response } = fieldsOf(event)
  if (!isObject(response)) return answer
  return {
    usage: readUsage(event) === undefined ? answer.usage : response.usage,
    status: response.status ?? answer.status,
    error: response.error ?? answer.error,
    incomplete_details: response.incomplete_details ?? answer.incomplete_details,
  }
}

/** Openings and closings: content stands in what comes between them. */
const ENVELOPE =
  /^(?:error|keepalive|ping|codex\..*|response\.(?:created|queued|in_progress|failed|incomplete|completed|cancelled|done))$/

function hasContent(event: unknown): boolean {
  const { type, item, part, response } = fieldsOf(event)
  if (typeof type !== 'string') return false
  if (ENVELOPE.test(type)) return listOf(fieldsOf(response).output).some(isSaid)
  if (type.startsWith('response.output_item.')) return isSaid(item)
  if (type.startsWith('response.content_part.')) return isPartSaid(part)
  return saysMore(fieldsOf(event))
}

/** An item that is no message stands for work that has begun: reasoning, a call, a search. */
function isSaid(item: unknown): boolean {
  const { type, content } = fieldsOf(item)
  return isObject(item) && (type !== 'message' || listOf(content).some(isPartSaid))
}

function isPartSaid(part: unknown): boolean {
  const { text, refusal, type } = fieldsOf(part)
  return isText(text) || isText(refusal) || (typeof type === 'string' && !TEXT_PARTS.includes(type))
}

const TEXT_PARTS = ['output_text', 'refusal', 'reasoning_text', 'summary_text', 'text']

/** Deltas, with text or without; what has no text of its own (the moves of a search, a picture) is work that has begun. */
function saysMore(event: Readonly<Record<string, unknown>>): boolean {
  const texts = [event.delta, event.text, event.refusal].filter((value) => typeof value === 'string')
  return texts.length === 0 ? String(event.type).startsWith('response.') : texts.some(isText)
}
