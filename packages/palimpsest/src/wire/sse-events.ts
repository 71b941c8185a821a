import { type Framing, type FramingOptions, framingBy, type ItemScanner, textOf } from './framing.ts'

/** One server-sent event. */
export interface SseEvent {
  /** The event's name; absent for a plain message. */
  readonly event?: string
  /** Its data lines, joined by a newline. */
  readonly data: string
}

/**
 * Server-sent events, by the rules of the WHATWG. One exception, which the providers' own SDKs make too: an event that the
 * end of the stream closes, instead of an empty line, counts.
 *
 * @example
 * const events = sseEvents()
 * events.push(new TextEncoder().encode('data: [DONE]\n\n')) // [{ raw, content: { data: '[DONE]' } }]
 */
export function sseEvents(options: FramingOptions = {}): Framing<SseEvent> {
  return framingBy(new SseScanner(), options)
}

const LF = 10
const CR = 13

/** An event ends with an empty line; lines end with LF, CR or both. */
class SseScanner implements ItemScanner<SseEvent> {
  readonly isItemAtEnd = true
  readonly isLost = false
  #isAtLineStart = true
  #isAfterCr = false

  itemEnd(piece: Uint8Array, from: number): number | undefined {
    for (let at = from; at < piece.length; at++) {
      const byte = piece[at]
      const isSecondHalf = byte === LF && this.#isAfterCr
      this.#isAfterCr = byte === CR
      if (isSecondHalf) continue
      if (byte !== LF && byte !== CR) this.#isAtLineStart = false
      else if (this.#isAtLineStart) return this.#behindBreak(piece, at)
      else this.#isAtLineStart = true
    }
    return undefined
  }

  /** The LF of a CRLF belongs to the same event if it is here yet; waiting for it would hold the event back. */
  #behindBreak(piece: Uint8Array, at: number): number {
    if (piece[at] === LF || piece[at + 1] !== LF) return at + 1
    this.#isAfterCr = false
    return at + 2
  }

  read(item: Uint8Array, isFirst: boolean): SseEvent | undefined {
    const data: string[] = []
    let name = ''
    for (const line of textOf(item, isFirst).split(/\r\n|\r|\n/)) {
      const { field, value } = fieldOf(line)
      if (field === 'data') data.push(value)
      if (field === 'event') name = value
    }
    if (data.length === 0) return undefined
    return { ...(name !== '' && { event: name }), data: data.join('\n') }
  }
}

/** A line without a colon is a field without a value; one that begins with a colon is a comment. */
function fieldOf(line: string): { readonly field: string; readonly value: string } {
  const colon = line.indexOf(':')
  if (colon < 0) return { field: line, value: '' }
  const start = line[colon + 1] === ' ' ? colon + 2 : colon + 1
  return { field: line.slice(0, colon), value: line.slice(start) }
}
