import { type Framing, type FramingOptions, framingBy, type ItemScanner, textOf } from './framing.ts'

/**
 * The elements of a JSON array that is streamed, each as its JSON text, as soon as its last byte is there: the answers of
 * Gemini without `alt=sse`. A document that is no array is its own only element. What stands between elements goes with
 * the `raw` of the next one.
 *
 * @example
 * const elements = jsonArrayElements()
 * elements.push(new TextEncoder().encode('[{"a":1}')) // [{ raw, content: '{"a":1}' }]
 */
export function jsonArrayElements(options: FramingOptions = {}): Framing<string> {
  return framingBy(new ElementScanner(), options)
}

const OPENING = bytesOf('[{')
const CLOSING = bytesOf(']}')
const SPACE = bytesOf(' \t\n\r')
const SEPARATORS = bytesOf(' \t\n\r,]')
const BYTE_ORDER_MARK = new Set([0xef, 0xbb, 0xbf])
const [ARRAY, QUOTE, BACKSLASH] = [0x5b, 0x22, 0x5c]

function bytesOf(characters: string): ReadonlySet<number> {
  return new Set(Array.from(characters, (character) => character.charCodeAt(0)))
}

/** Knows just enough of JSON to see where an element ends: brackets, strings and what separates scalars. */
class ElementScanner implements ItemScanner<string> {
  readonly isLost = false
  #place: 'start' | 'between' | 'nested' | 'scalar' = 'start'
  #depth = 0
  #isInString = false
  #isEscaped = false

  /** Only a number or a word has no last byte of its own. */
  get isItemAtEnd(): boolean {
    return this.#place === 'scalar'
  }

  itemEnd(piece: Uint8Array, from: number): number | undefined {
    for (let at = from; at < piece.length; at++) {
      const byte = piece[at] as number
      if (this.#place === 'nested') {
        if (this.#closes(byte)) return at + 1
      } else if (this.#place === 'scalar') {
        if (this.#separates(byte)) return at
      } else {
        this.#begin(byte)
      }
    }
    return undefined
  }

  #begin(byte: number): void {
    if (this.#place === 'start') {
      if (SPACE.has(byte) || BYTE_ORDER_MARK.has(byte)) return
      this.#place = 'between'
      if (byte === ARRAY) return
    }
    if (SEPARATORS.has(byte)) return
    this.#isInString = byte === QUOTE
    this.#depth = OPENING.has(byte) ? 1 : 0
    this.#place = this.#isInString || this.#depth > 0 ? 'nested' : 'scalar'
  }

  #separates(byte: number): boolean {
    if (!SEPARATORS.has(byte)) return false
    this.#place = 'between'
    return true
  }

  /** Is this the last byte of an object, an array or a string? */
  #closes(byte: number): boolean {
    if (this.#isInString) this.#goOnInString(byte)
    else if (byte === QUOTE) this.#isInString = true
    else if (OPENING.has(byte)) this.#depth++
    else if (CLOSING.has(byte)) this.#depth--
    if (this.#isInString || this.#depth > 0) return false
    this.#place = 'between'
    return true
  }

  #goOnInString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
  }

  read(item: Uint8Array, isFirst: boolean): string {
    const text = textOf(item, isFirst).replace(/^[\s,]+/, '')
    return (isFirst ? text.replace(/^\[\s*/, '') : text).trimEnd()
  }
}
