import { APICallError, LoadAPIKeyError } from '@ai-sdk/provider'
import { BrokenStream } from './broken-stream.ts'

/** What an error of an SDK, or an error part of a stream, tells. */
export interface FailureFacts {
  /** The HTTP status; inside a stream what the type of the error stands for. */
  readonly status: number | undefined
  /** The provider's types and codes, in lower case. */
  readonly words: string
  /** What it says, as it came. */
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly host: string | undefined
  /** The code of a connection that failed, `ECONNREFUSED` say. */
  readonly network: string | undefined
  /** What was sent: nothing of it may be said again. */
  readonly request: unknown
  /** Did an answer begin? What is wrong with a request is said before. */
  readonly begun: boolean
  /** Did a stream of ours end too early? */
  readonly broken: boolean
}

const NOTHING: FailureFacts = {
  status: undefined,
  words: '',
  message: '',
  headers: {},
  body: '',
  host: undefined,
  network: undefined,
  request: undefined,
  begun: false,
  broken: false,
}

/** Reads whatever a model call threw, or a stream held. */
export function failureFacts(error: unknown): FailureFacts {
  const api = causesOf(error).find((one) => APICallError.isInstance(one))
  const network = networkCode(error)
  const broken = causesOf(error).some((one) => one instanceof BrokenStream)
  if (APICallError.isInstance(api)) return { ...apiFacts(api), network, broken }
  if (LoadAPIKeyError.isInstance(error)) return { ...NOTHING, status: 401, message: error.message }
  if (error instanceof Error)
    return { ...NOTHING, message: error.message, words: error.name.toLowerCase(), network, broken }
  return streamFacts(error)
}

function apiFacts(error: APICallError): Omit<FailureFacts, 'network' | 'broken'> {
  const body = error.responseBody ?? ''
  const answer = body.length < LONGEST_BODY ? parsed(body) : undefined
  const words = `${wordsOf(error.data)} ${wordsOf(answer)}`
  // an answer that began well and broke has the status of its beginning
  const begun = error.statusCode !== undefined && error.statusCode < 400
  return {
    status: begun ? statusOf(words) : (error.statusCode ?? statusOf(words)),
    begun,
    words,
    message: messageIn(answer) ?? error.message,
    headers: error.responseHeaders ?? {},
    body,
    host: URL.canParse(error.url) ? new URL(error.url).host : undefined,
    request: error.requestBodyValues,
  }
}

/** Characters of an error's body that are worth reading. */
const LONGEST_BODY = 10_000

/** Error parts are texts, or the provider's own objects, one in the other. */
function streamFacts(error: unknown): FailureFacts {
  const words = wordsOf(error)
  const message = typeof error === 'string' ? error : (messageIn(error) ?? '')
  return { ...NOTHING, status: statusOf(words), words, message, begun: error !== undefined }
}

/** The error, and what caused it. */
export function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = []
  for (let at = error; at instanceof Error && causes.length < 8; at = at.cause) causes.push(at)
  return causes
}

function networkCode(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    const code = (cause as { readonly code?: unknown }).code
    if (typeof code === 'string' && /^(?:E[A-Z_]+|UND_ERR_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/.test(code)) return code
    const text = (cause as Error).message
    if (/socket hang up|other side closed|^terminated$|premature close/i.test(text)) return 'ECONNRESET'
  }
  return undefined
}

const DEPTH = 4

/** All types, codes and statuses that stand in it. */
function wordsOf(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null || depth > DEPTH) return ''
  const own = ['type', 'code', 'status', 'reason', '__type'].map((key) => (value as Record<string, unknown>)[key])
  const said = own.filter((word) => typeof word === 'string' || typeof word === 'number').join(' ')
  const inner = ['error', 'response'].map((key) => wordsOf((value as Record<string, unknown>)[key], depth + 1))
  return [said, ...inner].join(' ').toLowerCase().trim()
}

function messageIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string' && depth > 0) return value
  if (typeof value !== 'object' || value === null || depth > DEPTH) return undefined
  const { message, detail, error, response } = value as Record<string, unknown>
  const inner = [message, detail, error, response].map((one) => messageIn(one, depth + 1))
  return inner.find((one) => one !== undefined)
}

/** Inside a stream there is no status; the type of the error says which it would have been. */
function statusOf(words: string): number | undefined {
  const stated = /(?:^| )([45]\d\d)(?: |$)/.exec(words)?.[1]
  if (stated !== undefined) return Number(stated)
  return STATUS_OF.find(([pattern]) => pattern.test(words))?.[1]
}

const STATUS_OF: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|throttl|too_many_requests|resource_exhausted|insufficient_quota|usage_limit/, 429],
  [/overload/, 529],
  [/unavailable/, 503],
  [/timeout|deadline/, 504],
  [/authentication|unauthenticated|invalid_api_key/, 401],
  [/permission|forbidden/, 403],
  [/not_found/, 404],
  [/invalid|validation/, 400],
  [/api_error|server_error|internal|server_exception|modelstreamerror/, 500],
]

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
