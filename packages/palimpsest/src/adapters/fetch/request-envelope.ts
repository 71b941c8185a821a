import { isObject } from '../../dialects/json-fields.ts'
import { derive } from '../../engine/json/derive.ts'
import type { Route } from '../../wire/routes.ts'

/** A call of the model, by its URL. */
export type ModelRoute = Extract<Route, { kind: 'generate' | 'count' | 'compact' }>

/** The native request of a dialect, and the body around it. */
export interface Envelope {
  readonly native: object
  /** The body with another native request; shares structure, and the same one gives the same body. */
  close(native: object): object
}

/** Some bodies wrap the request of their format: Code Assist, and the count calls of Gemini and Bedrock. */
export function openEnvelope(route: ModelRoute, body: object): Envelope {
  for (const path of WRAPPERS[`${route.kind} ${route.dialect}`] ?? []) {
    const envelope = openAt(path, body)
    if (envelope !== undefined) return envelope
  }
  return { native: body, close: (native) => native }
}

const WRAPPERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'generate gemini': [['request']],
  'count gemini': [['generateContentRequest'], ['request']],
  'count bedrock-converse': [['input', 'converse']],
}

function openAt([key, ...rest]: readonly string[], body: object): Envelope | undefined {
  if (key === undefined) return { native: body, close: (native) => native }
  const inner = (body as Readonly<Record<string, unknown>>)[key]
  if (!Object.hasOwn(body, key) || !isObject(inner)) return undefined
  const envelope = openAt(rest, inner)
  if (envelope === undefined) return undefined
  const close = (native: object) =>
    native === envelope.native ? body : derive(body, { [key]: envelope.close(native) })
  return { native: envelope.native, close }
}
