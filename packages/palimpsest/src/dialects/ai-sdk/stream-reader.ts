import type { StreamReader } from '../dialect.ts'
import { fieldsOf } from '../json-fields.ts'
import { isText, type StreamRules, streamReader } from '../stream-reader.ts'
import { outcomeOf, usageOf } from './usage.ts'

/** A reader of the parts of one streamed model call, versions 2 to 4. */
export function readStream(): StreamReader {
  return streamReader(RULES)
}

/** As much of the `finish` part as usage and outcome read. */
interface Answer {
  readonly usage?: unknown
  readonly providerMetadata?: unknown
  readonly finishReason?: unknown
}

const RULES: StreamRules<Answer> = {
  empty: {},
  fold: foldPart,
  hasContent,
  isFailure: (part) => fieldsOf(part).type === 'error',
  // Behind an error the SDK still sends a finish part, with the reason `error`: that is no end of the answer's own.
  isEnd: (_, part) => fieldsOf(part).type === 'finish' && !isErrorReason(fieldsOf(part).finishReason),
  usage: usageOf,
  outcome: outcomeOf,
}

function foldPart(answer: Answer, part: unknown): Answer {
  const { type, usage, providerMetadata, finishReason } = fieldsOf(part)
  return type === 'finish' ? { usage, providerMetadata, finishReason } : answer
}

function isErrorReason(reason: unknown): boolean {
  return reason === 'error' || fieldsOf(reason).unified === 'error'
}

const ENVELOPE: readonly unknown[] = [
  'stream-start',
  'response-metadata',
  'raw',
  'ping',
  'text-start',
  'text-end',
  'finish',
  'error',
]

/** The kind of custom part by which AI SDK 7 tells the usage of Anthropic's `message_start`. */
const MESSAGE_START = 'anthropic.message_start'

function hasContent(part: unknown): boolean {
  const { type, delta, kind } = fieldsOf(part)
  if (typeof type !== 'string' || ENVELOPE.includes(type) || kind === MESSAGE_START) return false
  return type === 'text-delta' ? isText(delta) : true
}
