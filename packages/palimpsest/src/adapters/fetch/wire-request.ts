/** One HTTP request, as it came or as it is to be sent. */
export interface WireRequest {
  readonly method: string
  /** Absolute. */
  readonly url: string
  readonly headers: Headers
  /** A stream is read only where the call is one of the model's; a text is sent as UTF-8. */
  readonly body: Uint8Array<ArrayBuffer> | string | ReadableStream<Uint8Array<ArrayBuffer>> | null
  readonly signal?: AbortSignal
}

/** A request whose body is all there. */
export interface WholeRequest extends WireRequest {
  readonly body: Uint8Array<ArrayBuffer> | string
}

/**
 * Sends one request and gives the answer, as `fetch` does: its body is decoded already. `main`: the caller's own call,
 * or the retry of it; `summary`: a call for a summary, whose answer the caller never sees.
 */
export type Send = (request: WireRequest, call: { readonly purpose: 'main' | 'summary' | 'count' }) => Promise<Response>

/** The request with its body read; the same object where there was nothing to read. */
export async function wholeRequest(request: WireRequest): Promise<WholeRequest> {
  const { body } = request
  if (body instanceof ReadableStream) {
    return { ...request, body: new Uint8Array(await new Response(body).arrayBuffer()) }
  }
  return body === null ? { ...request, body: '' } : (request as WholeRequest)
}

/**
 * The request with another body of JSON, in pieces; headers that describe the old one go. `more`: how many bytes more than
 * characters it may have, by a guess: a good one spares a copy of the whole.
 */
export function withBody(request: WireRequest, json: readonly string[], more = 0): WholeRequest {
  const headers = new Headers(request.headers)
  for (const name of [...headers.keys()]) if (describesBody(name)) headers.delete(name)
  return { ...request, headers, body: encoded(json, more) }
}

/** Written straight to where it stays: a body of megabytes is joined nowhere. */
function encoded(pieces: readonly string[], more: number): Uint8Array<ArrayBuffer> {
  const characters = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const bytes = new Uint8Array(characters + more + Math.ceil(characters / 8))
  let at = 0
  for (const piece of pieces) {
    const { read, written } = encoder.encodeInto(piece, bytes.subarray(at))
    if (read < piece.length) return encoder.encode(pieces.join(''))
    at += written
  }
  return bytes.subarray(0, at)
}

/**
 * Is this header about the bytes of the body? Lengths are set anew by whoever sends it; checksums may be left out.
 */
function describesBody(name: string): boolean {
  return BODY_HEADERS.has(name) || name.startsWith('x-amz-checksum-')
}

const BODY_HEADERS: ReadonlySet<string> = new Set([
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'content-digest',
  'repr-digest',
  'digest',
  'content-md5',
  'x-amz-content-sha256',
  'x-amz-sdk-checksum-algorithm',
])

const encoder = new TextEncoder()

/**
 * Does a signature cover the body, so that another body would be refused? By AWS (Signature Version 4, in a header or in
 * the URL) or by HTTP message signatures.
 */
export function isSigned({ headers, url }: WireRequest): boolean {
  if (/^AWS4-/.test(headers.get('authorization') ?? '') || headers.has('signature-input')) return true
  return /[?&]x-amz-signature=/i.test(url)
}
