import type { HttpAnswer, Refusal } from '../../format.ts'
import { htmlTooLarge } from '../../html-refusal.ts'
import { jsonAnswer } from '../../json-answer.ts'

/** An error as Google's APIs write it. */
export interface GoogleError {
  readonly code: number
  readonly message: string
  readonly status: string
  readonly details?: readonly object[]
}

/** The answer to a refused call. `wrap`: what the JSON of an error stands in. */
export function geminiRefusal(refusal: Refusal, wrap = (body: object): object => body): HttpAnswer {
  if (refusal.kind === 'too-many-bytes' && refusal.html) return htmlTooLarge()
  const error = googleError(refusal)
  if (refusal.kind === 'rate-limit' && !refusal.body) return { status: 429, headers: {}, body: '' }
  return jsonAnswer(error.code, wrap({ error }))
}

/** A refusal in the words of this API. */
export function googleError(refusal: Refusal): GoogleError {
  switch (refusal.kind) {
    case 'invalid':
      return invalidArgument(refusal.message)
    case 'overflow':
      return invalidArgument(
        `The input token count (${refusal.tokens}) exceeds the maximum number of tokens allowed (${refusal.window}).`,
      )
    case 'rate-limit':
      return {
        code: 429,
        message: 'You exceeded your current quota, please check your plan and billing details. Please retry in 0s.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0s' }],
      }
    case 'too-many-bytes':
      return invalidArgument('Request payload size exceeds the limit: 20971520 bytes.')
    case 'overloaded':
      return { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' }
    case 'reasoning-bound':
      return invalidArgument('Corrupted thought signature.')
    case 'not-found':
      return { code: 404, message: `The requested URL ${refusal.path} was not found.`, status: 'NOT_FOUND' }
  }
}

function invalidArgument(message: string): GoogleError {
  return { code: 400, message, status: 'INVALID_ARGUMENT' }
}
