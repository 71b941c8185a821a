import type { Call, LabRules, WireFormat } from '../../format.ts'
import { field, textField } from '../../json-fields.ts'
import { compactedResponse } from './compaction.ts'
import { responsesPrompt } from './prompt.ts'
import { codexRefusal, responsesFailure, responsesRefusal } from './refusal.ts'
import { outputItems, responseObject } from './reply.ts'
import { codexBreach, responsesBreach } from './rules.ts'
import { responsesStream } from './stream.ts'

/** OpenAI's Responses API. */
export const openaiResponsesFormat: WireFormat = {
  name: 'openai-responses',
  route: (method, path, _query, body) => (isCodexPath(path) ? undefined : routeResponses(method, path, body)),
  validate: (body: unknown, _rules: LabRules, call: Call) =>
    call.kind === 'count' ? undefined : responsesBreach(body),
  prompt: responsesPrompt,
  outputCap,
  refusal: responsesRefusal,
  reply: (reply, context) => responseObject(context, { reply, output: outputItems(reply, context) }),
  stream: responsesStream,
  streamFailure: responsesFailure,
  streamType: 'text/event-stream; charset=utf-8',
  count: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  caches: 'automatic',
}

/** The part of the Responses API that the Codex backend serves to subscribers: stateless, streamed, no cap. */
export const openaiCodexFormat: WireFormat = {
  ...openaiResponsesFormat,
  name: 'openai-codex',
  route: (method, path, _query, body) => (isCodexPath(path) ? routeResponses(method, path, body) : undefined),
  validate: (body: unknown) => codexBreach(body),
  refusal: codexRefusal,
}

/** The call by which a client has OpenAI compact a conversation. Never streamed. */
export const openaiCompactFormat: WireFormat = {
  ...openaiResponsesFormat,
  route: (method, path, _query, body) =>
    method === 'POST' && path.endsWith('/responses/compact')
      ? { kind: 'generate', stream: false, model: textField(body, 'model') ?? '' }
      : undefined,
  reply: compactedResponse,
}

function isCodexPath(path: string): boolean {
  return /\/(codex|backend-api)\//.test(path)
}

function routeResponses(method: string, path: string, body: unknown): Call | undefined {
  if (method !== 'POST') return undefined
  const model = textField(body, 'model') ?? ''
  if (path.endsWith('/responses/input_tokens')) return { kind: 'count', stream: false, model }
  if (!path.endsWith('/responses')) return undefined
  return { kind: 'generate', stream: field(body, 'stream') === true, model }
}

function outputCap(body: unknown): number | undefined {
  const cap = field(body, 'max_output_tokens')
  return typeof cap === 'number' ? cap : undefined
}
