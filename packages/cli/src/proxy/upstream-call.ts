import * as http from 'node:http'
import * as https from 'node:https'
import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, constants as zlib } from 'node:zlib'
import type { WireRequest } from 'palimpsest/fetch'
import { withoutHopHeaders } from './hop-headers.ts'
import { webStream } from './request-body.ts'

/**
 * Sends requests to upstreams. By Node's own client and not by `fetch`: that one adds headers of its own, gives up after five
 * minutes without an answer, and hides how an answer was encoded.
 */
export class UpstreamClient {
  readonly #agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) }

  /**
   * The answer, once its head is there. `readable`: its body is not encoded, because something reads it on the way; `as-sent`:
   * byte for byte. Rejects where no answer comes.
   */
  async send(request: WireRequest, body: 'readable' | 'as-sent'): Promise<Response> {
    const headers = requestHeaders(request, body)
    const answer = await this.#exchange(request, headers)
    return responseOf(answer, body)
  }

  /** Ends connections that wait for use. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  async #exchange(request: WireRequest, headers: http.OutgoingHttpHeaders): Promise<http.IncomingMessage> {
    try {
      return await this.#attempt(request, headers)
    } catch (error) {
      // the server had ended a connection that was kept for use: nothing of the request was read
      if (!(error instanceof StaleConnection) || request.body instanceof ReadableStream) throw error
      return this.#attempt(request, headers)
    }
  }

  #attempt(request: WireRequest, headers: http.OutgoingHttpHeaders): Promise<http.IncomingMessage> {
    const { method, url, body, signal } = request
    const isSecure = url.startsWith('https:')
    const options = {
      method,
      headers,
      agent: this.#agents[isSecure ? 'https:' : 'http:'],
      ...(signal !== undefined && { signal }),
    }
    return new Promise((resolve, reject) => {
      const sent = isSecure ? https.request(url, options, resolve) : http.request(url, options, resolve)
      sent.on('error', (cause: NodeJS.ErrnoException) => {
        const isStale = sent.reusedSocket && /^(?:ECONNRESET|EPIPE)$/.test(cause.code ?? '')
        reject(isStale ? new StaleConnection('The upstream ended the connection.', { cause }) : cause)
      })
      // after an answer this changes nothing; one that wants another protocol (101) is none, and ends without an error
      sent.once('close', () => reject(new NoAnswer('The upstream ended the connection without an answer.')))
      if (body instanceof ReadableStream)
        pipeline(Readable.fromWeb(body as never), sent, (error) => error && reject(error))
      else sent.end(body ?? undefined)
    })
  }
}

class StaleConnection extends Error {}

class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

function requestHeaders(
  { headers: given, body }: WireRequest,
  wanted: 'readable' | 'as-sent',
): http.OutgoingHttpHeaders {
  const headers: http.OutgoingHttpHeaders = Object.fromEntries(withoutHopHeaders(given))
  delete headers.host
  if (wanted === 'readable') headers['accept-encoding'] = 'identity'
  if (body instanceof ReadableStream) return headers
  delete headers['content-length']
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : (body?.length ?? 0)
  return bytes === 0 ? headers : { ...headers, 'content-length': bytes }
}

function responseOf(answer: http.IncomingMessage, wanted: 'readable' | 'as-sent'): Response {
  const headers = new Headers()
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] as string, answer.rawHeaders[at + 1] as string)
  }
  const kept = new Headers(withoutHopHeaders(headers))
  const status = answer.statusCode ?? 502
  const source = wanted === 'readable' ? decodedBody(answer, kept) : answer
  return new Response(BODILESS.has(status) ? null : webStream(source), {
    status,
    statusText: answer.statusMessage ?? '',
    headers: kept,
  })
}

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

/** Some servers encode what nobody asked them to encode. */
function decodedBody(answer: http.IncomingMessage, headers: Headers): Readable {
  const decoder = DECODERS[(headers.get('content-encoding') ?? '').trim().toLowerCase()]?.()
  if (decoder === undefined || headers.get('content-length') === '0') return answer
  headers.delete('content-encoding')
  headers.delete('content-length')
  return pipeline(answer, decoder, () => {})
}

/** Pieces come out as they come in: a stream must not wait for a full block. One that ends too early is an error. */
const DECODERS: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
  gzip: () => createGunzip({ flush: zlib.Z_SYNC_FLUSH }),
  'x-gzip': () => createGunzip({ flush: zlib.Z_SYNC_FLUSH }),
  deflate: () => createInflate({ flush: zlib.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ flush: zlib.BROTLI_OPERATION_FLUSH }),
}
