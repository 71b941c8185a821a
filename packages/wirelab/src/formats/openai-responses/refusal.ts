import type { HttpAnswer, Refusal, StreamPiece } from '../../format.ts'
import { htmlTooLarge } from '../../html-refusal.ts'
import { jsonAnswer } from '../../json-answer.ts'
import { serverSentEvent } from '../../server-sent-events.ts'

/** An error as the API words it. */
interface ApiError {
  readonly status: number
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string | null
}

/** The answer to a refused call. */
export function responsesRefusal(refusal: Refusal): HttpAnswer {
  if (refusal.kind === 'too-many-bytes' && refusal.html) return htmlTooLarge()
  const { status, ...error } = apiError(refusal)
  const headers = status === 429 ? { 'retry-after': '0' } : {}
  if (refusal.kind === 'rate-limit' && !refusal.body) return { status, headers, body: '' }
  return jsonAnswer(status, { error }, headers)
}

/** The same from the Codex backend: a refused parameter is only a `detail`, a spent plan has a type of its own. */
export function codexRefusal(refusal: Refusal): HttpAnswer {
  if (refusal.kind === 'invalid' && refusal.rule === 'codex-parameter')
    return jsonAnswer(400, { detail: refusal.message })
  if (refusal.kind === 'not-found') return jsonAnswer(404, { detail: 'Not Found' })
  if (refusal.kind === 'rate-limit' && refusal.body) {
    const error = { type: 'usage_limit_reached', message: 'The usage limit has been reached', resets_in_seconds: 0 }
    return jsonAnswer(429, { error }, { 'retry-after': '0' })
  }
  return responsesRefusal(refusal)
}

/** A failure inside a stream. Its number in the sequence is not known here; clients do not read it of a failure. */
export function responsesFailure(refusal: Refusal): StreamPiece {
  const { code, type, message, param } = apiError(refusal)
  const named = code ?? type
  if (refusal.kind === 'overloaded') {
    return serverSentEvent({ type: 'error', code: named, message, param, sequence_number: 0 }, { event: 'error' })
  }
  const response = {
    id: 'resp_lab_failed',
    object: 'response',
    status: 'failed',
    error: { code: named, message },
    output: [],
    usage: null,
  }
  return serverSentEvent({ type: 'response.failed', sequence_number: 0, response }, { event: 'response.failed' })
}

const INVALID = { status: 400, type: 'invalid_request_error', param: 'input', code: null } as const

function apiError(refusal: Refusal): ApiError {
  switch (refusal.kind) {
    case 'invalid':
      return { ...INVALID, ...INVALID_BY_RULE[refusal.rule], message: refusal.message }
    case 'overflow':
      return {
        ...INVALID,
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
        code: 'context_length_exceeded',
      }
    case 'rate-limit':
      return {
        status: 429,
        message: 'Rate limit reached for requests per min (RPM): Limit 500, Used 500, Requested 1. Try again in 120ms.',
        type: 'requests',
        param: null,
        code: 'rate_limit_exceeded',
      }
    case 'too-many-bytes':
      return {
        ...INVALID,
        status: 413,
        message: 'The request body is too large.',
        param: null,
        code: 'request_too_large',
      }
    case 'overloaded':
      return {
        status: 503,
        message: 'The server is overloaded or not ready yet. Please try again later.',
        type: 'server_error',
        param: null,
        code: 'server_is_overloaded',
      }
    case 'reasoning-bound':
      return {
        ...INVALID,
        message:
          'The encrypted content gAAA...AA== could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
        param: null,
        code: 'invalid_encrypted_content',
      }
    case 'not-found':
      return { ...INVALID, status: 404, message: `Invalid URL (POST ${refusal.path})`, param: null }
  }
}

/** Where the error body says more than `param: input`. */
const INVALID_BY_RULE: Readonly<Record<string, Partial<ApiError>>> = {
  body: { param: null },
  'missing-parameter': { param: null, code: 'missing_required_parameter' },
  'input-type': { code: 'invalid_type' },
  'item-type': { code: 'invalid_value' },
  'item-fields': { code: 'missing_required_parameter' },
  'item-id': { code: 'invalid_value' },
  'content-type': { code: 'invalid_value' },
  'encrypted-content': { param: null, code: 'invalid_encrypted_content' },
  'not-persisted': { status: 404 },
}
