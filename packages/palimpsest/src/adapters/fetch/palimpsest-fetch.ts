import type { WireExchangeOptions } from './exchange-options.ts'
import { wireExchange } from './wire-exchange.ts'
import type { Send, WireRequest } from './wire-request.ts'

export interface PalimpsestFetchOptions extends WireExchangeOptions {
  /** What sends. Default: `globalThis.fetch`, as it is at the time of the call. */
  readonly fetch?: typeof globalThis.fetch
}

type Fetch = typeof globalThis.fetch
type Input = Parameters<Fetch>[0]
type Init = NonNullable<Parameters<Fetch>[1]>

/**
 * A `fetch` for any SDK that takes one: conversations stay inside the model's window, everything else passes as it came.
 * One for the whole process: it knows the conversations that went through it.
 *
 * @throws PalimpsestError `invalid-input` for options that no call could be prepared with.
 * @example
 * const client = new OpenAI({ fetch: palimpsestFetch() })
 */
export function palimpsestFetch(options: PalimpsestFetchOptions = {}): Fetch {
  const { fetch: given, ...rest } = options
  const exchange = wireExchange(rest)
  return async (input: Input, init: Init = {}) => {
    const next = given ?? globalThis.fetch
    const own = wireRequestOf(input, init)
    if (own === undefined) return next(input, init)
    const send: Send = (request, { purpose }) => {
      if (request === own) return next(input, init)
      return purpose === 'main' ? sendChanged(next, { input, init }, request) : next(request.url, requestInit(request))
    }
    return exchange(own, send)
  }
}

/** The request that these arguments make; undefined where its body is of a kind that no model's call has. */
function wireRequestOf(input: Input, init: Init): WireRequest | undefined {
  const from = input instanceof Request ? input : undefined
  const body = init.body ?? from?.body ?? null
  if (!isReadable(body)) return undefined
  const url = from?.url ?? absolute(String(input))
  if (url === undefined) return undefined
  const signal = init.signal ?? from?.signal
  return {
    method: init.method ?? from?.method ?? 'GET',
    url,
    headers: new Headers(init.headers ?? from?.headers),
    body: ownBytes(body),
    ...(signal && { signal }),
  }
}

function absolute(url: string): string | undefined {
  try {
    return new URL(url, (globalThis as { location?: { href?: string } }).location?.href).href
  } catch {
    return undefined
  }
}

type Body = ArrayBufferView<ArrayBuffer> | ArrayBuffer | Blob | string | ReadableStream | null

function isReadable(body: unknown): body is Body {
  if (body === null || typeof body === 'string') return true
  return [ArrayBuffer, Blob, ReadableStream].some((kind) => body instanceof kind) || ArrayBuffer.isView(body)
}

function ownBytes(body: Body): WireRequest['body'] {
  if (body === null || typeof body === 'string' || body instanceof ReadableStream) return body
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  return body instanceof Blob ? body.stream() : new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
}

/** With all that the caller's arguments say beside the body and its headers. */
function sendChanged(
  next: Fetch,
  { input, init }: { readonly input: Input; readonly init: Init },
  request: WireRequest,
): Promise<Response> {
  const own = { ...init, ...requestInit(request) }
  // its body may be used up by now: this one takes its place
  return input instanceof Request ? next(new Request(input, own)) : next(request.url, own)
}

function requestInit({ method, headers, body, signal }: WireRequest): Init {
  const init: Init = { method, headers, ...(signal !== undefined && { signal }) }
  if (body === null || body === '') return init
  return body instanceof ReadableStream ? ({ ...init, body, duplex: 'half' } as Init) : { ...init, body }
}
