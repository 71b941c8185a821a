import type { Prepared } from '../../compactor/compactor.ts'
import type { OverflowFacts } from '../../dialects/dialect.ts'
import { isErrorEvent } from '../../dialects/stream-reader.ts'
import { parsedOrText } from '../../wire/stream-events.ts'
import { boundedText } from './bounded-text.ts'
import { HeldStream } from './held-stream.ts'
import type { ModelCall } from './model-call.ts'
import { streamEventsOf } from './stream-events.ts'

/** What an upstream answer means: it is the caller's, or the request was too large and nothing of it was shown yet. */
export type Verdict =
  | { readonly kind: 'answer'; readonly response: Response }
  | {
      readonly kind: 'overflow'
      readonly facts: OverflowFacts
      /** What the caller gets where no further attempt is made. */
      readonly response: Response
      /** The next attempt. @throws ContextOverflowError where there is none. */
      next(): Promise<Prepared<unknown> | undefined>
      /** Gives the answer up. */
      discard(): Promise<void>
    }

/** Refusals are a few lines; what is longer is a gateway's page, or never ends. */
const MAX_ERROR_BYTES = 1024 * 1024

/** A whole answer with more has pictures or sound in it. */
const MAX_WHOLE_BYTES = 8 * 1024 * 1024

/**
 * Judges an answer before the caller sees anything of it. Bytes, status and headers stay as they came. One that is larger
 * than its bound, or not there after `holdMilliseconds`, is the caller's without a judgement.
 */
export async function judgeAnswer(
  response: Response,
  prepared: Prepared<unknown>,
  call: ModelCall,
  holdMilliseconds: number,
): Promise<Verdict> {
  if (!response.ok) return judgeFailure(response, prepared, holdMilliseconds)
  const events = streamEventsOf(response, call)
  if (events === undefined || response.body === null) return judgeWhole(response, prepared, holdMilliseconds)
  const stream = new HeldStream(response.body, { events, reader: call.dialect.reader(), prepared, holdMilliseconds })
  const facts = await stream.hold()
  const shown = sameButBody(response, stream.passing())
  if (facts === undefined) return { kind: 'answer', response: shown }
  return {
    kind: 'overflow',
    facts,
    response: shown,
    next: () => prepared.recoverFrom(facts),
    discard: () => stream.discard(),
  }
}

async function judgeFailure(response: Response, prepared: Prepared<unknown>, milliseconds: number): Promise<Verdict> {
  const text = await boundedText(response, { maxBytes: MAX_ERROR_BYTES, milliseconds })
  if (text === undefined) return { kind: 'answer', response }
  const failure = {
    status: response.status,
    name: response.headers.get('x-amzn-errortype') ?? undefined,
    body: parsedOrText(text),
  }
  const facts = prepared.overflow(failure)
  return facts === undefined
    ? { kind: 'answer', response }
    : overflowOf(response, facts, () => prepared.recover(failure))
}

/** An answer that is no stream: read to its end before the caller gets it. */
async function judgeWhole(response: Response, prepared: Prepared<unknown>, milliseconds: number): Promise<Verdict> {
  const type = response.headers.get('content-type')
  if (response.body === null || (type !== null && !/json/i.test(type))) return { kind: 'answer', response }
  const text = await boundedText(response, { maxBytes: MAX_WHOLE_BYTES, milliseconds })
  const facts = text === undefined ? undefined : factsIn(parsedOrText(text), prepared)
  prepared.done()
  if (facts === undefined) return { kind: 'answer', response }
  return overflowOf(response, facts, () => prepared.recoverFrom(facts))
}

/** Gateways and failed responses tell an error with a good status. */
function factsIn(answer: unknown, prepared: Prepared<unknown>): OverflowFacts | undefined {
  return prepared.observe(answer) ?? (isErrorEvent(answer) ? prepared.overflow(answer) : undefined)
}

function overflowOf(
  response: Response,
  facts: OverflowFacts,
  next: () => Promise<Prepared<unknown> | undefined>,
): Verdict {
  return { kind: 'overflow', facts, response, next, discard: async () => response.body?.cancel() }
}

/** The response with another body, and with one more header where there is one to tell. */
export function sameButBody(
  response: Response,
  body: ReadableStream<Uint8Array> | null,
  header?: readonly [string, string],
): Response {
  const headers = new Headers(response.headers)
  if (header !== undefined) headers.set(...header)
  const same = new Response(body as ReadableStream<Uint8Array<ArrayBuffer>> | null, {
    status: response.status,
    statusText: response.statusText,
    headers,
  })
  Object.defineProperty(same, 'url', { value: response.url })
  return same
}
