import type { HttpAnswer, Refusal, StreamPiece } from '../../format.ts'
import { htmlTooLarge } from '../../html-refusal.ts'
import { jsonAnswer } from '../../json-answer.ts'
import { MODEL_ERRORS } from './breach.ts'
import { exceptionFrame } from './frames.ts'
import { boundMessage } from './reasoning-rules.ts'

interface Exception {
  readonly status: number
  readonly type: string
  readonly message: string
}

/** The answer to a refused call: the type of the exception stands in a header. */
export function converseRefusal(refusal: Refusal): HttpAnswer {
  if (refusal.kind === 'too-many-bytes' && refusal.html) return htmlTooLarge()
  const { status, type, message } = exception(refusal)
  const headers = { 'x-amzn-ErrorType': type }
  if (refusal.kind === 'rate-limit' && !refusal.body) return { status, headers, body: '' }
  return jsonAnswer(status, { message }, headers)
}

/** The same inside a stream that began well. */
export function converseFailure(refusal: Refusal): StreamPiece {
  const { type, message } = exception(refusal)
  const known = STREAM_EXCEPTIONS.includes(type) ? type : 'ModelStreamErrorException'
  return exceptionFrame(known.charAt(0).toLowerCase() + known.slice(1), message)
}

/** Exceptions that the stream's schema names. */
const STREAM_EXCEPTIONS = ['ValidationException', 'ThrottlingException', 'ServiceUnavailableException']

function exception(refusal: Refusal): Exception {
  switch (refusal.kind) {
    case 'invalid':
      return validation(refusal.message)
    case 'overflow':
      return validation(`${MODEL_ERRORS}prompt is too long: ${refusal.tokens} tokens > ${refusal.window} maximum`)
    case 'rate-limit':
      return {
        status: 429,
        type: 'ThrottlingException',
        message: 'Too many requests, please wait before trying again.',
      }
    case 'too-many-bytes':
      return { status: 413, type: 'RequestEntityTooLargeException', message: 'The request is too large.' }
    case 'overloaded':
      return {
        status: 503,
        type: 'ServiceUnavailableException',
        message: 'Bedrock is unable to process your request.',
      }
    case 'reasoning-bound':
      return validation(boundMessage('messages.1.content.0'))
    case 'not-found':
      return { status: 404, type: 'UnknownOperationException', message: `No operation at ${refusal.path}` }
  }
}

function validation(message: string): Exception {
  return { status: 400, type: 'ValidationException', message }
}
