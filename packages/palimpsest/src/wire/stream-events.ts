import { type EventStreamFrame, eventStreamFrames, frameEvent } from './event-stream-frames.ts'
import type { Framed, Framing, FramingOptions } from './framing.ts'
import { jsonArrayElements } from './json-array-elements.ts'
import { type SseEvent, sseEvents } from './sse-events.ts'

/**
 * The events of a streamed answer, ready for a stream reader, by the `content-type` of the answer; undefined for a type
 * that no provider streams in. JSON is a stream only where the caller asked for one: else its one element is the answer.
 *
 * @example
 * const events = streamEvents('text/event-stream')
 * for (const { raw, content } of events?.push(piece) ?? []) {
 *   if (content !== undefined) reader.push(content)
 *   client.write(raw)
 * }
 */
export function streamEvents(
  contentType: string | null | undefined,
  options: FramingOptions = {},
): Framing<unknown> | undefined {
  const type = contentType?.split(';')[0]?.trim().toLowerCase()
  if (type === 'text/event-stream') return new ReadFraming(sseEvents(options), eventOf)
  if (type === 'application/vnd.amazon.eventstream') {
    return new ReadFraming<EventStreamFrame>(eventStreamFrames(options), frameEvent)
  }
  return type === 'application/json' ? new ReadFraming(jsonArrayElements(options), parsedOrText) : undefined
}

class ReadFraming<Content> implements Framing<unknown> {
  readonly #framing: Framing<Content>
  readonly #read: (content: Content) => unknown

  constructor(framing: Framing<Content>, read: (content: Content) => unknown) {
    this.#framing = framing
    this.#read = read
  }

  push(piece: Uint8Array): readonly Framed<unknown>[] {
    return this.#framing.push(piece).map((framed) => this.#readOne(framed))
  }

  end(): readonly Framed<unknown>[] {
    return this.#framing.end().map((framed) => this.#readOne(framed))
  }

  #readOne({ raw, content }: Framed<Content>): Framed<unknown> {
    return content === undefined ? { raw } : { raw, content: this.#read(content) }
  }
}

/** Some servers say only in the event's name that it is an error. */
function eventOf({ event, data }: SseEvent): unknown {
  const value = parsedOrText(data)
  if (event !== 'error') return value
  const isTold = typeof value === 'object' && value !== null && ('error' in value || 'type' in value)
  return isTold ? value : { error: value }
}

/** `[DONE]` and other events that are no JSON are their text. */
function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
