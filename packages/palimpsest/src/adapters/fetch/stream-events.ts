import { eventStreamFrames, frameEvent } from '../../wire/event-stream-frames.ts'
import type { Framing } from '../../wire/framing.ts'
import { jsonArrayElements } from '../../wire/json-array-elements.ts'
import { sseEvents } from '../../wire/sse-events.ts'
import type { ModelCall } from './model-call.ts'

/** The events of a streamed answer, as a dialect's stream reader takes them. */
export interface StreamEvents {
  /** The events that these bytes complete. */
  push(piece: Uint8Array): readonly unknown[]
  end(): readonly unknown[]
}

/** How this answer is to be read as a stream; undefined: it is none. */
export function streamEventsOf(
  response: Response,
  call: Pick<ModelCall, 'stream' | 'dialect'>,
): StreamEvents | undefined {
  const type = response.headers.get('content-type')?.toLowerCase() ?? ''
  if (response.body === null) return undefined
  if (type.includes('text/event-stream')) return sseStreamEvents()
  if (type.includes('vnd.amazon.eventstream')) return eventsBy(eventStreamFrames(), frameEvent)
  if (!call.stream) return undefined
  if (type === '') return sseStreamEvents()
  // Gemini streams an array where the caller does not ask for server-sent events.
  if (call.dialect.name === 'gemini' && type.includes('json')) return eventsBy(jsonArrayElements(), parsed)
  return undefined
}

/** Server-sent events, by their data: JSON, or the text that it is. */
export function sseStreamEvents(): StreamEvents {
  return eventsBy(sseEvents(), ({ data }) => parsed(data))
}

function eventsBy<Content>(framing: Framing<Content>, read: (content: Content) => unknown): StreamEvents {
  const events = (framed: ReturnType<Framing<Content>['push']>) =>
    framed.flatMap(({ content }) => (content === undefined ? [] : [read(content)]))
  return { push: (piece) => events(framing.push(piece)), end: () => events(framing.end()) }
}

/** JSON as a value, anything else as the text that it is. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
