import type { HttpAnswer, Refusal } from '../../format.ts'
import { htmlTooLarge } from '../../html-refusal.ts'
import { anthropicTooLong } from '../../overflow-wordings.ts'
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
      return { status: 400, type: 'invalid_request_error', message: anthropicTooLong(refusal) }
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
