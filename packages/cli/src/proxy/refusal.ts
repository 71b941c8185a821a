import type { Route, WireDialect } from 'palimpsest/wire'

/** What the proxy itself answers instead of an upstream. */
export interface Refusal {
  readonly status: 400 | 401 | 404 | 413 | 426 | 502
  /** What is wrong and what would work; without secrets. */
  readonly message: string
}

/** In the form of the provider whose API was called, so that its SDK raises its own error. */
export function refusalResponse({ status, message }: Refusal, route: Route): Response {
  const dialect = 'dialect' in route ? route.dialect : undefined
  const form = dialect === undefined ? openaiForm : FORMS[dialect]
  const { body, headers = {} } = form(message, status)
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      ...headers,
      // a client that retries a refusal of ours would only hear it again
      ...(status !== 502 && { 'x-should-retry': 'false' }),
      ...(status === 426 && { upgrade: 'HTTP/1.1', connection: 'close' }),
    },
  })
}

type Status = Refusal['status']

interface Formed {
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

type Form = (message: string, status: Status) => Formed

const openaiForm: Form = (message, status) => ({
  body: {
    error: { message, type: status === 502 ? 'server_error' : 'invalid_request_error', param: null, code: null },
  },
})

const FORMS: Readonly<Record<WireDialect, Form>> = {
  'anthropic-messages': (message, status) => ({
    body: { type: 'error', error: { type: ANTHROPIC_TYPES[status], message } },
  }),
  'openai-chat': openaiForm,
  'openai-responses': openaiForm,
  'openai-codex': openaiForm,
  gemini: (message, status) => ({ body: { error: { code: status, message, status: GOOGLE_STATUSES[status] } } }),
  'bedrock-converse': (message, status) => ({
    body: { message },
    headers: { 'x-amzn-errortype': AMAZON_TYPES[status] },
  }),
}

const ANTHROPIC_TYPES: Readonly<Record<Status, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  413: 'request_too_large',
  426: 'invalid_request_error',
  502: 'api_error',
}

const GOOGLE_STATUSES: Readonly<Record<Status, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  426: 'FAILED_PRECONDITION',
  502: 'UNAVAILABLE',
}

const AMAZON_TYPES: Readonly<Record<Status, string>> = {
  400: 'ValidationException',
  401: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  413: 'ValidationException',
  426: 'ValidationException',
  502: 'ServiceUnavailableException',
}
