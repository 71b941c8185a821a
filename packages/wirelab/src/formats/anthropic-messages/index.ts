import type { Call, WireFormat } from '../../format.ts'
import { asFields, textField } from '../../json-fields.ts'
import { serverSentEvent } from '../../server-sent-events.ts'
import { errorBody, refusalAnswer, refusalError } from './errors.ts'
import { readPrompt } from './prompt.ts'
import { replyMessage, replyStream } from './reply.ts'
import { validateMessages } from './validate.ts'

/** Anthropic's Messages API: `/v1/messages` and `/v1/messages/count_tokens`. */
export const anthropicMessagesFormat: WireFormat = {
  name: 'anthropic-messages',
  streamType: 'text/event-stream; charset=utf-8',
  sumsOutput: true,
  caches: 'marks',
  route,
  validate: validateMessages,
  prompt: readPrompt,
  outputCap(body) {
    const cap = asFields(body)?.max_tokens
    return typeof cap === 'number' ? cap : undefined
  },
  refusal: refusalAnswer,
  reply: replyMessage,
  stream: replyStream,
  streamFailure(refusal) {
    const { type, message } = refusalError(refusal)
    return serverSentEvent(errorBody(type, message), { event: 'error' })
  },
  count: (tokens) => ({ input_tokens: tokens }),
}

function route(method: string, path: string, _query: URLSearchParams, body: unknown): Call | undefined {
  const kind = KINDS[path]
  if (method !== 'POST' || kind === undefined) return undefined
  return { kind, stream: kind === 'generate' && asFields(body)?.stream === true, model: textField(body, 'model') ?? '' }
}

const KINDS: Readonly<Record<string, Call['kind']>> = {
  '/v1/messages': 'generate',
  '/v1/messages/count_tokens': 'count',
}
