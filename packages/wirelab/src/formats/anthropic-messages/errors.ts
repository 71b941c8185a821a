import type { HttpAnswer, Refusal } from '../../format.ts'
import { boundMessage } from './thinking-binding.ts'

const REQUEST_ID = 'req_011wirelab'

/** An error body as this API writes it. */
export function errorBody(type: string, message: string): object {
  return { type: 'error', error: { type, message }, request_id: REQUEST_ID }
}

/** The answer to a call that is refused. */
export function refusalAnswer(refusal: Refusal): HttpAnswer {
  if (refusal.kind === 'too-many-bytes' && refusal.html) return htmlTooLarge()
  if (refusal.kind === 'rate-limit' && !refusal.body) {
    return { status: 429, headers: { 'retry-after': '0' }, body: '' }
  }
  const { status, type, message } = refusalError(refusal)
  const headers = {
    'content-type': 'application/json',
    'request-id': REQUEST_ID,
    ...(status === 429 && { 'retry-after': '0' }),
  }
  return { status, headers, body: JSON.stringify(errorBody(type, message)) }
}

/** Status, type and words of a refusal. */
export function refusalError(refusal: Refusal): { status: number; type: string; message: string } {
  switch (refusal.kind) {
    case 'invalid':
      return { status: 400, type: 'invalid_request_error', message: refusal.message }
    case 'overflow':
      return { status: 400, type: 'invalid_request_error', message: overflowMessage(refusal) }
    case 'rate-limit':
      return {
        status: 429,
        type: 'rate_limit_error',
        message: 'This request would exceed the rate limit of your organization of 40,000 input tokens per minute.',
      }
    case 'too-many-bytes':
      return { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' }
    case 'overloaded':
      return { status: 529, type: 'overloaded_error', message: 'Overloaded' }
    case 'reasoning-bound':
      return { status: 400, type: 'invalid_request_error', message: boundMessage('messages.1.content.0') }
    case 'not-found':
      return { status: 404, type: 'not_found_error', message: `Not found: ${refusal.path}` }
  }
}

function overflowMessage(refusal: Extract<Refusal, { kind: 'overflow' }>): string {
  const { tokens, window, output } = refusal
  if (tokens > window) return `prompt is too long: ${tokens} tokens > ${window} maximum`
  return (
    `input length and \`max_tokens\` exceed context limit: ${tokens} + ${output} > ${window}, ` +
    'decrease input length or `max_tokens` and try again'
  )
}

/** What the proxy before the API says when a body is too large: it never reaches the API. */
function htmlTooLarge(): HttpAnswer {
  const title = '413 Request Entity Too Large'
  return {
    status: 413,
    headers: { 'content-type': 'text/html' },
    body: `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`,
  }
}
