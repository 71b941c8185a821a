import type { Call, WireFormat } from '../../format.ts'
import { asFields, textField } from '../../json-fields.ts'
import { serverSentEvent } from '../../server-sent-events.ts'
import { errorOf, refusalAnswer } from './errors.ts'
import { readPrompt } from './prompt.ts'
import { replyChunks, replyCompletion } from './reply.ts'
import { validateChat } from './validate.ts'

/** OpenAI's Chat Completions and the servers that speak it: `/v1/chat/completions`, with or without `/v1`. */
export const openaiChatFormat: WireFormat = {
  name: 'openai-chat',
  streamType: 'text/event-stream; charset=utf-8',
  sumsOutput: true,
  route,
  validate: validateChat,
  prompt: readPrompt,
  outputCap(body) {
    const fields = asFields(body)
    const cap = fields?.max_completion_tokens ?? fields?.max_tokens
    return typeof cap === 'number' ? cap : undefined
  },
  refusal: refusalAnswer,
  reply: replyCompletion,
  stream: replyChunks,
  streamFailure: (refusal) => serverSentEvent({ error: errorOf(refusal) }),
}

function route(method: string, path: string, _query: URLSearchParams, body: unknown): Call | undefined {
  if (method === 'GET' && /^\/v1\/models(?:\/|$)/.test(path)) {
    return { kind: 'models', stream: false, model: decodeURIComponent(path.slice('/v1/models/'.length)) }
  }
  if (method !== 'POST' || !/^(?:\/v1)?\/chat\/completions$/.test(path)) return undefined
  return { kind: 'generate', stream: asFields(body)?.stream === true, model: textField(body, 'model') ?? '' }
}
