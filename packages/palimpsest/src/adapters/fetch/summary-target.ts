import type { ModelRoute } from './request-envelope.ts'

/** Models for a call for a text. */
export interface SummaryModels {
  /** Another model than the caller's. */
  readonly other: string | undefined
  /** The caller's own, where its body names it. */
  readonly own: string | undefined
}

/** Where a call for one whole text goes: the server of the caller's own call, the path of a plain answer. */
export function summaryUrl(url: string, { dialect }: ModelRoute, { other, own }: SummaryModels): string {
  const target = new URL(url)
  target.pathname = PATHS[dialect](target.pathname, { other: inPath(other), own: inPath(own) })
  // Only a stream has events; a whole answer is JSON.
  if (dialect === 'gemini') target.searchParams.delete('alt')
  return target.href
}

function inPath(model: string | undefined): string | undefined {
  return model === undefined ? undefined : encodeURIComponent(model.replace(/^models\//, ''))
}

type Path = (path: string, models: SummaryModels) => string

const PATHS: Readonly<Record<ModelRoute['dialect'], Path>> = {
  'anthropic-messages': (path, { other, own }) =>
    path
      .replace(/\/messages\/count_tokens\/?$/, '/messages')
      // a count on Vertex AI has its model in the body, an answer in the path
      .replace(/\/models\/count-tokens[^/]*(?::|%3A)rawPredict$/i, `/models/${other ?? own}:rawPredict`)
      .replace(
        /\/models\/([^/]+?)(?::|%3A)(?:streamRawPredict|rawPredict)$/i,
        (_, named: string) => `/models/${other ?? named}:rawPredict`,
      ),
  'openai-chat': deployment,
  'openai-responses': (path, models) => deployment(path.replace(/\/responses\/.*$/, '/responses'), models),
  'openai-codex': (path) => path.replace(/\/responses\/.*$/, '/responses'),
  gemini: (path, { other }) =>
    path
      .replace(/(\/v\d+internal)(?::|%3A)\w+$/i, '$1:generateContent')
      .replace(/\/(models|tunedModels|endpoints)\/([^/]+?)(?::|%3A)\w+$/i, (_, kind: string, named: string) =>
        other === undefined ? `/${kind}/${named}:generateContent` : `/models/${other}:generateContent`,
      ),
  'bedrock-converse': (path, { other }) =>
    path.replace(
      /\/model\/(.+)\/(?:converse|converse-stream|count-tokens)\/?$/,
      (_, named: string) => `/model/${other ?? named}/converse`,
    ),
}

/** Azure names the model's deployment in the path. */
function deployment(path: string, { other }: SummaryModels): string {
  return other === undefined ? path : path.replace(/\/deployments\/[^/]+\//, `/deployments/${other}/`)
}

/** The caller's headers without those that are about the body, the answer's form, or features of the caller's own request. */
export function summaryHeaders(headers: Headers, accept: string): Headers {
  const own = new Headers(headers)
  for (const name of [...own.keys()]) if (OWN_OF_THE_CALL.test(name)) own.delete(name)
  const betas = (own.get('anthropic-beta') ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => NEEDED_BETAS.test(beta))
  own.delete('anthropic-beta')
  if (betas.length > 0) own.set('anthropic-beta', betas.join(','))
  own.set('content-type', 'application/json')
  own.set('accept', accept)
  return own
}

const OWN_OF_THE_CALL =
  /^(?:idempotency-key|x-stainless-(?:helper|retry|read-timeout|timeout|stream).*|x-codex-turn-.*|if-.*|range|expect)$/

/** Who may call at all, and how much the model reads; the others change what a request or an answer may hold. */
const NEEDED_BETAS = /^(?:oauth|claude-code|context-1m)-/
