import { isObject } from '../../dialects/json-fields.ts'
import { PalimpsestError } from '../../engine/errors.ts'
import { parsedOrText } from '../../wire/stream-events.ts'
import type { ModelCall } from './model-call.ts'
import type { ModelRoute } from './request-envelope.ts'
import { summaryHeaders } from './summary-target.ts'
import { type Send, withBody } from './wire-request.ts'

/** Counts a whole native request exactly. Rejects where the server does not: then the estimate has to do. */
export type CountTokens = (request: unknown, call: { readonly signal: AbortSignal }) => Promise<number>

/** How one API counts: where, of what, and where in the answer the number stands. */
interface CountApi {
  /** The path of the count for the path of the call; undefined where this server has none. */
  path(path: string): string | undefined
  body(native: Readonly<Record<string, unknown>>, path: string): object
  readonly answer: string
}

/** The count of the server of this call, by the caller's own means; undefined where its API has none. */
export function countBy(call: ModelCall, send: Send): CountTokens | undefined {
  const { request, route, envelope, source } = call
  const api = COUNT_APIS[route.dialect]
  const url = new URL(request.url)
  const path = api?.path(url.pathname)
  if (api === undefined || path === undefined || envelope.native !== source.value) return undefined
  const called = url.pathname
  url.pathname = path
  url.searchParams.delete('alt')
  return async (native, { signal }) => {
    const body = api.body(native as Readonly<Record<string, unknown>>, called)
    const headers = summaryHeaders(request.headers, 'application/json')
    const counted = withBody({ method: 'POST', url: url.href, headers, body: null }, [JSON.stringify(body)])
    const response = await send({ ...counted, signal }, { purpose: 'count' })
    const answer = parsedOrText(await response.text())
    const tokens = isObject(answer) ? answer[api.answer] : undefined
    if (response.ok && typeof tokens === 'number') return tokens
    throw new PalimpsestError('effect-failed', `The count was answered with HTTP status ${response.status}.`)
  }
}

const COUNT_APIS: Readonly<Partial<Record<ModelRoute['dialect'], CountApi>>> = {
  'anthropic-messages': {
    path: (path) => (path.endsWith('/messages') ? `${path}/count_tokens` : undefined),
    body: (native) => only(native, ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking']),
    answer: 'input_tokens',
  },
  'openai-responses': {
    path: (path) => (path.endsWith('/responses') ? `${path}/input_tokens` : undefined),
    body: (native) =>
      only(native, ['model', 'input', 'instructions', 'tools', 'tool_choice', 'reasoning', 'text', 'truncation']),
    answer: 'input_tokens',
  },
  gemini: {
    path: (path) => (GENERATE.test(path) ? path.replace(GENERATE, ':countTokens') : undefined),
    body: (native, path) => ({
      generateContentRequest: { model: /(models\/[^/:]+)/.exec(decodeURIComponent(path))?.[1], ...native },
    }),
    answer: 'totalTokens',
  },
  'bedrock-converse': {
    path: (path) => (CONVERSE.test(path) ? path.replace(CONVERSE, '/count-tokens') : undefined),
    body: (native) => ({ input: { converse: only(native, ['messages', 'system', 'toolConfig']) } }),
    answer: 'inputTokens',
  },
}

const GENERATE = /(?::|%3A)(?:generateContent|streamGenerateContent)$/i
const CONVERSE = /\/converse(?:-stream)?$/

/** Count endpoints refuse fields that say how to answer. */
function only(native: Readonly<Record<string, unknown>>, keys: readonly string[]): object {
  return Object.fromEntries(keys.flatMap((key) => (native[key] === undefined ? [] : [[key, native[key]]])))
}
