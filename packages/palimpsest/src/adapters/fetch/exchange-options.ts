import type { CompactorOptions } from '../../compactor/compactor.ts'
import type { PalimpsestError } from '../../engine/errors.ts'
import type { Summarizer } from '../../summarizers/summarizer.ts'
import type { ContentDecoder } from './content-decoding.ts'

/** How calls over HTTP are kept inside their windows. Everything has a default. */
export interface WireExchangeOptions
  extends Omit<CompactorOptions, 'dialect' | 'summarizer' | 'namespace' | 'upstream' | 'countTokens' | 'counter'> {
  /**
   * Who writes summaries. `model`: the model of the call itself, asked at the same server with the caller's own headers;
   * `{ model }`: another model there, cheaper say. Both have 45 seconds, then the deterministic summariser writes.
   * `extractive`: that one alone, without any call. Default `model`.
   */
  readonly summarizer?: 'model' | 'extractive' | { readonly model: string } | Summarizer
  /**
   * When the server is asked to count a request exactly, where its API can (Anthropic, Responses, Gemini, Bedrock): `near`
   * the trigger, or `always`. One more call, of 5 seconds at most. Default `off`: usage calibrates the estimates.
   */
  readonly counter?: 'off' | 'near' | 'always'
  /** Names the conversation of a call. Default: it is found by its content. */
  readonly session?: (call: CallFacts) => string | undefined
  /**
   * Whose conversations these are: two namespaces never share anything. Default: one for each credential, named by a
   * digest of it.
   */
  readonly namespace?: string | ((call: CallFacts) => string)
  /** Decodes bodies of requests. Default: gzip and deflate; brotli where the runtime knows it. */
  readonly decode?: ContentDecoder
  /**
   * Milliseconds for which a stream that has begun is held back while it has no content, headers and pings included, so
   * that an overflow in it can still be answered by a retry. Then the caller gets what there is and all that follows: a
   * later overflow is passed on and marks the conversation. Answers that are no streams, and errors, are held for as long
   * at most, and up to 8 MB (errors: 1 MB); a longer one passes as it comes, whatever it says. Default 30,000, less than
   * clients wait for headers.
   */
  readonly holdMilliseconds?: number
  /** Hears of calls that could not be looked after. */
  readonly onWarning?: (warning: WireWarning) => void
}

/** What is known of a call before it is prepared. */
export interface CallFacts {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  /** The parsed body; not to be changed. */
  readonly body: unknown
}

/**
 * A call that went on as it came. `signed-request`: a signature covers its body (told once); `unread-body`: the body could
 * not be decoded or is no JSON; `not-prepared`: something failed on the way.
 */
export interface WireWarning {
  readonly type: 'signed-request' | 'unread-body' | 'not-prepared'
  /** Without keys and passwords. */
  readonly url: string
  readonly error: PalimpsestError
}
