import { eventStreamFrames, frameEvent } from './event-stream-frames.ts'
import type { Framed, Framing } from './framing.ts'
import { jsonArrayElements } from './json-array-elements.ts'
import { type SseEvent, sseEvents } from './sse-events.ts'

/** The events of a streamed answer, as a dialect's stream reader takes them. */
export interface StreamEvents {
  /** The events that these bytes complete. */
  push(piece: Uint8Array): readonly unknown[]
  end(): readonly unknown[]
}

/** Server-sent events: most formats. */
export function sseStreamEvents(): StreamEvents {
  return eventsBy(sseEvents(), eventOf)
}

/** Frames of `application/vnd.amazon.eventstream`: Bedrock. */
export function frameStreamEvents(): StreamEvents {
  return eventsBy(eventStreamFrames(), frameEvent)
}

/** Elements of one JSON array: Gemini where the caller does not ask for server-sent events. */
export function arrayStreamEvents(): StreamEvents {
  return eventsBy(jsonArrayElements(), parsedOrText)
}

function eventsBy<Content>(framing: Framing<Content>, read: (content: Content) => unknown): StreamEvents {
  const events = (framed: readonly Framed<Content>[]) =>
    framed.flatMap(({ content }) => (content === undefined ? [] : [read(content)]))
  return { push: (piece) => events(framing.push(piece)), end: () => events(framing.end()) }
}

/** Some servers say only in the event's name that it is an error. */
function eventOf({ event, data }: SseEvent): unknown {
  const value = parsedOrText(data)
  if (event !== 'error') return value
  const isTold = typeof value === 'object' && value !== null && ('error' in value || 'type' in value)
  return isTold ? value : { error: value }
}

/** JSON as a value; `[DONE]` and whatever else is no JSON as the text that it is. */
export function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
