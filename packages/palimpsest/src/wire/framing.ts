/** A stretch of a stream. All `raw` of a stream, joined, are the stream, byte for byte. */
export interface Framed<Content> {
  readonly raw: Uint8Array
  /**
   * What the stretch says. Absent where it says nothing (a comment, what stands between elements) or cannot be read: a
   * damaged item, one that the stream's end cuts, one larger than the limit. Such bytes only pass.
   */
  readonly content?: Content
}

/** Takes a stream apart, whatever pieces it comes in. Holds back no more than the item that is still incomplete. */
export interface Framing<Content> {
  /** The stretches that this piece completes; `raw` may share its memory. */
  push(piece: Uint8Array): readonly Framed<Content>[]
  /** What is left when the stream has ended. */
  end(): readonly Framed<Content>[]
}

export interface FramingOptions {
  /** Bytes that one item may have and still be read; beyond them it passes in pieces, unread. Default 16 MiB. */
  readonly maxItemBytes?: number
}

/** More than any event that a provider is known to send: the largest hold a generated picture or repeat a whole request. */
export const MAX_ITEM_BYTES: number = 16 * 1024 * 1024

/** What a format must know: where items end, and how to read one. It keeps its state from piece to piece. */
export interface ItemScanner<Content> {
  /** Goes on at `from`; the index just behind the end of the current item, undefined where the piece ends before it. */
  itemEnd(piece: Uint8Array, from: number): number | undefined
  read(item: Uint8Array, isFirst: boolean): Content | undefined
  /** Is what the stream's end leaves unclosed an item all the same? */
  readonly isItemAtEnd: boolean
  /** Is there no item to be expected any more, so that nothing need be held back? */
  readonly isLost: boolean
}

/** Framing by a scanner: the one place that holds, joins and limits bytes. */
export function framingBy<Content>(scanner: ItemScanner<Content>, options: FramingOptions = {}): Framing<Content> {
  return new ScannedFraming(scanner, options.maxItemBytes ?? MAX_ITEM_BYTES)
}

class ScannedFraming<Content> implements Framing<Content> {
  readonly #scanner: ItemScanner<Content>
  readonly #maxItemBytes: number
  /** Pieces of the item that is still incomplete. */
  #held: Uint8Array[] = []
  /** Bytes of that item so far, those that have passed already among them. */
  #size = 0
  #isFirst = true

  constructor(scanner: ItemScanner<Content>, maxItemBytes: number) {
    this.#scanner = scanner
    this.#maxItemBytes = maxItemBytes
  }

  push(piece: Uint8Array): readonly Framed<Content>[] {
    const framed: Framed<Content>[] = []
    let from = 0
    while (from < piece.length) {
      const end = this.#scanner.itemEnd(piece, from)
      this.#hold(piece.subarray(from, end))
      if (end === undefined) break
      framed.push(this.#release('item'))
      from = end
    }
    if (this.#held.length > 0 && (this.#isTooLarge() || this.#scanner.isLost)) framed.push({ raw: this.#takeHeld() })
    return framed
  }

  end(): readonly Framed<Content>[] {
    if (this.#held.length === 0) return []
    return [this.#release(this.#scanner.isItemAtEnd ? 'item' : 'rest')]
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#held.push(bytes)
    this.#size += bytes.length
  }

  #release(kind: 'item' | 'rest'): Framed<Content> {
    const isReadable = kind === 'item' && !this.#isTooLarge()
    const raw = this.#takeHeld()
    const content = isReadable ? this.#scanner.read(raw, this.#isFirst) : undefined
    this.#size = 0
    this.#isFirst = false
    return content === undefined ? { raw } : { raw, content }
  }

  #isTooLarge(): boolean {
    return this.#size > this.#maxItemBytes
  }

  #takeHeld(): Uint8Array {
    const [only, ...more] = this.#held
    const raw = only !== undefined && more.length === 0 ? only : joinBytes(this.#held)
    this.#held = []
    return raw
  }
}

/** The pieces as one. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes of UTF-8 as text; what is malformed becomes U+FFFD. A byte order mark goes only from the stream's beginning. */
export function textOf(bytes: Uint8Array, isFirst: boolean): string {
  const text = decoder.decode(bytes)
  return isFirst && text.startsWith('\ufeff') ? text.slice(1) : text
}
