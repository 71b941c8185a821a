/**
 * JSON text of `value` as `JSON.stringify` writes it, however deep it nests: that one overflows the stack at some thousand
 * levels, which a body that was read from text may well have. Empty for what is no JSON.
 *
 * @example
 * jsonText({ a: 1 }) // '{"a":1}'
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return writtenJson(value, Object.keys) ?? ''
  }
}

/**
 * JSON text of `value` with those keys of each object, in that order, that `keysOf` gives; without recursion. Undefined for
 * what is no JSON. Throws `TypeError` for a value that contains itself.
 */
export function writtenJson(value: unknown, keysOf: KeysOf): string | undefined {
  const outermost = shown(value, '')
  if (!isOpenable(outermost)) return JSON.stringify(outermost)
  const text: WrittenText = { pieces: [], path: new Set(), keysOf }
  let inner: Opened | undefined = open(text, outermost)
  while (inner !== undefined) {
    const child = writeUpToContainer(text, inner)
    inner = child === undefined ? close(text, inner) : open(text, child, inner)
  }
  return text.pieces.join('')
}

type KeysOf = (record: object) => readonly string[]

interface WrittenText {
  readonly pieces: string[]
  /** The arrays and objects that are open. */
  readonly path: Set<object>
  readonly keysOf: KeysOf
}

/** An array or object of which a part is written. */
interface Opened {
  readonly container: object
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined
  readonly around: Opened | undefined
  /** The child that comes next. */
  next: number
  isEmpty: boolean
}

function open({ pieces, path, keysOf }: WrittenText, container: object, around?: Opened): Opened {
  if (path.has(container)) throw new TypeError('A value that contains itself has no JSON text.')
  path.add(container)
  const keys = Array.isArray(container) ? undefined : keysOf(container)
  pieces.push(keys === undefined ? '[' : '{')
  return { container, keys, around, next: 0, isEmpty: true }
}

function close({ pieces, path }: WrittenText, { container, keys, around }: Opened): Opened | undefined {
  pieces.push(keys === undefined ? ']' : '}')
  path.delete(container)
  return around
}

/** Writes children up to the next array or object, which it gives; undefined at the end. */
function writeUpToContainer({ pieces }: WrittenText, inner: Opened): object | undefined {
  const { container, keys } = inner
  const children = container as Readonly<Record<string | number, unknown>>
  const length = keys?.length ?? (container as readonly unknown[]).length
  while (inner.next < length) {
    const key = keys?.[inner.next] ?? inner.next
    inner.next++
    const child = shown(children[key], key)
    const text = isOpenable(child) ? '' : (JSON.stringify(child) ?? (keys === undefined ? 'null' : undefined))
    if (text === undefined) continue
    pieces.push(`${inner.isEmpty ? '' : ','}${keys === undefined ? '' : `${JSON.stringify(key)}:`}${text}`)
    inner.isEmpty = false
    if (isOpenable(child)) return child
  }
  return undefined
}

/** What stands for a value in JSON, where it says so itself. */
function shown(value: unknown, key: string | number): unknown {
  if (!isOpenable(value)) return value
  const { toJSON } = value as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? toJSON.call(value, String(key)) : value
}

function isOpenable(value: unknown): value is object {
  return value !== null && typeof value === 'object'
}
