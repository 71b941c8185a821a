import { anthropicTextCall } from '../../dialects/anthropic-messages/text-call.ts'
import { bedrockTextCall } from '../../dialects/bedrock-converse/text-call.ts'
import type { OverflowFacts } from '../../dialects/dialect.ts'
import { geminiTextCall } from '../../dialects/gemini/text-call.ts'
import { openaiCodex } from '../../dialects/index.ts'
import { isObject } from '../../dialects/json-fields.ts'
import { openaiChatTextCall } from '../../dialects/openai-chat/text-call.ts'
import { openaiCodexTextCall, openaiResponsesTextCall } from '../../dialects/openai-responses/text-call.ts'
import type { TextCall } from '../../dialects/text-call.ts'
import { PalimpsestError } from '../../engine/errors.ts'
import { splicedPieces } from '../../engine/json/splice.ts'
import type { Generate, GeneratePrompt } from '../../summarizers/summarizer.ts'
import type { WireDialect } from '../../wire/routes.ts'
import { parsedOrText, sseStreamEvents } from '../../wire/stream-events.ts'
import type { ModelCall } from './model-call.ts'
import { streamPieces } from './stream-pieces.ts'
import { summaryHeaders, summaryUrl } from './summary-target.ts'
import { type Send, type WireRequest, withBody } from './wire-request.ts'

/** One text from the model of this call, or another one at its server, by the caller's own means. */
export function generateBy(call: ModelCall, send: Send): Generate {
  const { format, streams } = textCallOf(call)
  return async (prompt, { signal }) => {
    const request = summaryRequest(call, prompt, { format, streams })
    const response = await send(signal === undefined ? request : { ...request, signal }, { purpose: 'summary' })
    if (!response.ok) throw new SummaryCallError(response.status, parsedOrText(await response.text()))
    return format.read(await answerOf(response, streams))
  }
}

/** What this failure of a summary call tells where it means that the call was too large. */
export function summaryOverflow({ dialect }: ModelCall, error: unknown): OverflowFacts | undefined {
  return dialect.overflow(error, { size: 0, window: Number.POSITIVE_INFINITY })
}

/** The server refused a call for a summary; `cause` is its answer. */
class SummaryCallError extends PalimpsestError {
  readonly status: number

  constructor(status: number, body: unknown) {
    super('effect-failed', `The call for a summary was answered with HTTP status ${status}.`, {
      cause: { status, body },
    })
    this.name = 'SummaryCallError'
    this.status = status
  }
}

interface WireTextCall {
  readonly format: TextCall<unknown>
  /** Is its answer a stream? */
  readonly streams: boolean
}

/** Codex must stream; a server that stands in for it is told by the caller's own request. */
function textCallOf({ dialect, envelope: { native } }: ModelCall): WireTextCall {
  const isCodex =
    dialect.name === 'openai-codex' || (dialect.name === 'openai-responses' && openaiCodex.recognises(native) === 1)
  return isCodex
    ? { format: openaiCodexTextCall as TextCall<unknown>, streams: true }
    : { format: TEXT_CALLS[dialect.name as WireDialect], streams: false }
}

const TEXT_CALLS = {
  'anthropic-messages': anthropicTextCall,
  'openai-chat': openaiChatTextCall,
  'openai-responses': openaiResponsesTextCall,
  'openai-codex': openaiCodexTextCall,
  gemini: geminiTextCall,
  'bedrock-converse': bedrockTextCall,
} as unknown as Readonly<Record<WireDialect, TextCall<unknown>>>

function summaryRequest(call: ModelCall, prompt: GeneratePrompt, { format, streams }: WireTextCall): WireRequest {
  const { request, route, envelope, source } = call
  const body = enveloped(call, format.request(prompt, envelope.native), prompt.model)
  const headers = summaryHeaders(request.headers, streams ? 'text/event-stream' : 'application/json')
  const url = summaryUrl(request.url, route, { other: prompt.model, own: modelIn(envelope.native) })
  return withBody({ method: 'POST', url, headers, body: null }, splicedPieces(source, body))
}

/** Code Assist wraps the request; Claude on Vertex AI has its model in the path alone. */
function enveloped({ request, route, source }: ModelCall, body: unknown, other: string | undefined): unknown {
  const outer = source.value
  if (route.dialect === 'gemini' && isObject(outer) && isObject(outer.request)) {
    return { ...outer, ...(other !== undefined && { model: other }), request: body }
  }
  if (!isObject(body) || !/:(?:stream)?rawPredict\b/i.test(request.url.replace(/%3a/gi, ':'))) return body
  const { model: _inPath, ...rest } = body
  return rest
}

function modelIn(native: object): string | undefined {
  const model = isObject(native) ? native.model : undefined
  return typeof model === 'string' ? model : undefined
}

async function answerOf(response: Response, streams: boolean): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  const isStream = type.includes('event-stream') || (streams && !type.includes('json'))
  if (!isStream || response.body === null) return parsedOrText(await response.text())
  const events = sseStreamEvents()
  const all: unknown[] = []
  for await (const piece of streamPieces(response.body)) all.push(...events.push(piece))
  return [...all, ...events.end()]
}
