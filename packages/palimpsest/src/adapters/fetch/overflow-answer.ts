import type { PalimpsestError } from '../../engine/errors.ts'
import type { WireDialect } from '../../wire/routes.ts'
import { sameButBody } from './verdict.ts'

/** The header of an answer that no further attempt could mend: what was tried and what would help. */
export const ERROR_HEADER = 'x-palimpsest-error'

/** The provider's own last word, byte for byte, with a header that says what to do. */
export function explained(response: Response, error: PalimpsestError): Response {
  return sameButBody(response, response.body, [ERROR_HEADER, headerText(error)])
}

/**
 * The answer to a request that was not sent, in the provider's own form, so that a client takes it for what it would have
 * answered: its SDK raises its own error, and its own overflow handling recognises the words.
 */
export function overflowAnswer(dialect: WireDialect, error: PalimpsestError): Response {
  const { words, body, headers } = FORMS[dialect]
  const hint = error.hint === undefined ? '' : ` ${error.hint}`
  return new Response(JSON.stringify(body(`${words}${error.message}${hint}`)), {
    status: 400,
    headers: { 'content-type': 'application/json', ...headers, [ERROR_HEADER]: headerText(error) },
  })
}

interface ErrorForm {
  /** How the provider itself begins. */
  readonly words: string
  body(message: string): unknown
  readonly headers?: Readonly<Record<string, string>>
}

const OPENAI: ErrorForm = {
  words: 'Your input exceeds the context window of this model. ',
  body: (message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: 'context_length_exceeded' },
  }),
}

const FORMS: Readonly<Record<WireDialect, ErrorForm>> = {
  'anthropic-messages': {
    words: 'prompt is too long: ',
    body: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  },
  'openai-chat': OPENAI,
  'openai-responses': OPENAI,
  'openai-codex': OPENAI,
  gemini: {
    words: 'The input token count exceeds the maximum number of tokens allowed. ',
    body: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  },
  'bedrock-converse': {
    words: 'Input is too long for requested model. ',
    body: (message) => ({ message }),
    headers: { 'x-amzn-errortype': 'ValidationException' },
  },
}

const MAX_HEADER_CHARACTERS = 500

/** Headers take printable ASCII. */
function headerText({ message, hint }: PalimpsestError): string {
  const text = hint === undefined ? message : `${message} ${hint}`
  return text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, MAX_HEADER_CHARACTERS)
    .trim()
}
