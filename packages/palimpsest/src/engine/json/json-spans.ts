/** Where things stand in a JSON text. Offsets are UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The children of one array or object in a JSON text; of a key that stands twice, the last. */
export type ContainerSpans =
  | { readonly kind: 'array'; readonly elements: readonly Span[] }
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, MemberSpans> }

export interface MemberSpans {
  /** The key with its quotes. */
  readonly key: Span
  readonly value: Span
}

/** What one pass over a text found. */
export interface JsonSpans {
  /** The children of the opened arrays and objects. */
  readonly containers: ReadonlyMap<object, ContainerSpans>
  /** Where those children stand that are arrays or objects, and the root. */
  readonly places: ReadonlyMap<object, Span>
}

/**
 * Finds the children of those arrays and objects inside `root` that are in `open`, in one pass over the text in which
 * everything else is skipped. `text` must be the valid JSON that `root` was parsed from, and `open` must hold every
 * container between the root and a member of it. Throws `TypeError` where the text ends too early to be that.
 */
export function spansOf(text: string, root: object, open: ReadonlySet<object>): JsonSpans {
  const start = skipSpace(text, 0)
  const places = new Map([[root, { start, end: text.trimEnd().length }]])
  const containers = new Map<object, ContainerSpans>()
  if (open.has(root)) readContainer({ text, open, containers, places }, root, start)
  return { containers, places }
}

interface Scan {
  readonly text: string
  readonly open: ReadonlySet<object>
  readonly containers: Map<object, ContainerSpans>
  readonly places: Map<object, Span>
}

/** Reads the container at `start`, whose opening bracket stands there; its end. */
function readContainer(scan: Scan, value: object, start: number): number {
  return scan.text[start] === '[' ? readArray(scan, value, start) : readObject(scan, value, start)
}

function readArray(scan: Scan, value: object, start: number): number {
  const { text } = scan
  const elements: Span[] = []
  let at = skipSpace(text, start + 1)
  while (text[at] !== ']') {
    const end = readChild(scan, childOf(value, elements.length), at)
    elements.push({ start: at, end })
    at = nextChild(text, end)
  }
  scan.containers.set(value, { kind: 'array', elements })
  return at + 1
}

function readObject(scan: Scan, value: object, start: number): number {
  const { text } = scan
  const members = new Map<string, MemberSpans>()
  let at = skipSpace(text, start + 1)
  while (text[at] !== '}') {
    const key = { start: at, end: stringEnd(text, at) }
    const name = keyName(text.slice(key.start, key.end))
    const from = skipSpace(text, skipSpace(text, key.end) + 1)
    const end = readChild(scan, childOf(value, name), from)
    // Of a key that stands twice JSON.parse keeps the last value: what was found for the first is overwritten.
    members.set(name, { key, value: { start: from, end } })
    at = nextChild(text, end)
  }
  scan.containers.set(value, { kind: 'object', members })
  return at + 1
}

/** Reads or skips the child at `start`; its end. */
function readChild(scan: Scan, child: unknown, start: number): number {
  if (child === null || typeof child !== 'object') return valueEnd(scan.text, start)
  // A different bracket: the value of an earlier duplicate of this key.
  const isRead = scan.open.has(child) && scan.text[start] === (Array.isArray(child) ? '[' : '{')
  const end = isRead ? readContainer(scan, child, start) : valueEnd(scan.text, start)
  scan.places.set(child, { start, end })
  return end
}

function childOf(value: object, key: string | number): unknown {
  return Object.hasOwn(value, key) ? (value as Record<string | number, unknown>)[key] : undefined
}

function keyName(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
}

/** From the end of a child to the next one, or to the closing bracket. */
function nextChild(text: string, end: number): number {
  const at = skipSpace(text, end)
  return text[at] === ',' ? skipSpace(text, at + 1) : checked(text, at)
}

/** Text that ends inside a container is not the one that the value was parsed from. */
function checked(text: string, at: number): number {
  if (at >= text.length) throw new TypeError('The text is not the JSON that the value was parsed from.')
  return at
}

/** The end of the value that starts at `start`. */
function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return stringEnd(text, start)
  if (first === OPEN_BRACKET || first === OPEN_BRACE) return containerEnd(text, start)
  let at = start
  while (at < text.length && !isDelimiter(text.charCodeAt(at))) at++
  return at > start ? at : checked(text, text.length)
}

function containerEnd(text: string, start: number): number {
  let depth = 0
  let at = start
  do {
    const code = text.charCodeAt(checked(text, at))
    if (code === QUOTE) at = stringEnd(text, at) - 1
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
    at++
  } while (depth > 0)
  return at
}

/** The end of the string whose opening quote stands at `start`: the next quote with an even number of backslashes before it. */
function stringEnd(text: string, start: number): number {
  let from = start + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return checked(text, text.length)
    let slash = quote - 1
    while (slash > start && text.charCodeAt(slash) === BACKSLASH) slash--
    if ((quote - slash) % 2 === 1) return quote + 1
    from = quote + 1
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const COMMA = 0x2c

function isDelimiter(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code)
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}
