import type { Call, WireFormat } from './format.ts'

/** A request as it came in. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  readonly bodyText: string
  /** Undefined: no body, or no JSON. */
  readonly body: unknown
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
}

/** A request with the API that it is for. */
export interface RoutedRequest {
  readonly seen: SeenRequest
  readonly format: WireFormat
  readonly call: Call
}

/** Reads a request whole. */
export async function readRequest(request: Request): Promise<SeenRequest> {
  const { pathname, searchParams } = new URL(request.url)
  const bodyText = await request.text()
  return {
    method: request.method,
    path: pathname,
    query: searchParams,
    headers: Object.fromEntries(request.headers),
    bodyText,
    body: parsed(bodyText),
    signal: request.signal,
  }
}

/** The first format that takes a request of this path. */
export function routeRequest(seen: SeenRequest, formats: readonly WireFormat[]): RoutedRequest | undefined {
  for (const format of formats) {
    const call = format.route(seen.method, seen.path, seen.query, seen.body)
    if (call !== undefined) return { seen, format, call }
  }
  return undefined
}

/** The format in whose words a path is refused that none of them knows. */
export function formatNear(path: string, formats: readonly WireFormat[]): WireFormat | undefined {
  const name = NEAR.find(([start]) => path.startsWith(start))?.[1] ?? 'openai-chat'
  return formats.find((format) => format.name === name) ?? formats[0]
}

const NEAR: readonly (readonly [string, WireFormat['name']])[] = [
  ['/v1/messages', 'anthropic-messages'],
  ['/v1/responses', 'openai-responses'],
  ['/v1beta/', 'gemini'],
  ['/model/', 'bedrock-converse'],
]

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
