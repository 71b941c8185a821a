import type { Call, Reply, ReplyContext, StreamPiece, WireFormat } from '../../format.ts'
import { serverSentEvent } from '../../server-sent-events.ts'
import { eitherField, generateRequest } from './contents.ts'
import { geminiPrompt } from './prompt.ts'
import { geminiRefusal, googleError } from './refusal.ts'
import { geminiEvents, geminiOpenChunks, geminiReply } from './reply.ts'
import { geminiBreach } from './rules.ts'

/** Google's `generateContent`; streams as server-sent events (`alt=sse`). */
export const geminiFormat: WireFormat = {
  name: 'gemini',
  route: (method, path, query) => {
    const call = routeGemini(method, path)
    return call?.stream === true && query.get('alt') !== 'sse' ? undefined : call
  },
  validate: (body, rules, call) => (call.kind === 'count' ? undefined : geminiBreach(body, rules, call)),
  prompt: geminiPrompt,
  outputCap,
  refusal: (refusal) => geminiRefusal(refusal),
  reply: geminiReply,
  stream: geminiEvents,
  streamFailure: (refusal) => serverSentEvent({ error: googleError(refusal) }),
  streamType: 'text/event-stream',
  count: (tokens) => ({ totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] }),
  caches: 'automatic',
}

/** The same API where a stream is asked for without `alt=sse`: one JSON list that grows, errors in a list too. */
export const geminiListFormat: WireFormat = {
  ...geminiFormat,
  route: (method, path, query) => {
    const call = routeGemini(method, path)
    return call?.stream === true && query.get('alt') !== 'sse' ? call : undefined
  },
  refusal: (refusal) => geminiRefusal(refusal, (body) => [body]),
  stream: listPieces,
  streamFailure: (refusal) => ({
    bytes: encode(`${JSON.stringify({ error: googleError(refusal) })}]`),
    content: false,
  }),
  streamType: 'application/json; charset=UTF-8',
}

/** The list's pieces. Each but the last ends in a comma, so that a failure can follow at every point. */
function listPieces(reply: Reply, context: ReplyContext): readonly StreamPiece[] {
  const chunks = geminiOpenChunks(reply, context)
  const last = chunks.length - 1
  return [
    { bytes: encode('['), content: false },
    ...chunks.map(({ data, content }, index) => ({
      bytes: encode(`${JSON.stringify(data)}${index === last ? ']' : ',\r\n'}`),
      content,
    })),
  ]
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

const METHODS: Readonly<Record<string, Pick<Call, 'kind' | 'stream'>>> = {
  generateContent: { kind: 'generate', stream: false },
  streamGenerateContent: { kind: 'generate', stream: true },
  countTokens: { kind: 'count', stream: false },
}

/** `/v1beta/models/<model>:<method>`, also behind a project's path as Vertex has it. */
function routeGemini(method: string, path: string): Call | undefined {
  const [, model, name] = /\/v1(?:beta|alpha)?\d*\/(?:.+\/)?models\/([^/:]+):(\w+)$/.exec(path) ?? []
  const kind = METHODS[name ?? '']
  if (method !== 'POST' || model === undefined || kind === undefined) return undefined
  return { ...kind, model: decodeURIComponent(model) }
}

function outputCap(body: unknown): number | undefined {
  const config = eitherField(generateRequest(body), 'generationConfig', 'generation_config')
  const cap = eitherField(config, 'maxOutputTokens', 'max_output_tokens')
  return typeof cap === 'number' ? cap : undefined
}
