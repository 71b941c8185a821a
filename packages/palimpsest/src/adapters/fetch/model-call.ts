import type { Dialect } from '../../dialects/dialect.ts'
import { dialectByName, openaiResponses } from '../../dialects/index.ts'
import { isObject } from '../../dialects/json-fields.ts'
import { type JsonSource, parseJson } from '../../engine/json/json-source.ts'
import { splicedPieces } from '../../engine/json/splice.ts'
import type { ContentDecoder } from './content-decoding.ts'
import { type Envelope, type ModelRoute, openEnvelope } from './request-envelope.ts'
import { type WholeRequest, withBody } from './wire-request.ts'

/** One call of a model, read. */
export interface ModelCall {
  /** As it came. */
  readonly request: WholeRequest
  readonly route: ModelRoute
  readonly dialect: Dialect<unknown, object>
  readonly source: JsonSource
  readonly envelope: Envelope
  /** The model, where the path or the envelope names it and the native request does not. */
  readonly model: string | undefined
  /** Is a stream asked for? */
  readonly stream: boolean
}

/**
 * The call that this request makes; undefined where its body is none of the format that the URL promises.
 * @throws PalimpsestError `invalid-input` for a body that cannot be decoded or is no JSON.
 */
export async function readModelCall(
  request: WholeRequest,
  route: ModelRoute,
  decode: ContentDecoder,
): Promise<ModelCall | undefined> {
  const source = parseJson(await bodyText(request, decode))
  const dialect = dialectByName(route.dialect)
  if (!isObject(source.value)) return undefined
  const envelope = openEnvelope(route, source.value)
  if (!recognises(dialect, envelope.native)) return undefined
  const named = 'model' in route ? route.model : undefined
  const outer = envelope.native === source.value ? undefined : source.value.model
  return {
    request,
    route,
    dialect,
    source,
    envelope,
    model: named ?? (typeof outer === 'string' ? outer : undefined),
    stream: ('stream' in route ? route.stream : undefined) ?? source.value.stream === true,
  }
}

async function bodyText({ body, headers }: WholeRequest, decode: ContentDecoder): Promise<string> {
  const encoding = headers.get('content-encoding') ?? undefined
  if (typeof body === 'string' && encoding === undefined) return body
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return decoder.decode(encoding === undefined ? bytes : await decode(bytes, encoding))
}

/** Malformed UTF-8 would not come out as it went in. */
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Codex takes what Responses takes; how it differs is for its check to say. */
function recognises(dialect: Dialect<unknown, object>, native: object): boolean {
  const reader = dialect.name === 'openai-codex' ? openaiResponses : dialect
  return reader.recognises(native) > 0
}

/** The call's request with this native request in it: untouched parts keep their bytes. */
export function requestWith({ request, source, envelope }: ModelCall, native: object): WholeRequest {
  const more = Math.max(0, request.body.length - source.text.length)
  return withBody(request, splicedPieces(source, envelope.close(native)), more)
}
