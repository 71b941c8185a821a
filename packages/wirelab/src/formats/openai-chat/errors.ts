import type { HttpAnswer, Refusal } from '../../format.ts'
import { htmlTooLarge } from '../../html-refusal.ts'
import { jsonAnswer } from '../../json-answer.ts'
import { chatTooLong } from '../../overflow-wordings.ts'

/** The answer to a call that is refused. */
export function refusalAnswer(refusal: Refusal): HttpAnswer {
  if (refusal.kind === 'too-many-bytes' && refusal.html) return htmlTooLarge()
  const headers = { 'x-request-id': 'req_wirelab', ...(refusal.kind === 'rate-limit' && { 'retry-after': '0' }) }
  if (refusal.kind === 'rate-limit' && !refusal.body) return { status: 429, headers, body: '' }
  return jsonAnswer(statusOf(refusal), { error: errorOf(refusal) }, headers)
}

function statusOf({ kind }: Refusal): number {
  switch (kind) {
    case 'rate-limit':
      return 429
    case 'too-many-bytes':
      return 413
    case 'overloaded':
      return 503
    case 'not-found':
      return 404
    default:
      return 400
  }
}

/** The `error` object of a refusal, as it stands in a body and in a stream. */
export function errorOf(refusal: Refusal): object {
  switch (refusal.kind) {
    case 'overflow':
      return chatTooLong(refusal)
    case 'rate-limit':
      return {
        message:
          'Rate limit reached for requests in organization org-lab: Limit 3, Used 3, Requested 1. Please try again in 20s.',
        type: 'requests',
        param: null,
        code: 'rate_limit_exceeded',
      }
    case 'overloaded':
      return error('The server is currently overloaded with other requests. Sorry about that!', 'server_error')
    case 'not-found':
      return error(`Invalid URL (POST ${refusal.path})`, 'invalid_request_error')
    case 'too-many-bytes':
      return error('Request body is too large.', 'invalid_request_error')
    case 'reasoning-bound':
      return error(
        'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
        'invalid_request_error',
      )
    case 'invalid':
      return error(refusal.message, 'invalid_request_error', paramOf(refusal.message))
  }
}

/** The field that a message talks of: a place in the messages, else what stands in quotes first. */
function paramOf(message: string): string | null {
  return /messages\.?\[\d+\][\w.[\]]*/.exec(message)?.[0] ?? /'([\w.]+)'/.exec(message)?.[1] ?? null
}

function error(message: string, type: string, param: string | null = null): object {
  return { message, type, param, code: null }
}
