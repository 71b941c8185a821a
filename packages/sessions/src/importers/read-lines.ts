/** One line of a file, without its line end. Lines of nothing but white space are not delivered. */
export interface Line {
  /** 1-based. */
  readonly number: number
  readonly text: string
}

/**
 * The lines of a stream of bytes: ends are LF or CRLF, the last line may lack one, a byte order mark at the start goes,
 * bytes that are no UTF-8 become U+FFFD. Holds one line at a time. Throws only what the source throws.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<Line> {
  const splitter = new LineSplitter()
  for await (const chunk of source) {
    onBytes?.(chunk.byteLength)
    yield* splitter.push(chunk)
  }
  yield* splitter.end()
}

/** The lines of a text, by the same rules. */
export function* linesOf(text: string): Generator<Line> {
  let number = 0
  let start = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0
  while (start < text.length) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    number += 1
    const line = withoutCarriageReturn(text.slice(start, end))
    if (!isBlank(line)) yield { number, text: line }
    start = end + 1
  }
}

/**
 * Where the first JSON object or list of `text` at or after `start` ends: behind its last bracket, or at the end of the
 * text where it does not close. Brackets inside strings do not count.
 */
export function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = endOfString(text, at)
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth += 1
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      depth -= 1
      if (depth <= 0) return at + 1
    }
  }
  return text.length
}

class LineSplitter {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #pieces: Uint8Array[] = []
  #number = 0

  /** The lines that this chunk ends. */
  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#pieces.push(chunk.subarray(start, end))
      lines.push(...this.#take())
      start = end + 1
    }
    // A copy: the source may use its buffer again.
    if (start < chunk.length) this.#pieces.push(chunk.slice(start))
    return lines
  }

  /** The last line, where no line end follows it. */
  end(): Line[] {
    return this.#pieces.length > 0 ? this.#take() : []
  }

  #take(): Line[] {
    const bytes = joined(this.#pieces)
    this.#pieces = []
    this.#number += 1
    const decoded = withoutCarriageReturn(this.#decoder.decode(bytes))
    const text = this.#number === 1 && decoded.charCodeAt(0) === BYTE_ORDER_MARK ? decoded.slice(1) : decoded
    return isBlank(text) ? [] : [{ number: this.#number, text }]
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  if (first !== undefined && pieces.length === 1) return first
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Zero bytes are what is left where a machine lost power while the file grew: nothing stands on such a line. */
function isBlank(line: string): boolean {
  for (let at = 0; at < line.length; at++) {
    if (line.charCodeAt(at) !== 0 && line.charAt(at).trim() !== '') return false
  }
  return true
}

function endOfString(line: string, open: number): number {
  for (let at = open + 1; at < line.length; at++) {
    const unit = line.charCodeAt(at)
    if (unit === BACKSLASH) at += 1
    else if (unit === QUOTE) return at
  }
  return line.length
}

const LINE_FEED = 10
const BYTE_ORDER_MARK = 0xfeff
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
