import { type HeaderFields, headerValue } from './header-fields.ts'

/** Names of the dialects that are spoken over HTTP. */
export type WireDialect =
  | 'anthropic-messages'
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-codex'
  | 'gemini'
  | 'bedrock-converse'

/** What a request asks of which API, as far as its URL tells. */
export type Route =
  /** An answer of the model. */
  | {
      readonly kind: 'generate'
      readonly dialect: WireDialect
      /** The model, where the path names it; the body need not then. */
      readonly model?: string
      /** Is the answer streamed? Absent where only the body tells. */
      readonly stream?: boolean
    }
  /** The number of tokens of a request. */
  | { readonly kind: 'count'; readonly dialect: WireDialect; readonly model?: string }
  /** The provider's own compaction of a list of items. */
  | { readonly kind: 'compact'; readonly dialect: 'openai-responses' | 'openai-codex' }
  /** The upgrade to a connection whose messages are never seen here. */
  | { readonly kind: 'websocket' }
  /** Models, files, batches, embeddings and whatever else there is. */
  | { readonly kind: 'other' }

/**
 * Which API and kind of call is this? Prefixes of gateways before the known end of a path do not matter. The URL may be
 * absolute or a path. The caller asks the dialect whether it recognises the body before it touches anything.
 *
 * @example
 * routeOf('POST', '/v1beta/models/gemini-3-pro:countTokens', {}) // { kind: 'count', dialect: 'gemini', model: 'gemini-3-pro' }
 */
export function routeOf(method: string, url: string, headers: HeaderFields): Route {
  if (headerValue(headers, 'upgrade')?.toLowerCase() === 'websocket') return { kind: 'websocket' }
  if (method.toUpperCase() !== 'POST') return { kind: 'other' }
  const path = pathOf(url)
  for (const { pattern, route } of TABLE) {
    const groups = pattern.exec(path)
    if (groups !== null) return route(modelOf(groups.groups?.model))
  }
  return { kind: 'other' }
}

/** Without scheme, host, query and doubled or closing slashes; a colon may come encoded. */
function pathOf(url: string): string {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
  return `/${path}`
    .replace(/\/{2,}/g, '/')
    .replace(/(.)\/$/, '$1')
    .replace(/%3a/gi, ':')
}

interface Model {
  readonly model?: string
}

interface Row {
  readonly pattern: RegExp
  readonly route: (model: Model) => Route
}

/** Ends of paths; the first that matches is it. */
const TABLE: readonly Row[] = [
  // Anthropic. Threads of other APIs have messages too: those are behind an id.
  row('/(?:v\\d+|anthropic)/messages/count_tokens', () => ({ kind: 'count', dialect: 'anthropic-messages' })),
  row('/(?:v\\d+|anthropic)/messages', () => ({ kind: 'generate', dialect: 'anthropic-messages' })),

  // Claude on Vertex AI.
  row('/publishers/anthropic/models/count-tokens:rawPredict', () => ({
    kind: 'count',
    dialect: 'anthropic-messages',
  })),
  row('/publishers/anthropic/models/{model}:rawPredict', (model) => ({
    kind: 'generate',
    dialect: 'anthropic-messages',
    ...model,
    stream: false,
  })),
  row('/publishers/anthropic/models/{model}:streamRawPredict', (model) => ({
    kind: 'generate',
    dialect: 'anthropic-messages',
    ...model,
    stream: true,
  })),

  // OpenAI and what speaks like it; a deployment of Azure is a model.
  row('/deployments/{model}/chat/completions', (model) => ({ kind: 'generate', dialect: 'openai-chat', ...model })),
  row('/chat/completions', () => ({ kind: 'generate', dialect: 'openai-chat' })),
  row('/codex/responses/compact', () => ({ kind: 'compact', dialect: 'openai-codex' })),
  row('/codex/responses', () => ({ kind: 'generate', dialect: 'openai-codex' })),
  row('/responses/compact', () => ({ kind: 'compact', dialect: 'openai-responses' })),
  row('/responses/input_tokens(?:/count)?', () => ({ kind: 'count', dialect: 'openai-responses' })),
  row('/deployments/{model}/responses', (model) => ({ kind: 'generate', dialect: 'openai-responses', ...model })),
  row('/responses', () => ({ kind: 'generate', dialect: 'openai-responses' })),

  // Gemini: the Gemini API, Vertex AI, and Code Assist, where the body wraps the request.
  row('/(?:models|tunedModels|endpoints)/{model}:generateContent', (model) => ({
    kind: 'generate',
    dialect: 'gemini',
    ...model,
    stream: false,
  })),
  row('/(?:models|tunedModels|endpoints)/{model}:streamGenerateContent', (model) => ({
    kind: 'generate',
    dialect: 'gemini',
    ...model,
    stream: true,
  })),
  row('/(?:models|tunedModels|endpoints)/{model}:countTokens', (model) => ({
    kind: 'count',
    dialect: 'gemini',
    ...model,
  })),
  row('/v\\d+internal:generateContent', () => ({ kind: 'generate', dialect: 'gemini', stream: false })),
  row('/v\\d+internal:streamGenerateContent', () => ({ kind: 'generate', dialect: 'gemini', stream: true })),
  row('/v\\d+internal:countTokens', () => ({ kind: 'count', dialect: 'gemini' })),

  // Bedrock: the model may be an ARN, whose slashes not every client encodes.
  row('/model/{model*}/converse', (model) => ({
    kind: 'generate',
    dialect: 'bedrock-converse',
    ...model,
    stream: false,
  })),
  row('/model/{model*}/converse-stream', (model) => ({
    kind: 'generate',
    dialect: 'bedrock-converse',
    ...model,
    stream: true,
  })),
  row('/model/{model*}/count-tokens', (model) => ({ kind: 'count', dialect: 'bedrock-converse', ...model })),
]

/** `{model}` is one segment of the path up to a colon with a method, `{model*}` any number of segments. */
function row(ending: string, route: (model: Model) => Route): Row {
  const source = ending.replace('{model*}', '(?<model>.+)').replace('{model}', '(?<model>[^/]+)')
  return { pattern: new RegExp(`${source}$`), route }
}

function modelOf(segment: string | undefined): Model {
  if (segment === undefined) return {}
  try {
    return { model: decodeURIComponent(segment) }
  } catch {
    return { model: segment }
  }
}
