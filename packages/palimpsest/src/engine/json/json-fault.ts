/** Where a text stops being JSON. */
export interface JsonFault {
  /** UTF-16 units before the fault; the length of the text when it ends too early. */
  readonly offset: number
  /** JSON pointer (RFC 6901) of the value that was being read. */
  readonly pointer: string
  readonly expected: string
}

/** The first fault of a text that is not JSON. Engines word and place theirs differently, some without an offset. */
export function jsonFault(text: string): JsonFault {
  const open: Container[] = []
  let at = skipSpace(text, 0)
  let state: State = 'value'
  for (;;) {
    const step = readToken(text, at, state, open)
    if ('expected' in step) return { offset: step.offset, pointer: pointerOf(open), expected: step.expected }
    at = skipSpace(text, step.end)
    state = step.next
  }
}

interface Container {
  readonly kind: 'array' | 'object'
  /** The element or member being read; undefined before a key. */
  key: string | number | undefined
}

/** What may come next: a value, a value or `]`, a key, a key or `}`, a colon, or what follows a value. */
type State = 'value' | 'first-element' | 'key' | 'first-key' | 'colon' | 'after-value'

type Step = { readonly end: number; readonly next: State } | { readonly offset: number; readonly expected: string }

function readToken(text: string, at: number, state: State, open: Container[]): Step {
  const character = text[at]
  if (state === 'colon') return character === ':' ? { end: at + 1, next: 'value' } : { offset: at, expected: "':'" }
  if (state === 'after-value') return readSeparator(character, at, open)
  if (state === 'key' || state === 'first-key') return readKey(text, at, state, open)
  if (state === 'first-element' && character === ']') return close(at, open)
  return readValue(text, at, open)
}

function readSeparator(character: string | undefined, at: number, open: Container[]): Step {
  const container = open.at(-1)
  if (container === undefined) return { offset: at, expected: 'nothing behind the value' }
  const closing = container.kind === 'array' ? ']' : '}'
  if (character === closing) return close(at, open)
  if (character !== ',') return { offset: at, expected: `',' or '${closing}'` }
  container.key = typeof container.key === 'number' ? container.key + 1 : undefined
  return { end: at + 1, next: container.kind === 'array' ? 'value' : 'key' }
}

function readKey(text: string, at: number, state: 'key' | 'first-key', open: Container[]): Step {
  if (state === 'first-key' && text[at] === '}') return close(at, open)
  const expected = state === 'key' ? 'a key in double quotes' : "a key in double quotes or '}'"
  if (text[at] !== '"') return { offset: at, expected }
  const end = stringEnd(text, at)
  if ('expected' in end) return end
  const container = open.at(-1)
  if (container !== undefined) container.key = String(JSON.parse(text.slice(at, end.end)))
  return { end: end.end, next: 'colon' }
}

function readValue(text: string, at: number, open: Container[]): Step {
  const character = text[at]
  if (character === '[') {
    open.push({ kind: 'array', key: 0 })
    return { end: at + 1, next: 'first-element' }
  }
  if (character === '{') {
    open.push({ kind: 'object', key: undefined })
    return { end: at + 1, next: 'first-key' }
  }
  if (character === '"') {
    const end = stringEnd(text, at)
    return 'expected' in end ? end : { end: end.end, next: 'after-value' }
  }
  SCALAR.lastIndex = at
  const scalar = SCALAR.exec(text)
  return scalar === null ? { offset: at, expected: 'a value' } : { end: at + scalar[0].length, next: 'after-value' }
}

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

function close(at: number, open: Container[]): Step {
  open.pop()
  return { end: at + 1, next: 'after-value' }
}

type StringEnd = { readonly end: number } | { readonly offset: number; readonly expected: string }

function stringEnd(text: string, start: number): StringEnd {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return { end: at + 1 }
    if (code < 0x20) return { offset: at, expected: 'an escape for the control character' }
    if (code !== 0x5c) continue
    ESCAPE.lastIndex = at
    const escaped = ESCAPE.exec(text)
    if (escaped === null) return { offset: at, expected: 'a valid escape' }
    at += escaped[0].length - 1
  }
  return { offset: text.length, expected: "'\"' at the end of the string" }
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

function skipSpace(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function pointerOf(open: readonly Container[]): string {
  const keys = open.map(({ key }) => key).filter((key) => key !== undefined)
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
