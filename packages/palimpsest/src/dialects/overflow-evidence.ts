/** What a failure says, whatever wraps it: every layer of one failed call taken together. */
export interface Evidence {
  /** HTTP status codes, of all layers. */
  readonly statuses: ReadonlySet<number>
  /** Error codes, types and class names, lower case. */
  readonly codes: ReadonlySet<string>
  /** Messages, innermost last, each at most `MAX_TEXT` characters. */
  readonly texts: readonly string[]
  /** `n_prompt_tokens` and `n_ctx` of llama.cpp. */
  readonly promptTokens?: number
  readonly contextTokens?: number
}

/** Characters of one message that are read: real ones are short, longer ones quote the request or a stack. */
const MAX_TEXT = 4_000
/** Of these, how many at the end, where a stack trace of another language says what happened. */
const MAX_TAIL = 1_000
/** Characters of bodies that are parsed as JSON, in all. */
const MAX_PARSED = 4_000_000
const MAX_DEPTH = 12
const MAX_LAYERS = 200
const MAX_ELEMENTS = 16

/**
 * Unwraps a failure of any kind: errors of SDKs, retry wrappers, response bodies as objects or text, stream events.
 * The first element is the failure itself; attempts that an aggregate error lists follow, newest first. Reads only keys
 * known to describe errors, never a request, and never throws: not for cycles, proxies or throwing getters.
 */
export function evidenceOf(failure: unknown): readonly Evidence[] {
  const found: Evidence[] = []
  const queue: unknown[] = [failure]
  const walk: Walk = { seen: new Set(), layers: 0, parsed: 0 }
  for (let next = 0; next < queue.length && next < MAX_ELEMENTS; next++) {
    const gathered = { statuses: new Set<number>(), codes: new Set<string>(), texts: [], attempts: [] }
    readValue(queue[next], 0, gathered, walk)
    queue.push(...gathered.attempts)
    found.push(gathered)
  }
  return found
}

/** What one unwrapping has used up, so that a hostile failure costs no more than a real one. */
interface Walk {
  readonly seen: Set<object>
  layers: number
  parsed: number
}

interface Gathered {
  readonly statuses: Set<number>
  readonly codes: Set<string>
  readonly texts: string[]
  readonly attempts: unknown[]
  promptTokens?: number
  contextTokens?: number
}

const STATUS_KEYS = ['status', 'statusCode', 'httpStatusCode', 'originalStatusCode', 'code']
const CODE_KEYS = [
  'code',
  'type',
  'status',
  'name',
  'reason',
  'error_code',
  'errorCode',
  'error_type',
  '__type',
  ':exception-type',
  ':error-code',
  'lc_error_code',
]
const TEXT_KEYS = [
  'message',
  'Message',
  'msg',
  'title',
  'statusText',
  'error_description',
  'errorMessage',
  'originalMessage',
  ':error-message',
]
/** Keys that hold a deeper layer of the same failure, as an object, a list, or text that may be JSON. */
const LAYER_KEYS = [
  'error',
  'lastError',
  'cause',
  'response',
  'data',
  'body',
  'responseBody',
  'detail',
  'details',
  'innererror',
  'metadata',
  '$metadata',
  'raw',
]

function readValue(value: unknown, depth: number, into: Gathered, walk: Walk): void {
  if (depth > MAX_DEPTH) return
  if (typeof value === 'string') readText(value, depth, into, walk)
  if (!isObject(value) || walk.seen.has(value) || walk.layers >= MAX_LAYERS) return
  walk.seen.add(value)
  walk.layers++
  const elements = elementsOf(value)
  if (elements === undefined) readLayer(value, depth, into, walk)
  else for (const element of elements) readValue(element, depth + 1, into, walk)
}

function readLayer(layer: object, depth: number, into: Gathered, walk: Walk): void {
  for (const key of STATUS_KEYS) addStatus(property(layer, key), into)
  for (const key of CODE_KEYS) addCode(property(layer, key), into)
  for (const key of TEXT_KEYS) readValue(property(layer, key), depth + 1, into, walk)
  addCounts(layer, into)
  for (const key of [...LAYER_KEYS, ...exceptionKeys(layer)]) readValue(property(layer, key), depth + 1, into, walk)
  readErrorList(layer, depth, into, walk)
}

/** A body lists what is wrong with one request; an aggregate error lists attempts, of which each stands for itself. */
function readErrorList(layer: object, depth: number, into: Gathered, walk: Walk): void {
  const errors = elementsOf(property(layer, 'errors'), 'newest')
  if (errors === undefined || isObject(property(layer, 'lastError'))) return
  if (isError(layer)) into.attempts.push(...errors.toReversed())
  else for (const error of errors) readValue(error, depth + 1, into, walk)
}

/** Plain text is taken as it is; JSON in it (a whole body, a `data:` line, the tail of "400 {…}") is read as a layer. */
function readText(text: string, depth: number, into: Gathered, walk: Walk): void {
  const lines = depth < MAX_DEPTH ? eventData(text) : []
  for (const line of lines) readText(line, depth + 1, into, walk)
  if (lines.length > 0) return
  const embedded = depth < MAX_DEPTH ? embeddedJson(text, walk) : undefined
  if (embedded === undefined) {
    addText(text, into)
    return
  }
  addText(embedded.before, into)
  readValue(embedded.value, depth + 1, into, walk)
  addText(embedded.after, into)
}

function eventData(text: string): readonly string[] {
  if (!/^(event|data|id):/m.test(text.slice(0, MAX_TEXT))) return []
  const lines = text.split(/\r?\n/, MAX_ELEMENTS * 4).filter((line) => line.startsWith('data:'))
  return lines.slice(0, MAX_ELEMENTS).map((line) => line.slice('data:'.length).trim())
}

interface EmbeddedJson {
  readonly before: string
  readonly value: object
  readonly after: string
}

function embeddedJson(text: string, walk: Walk): EmbeddedJson | undefined {
  for (const [open, close] of [
    ['{', '}'],
    ['[', ']'],
  ] as const) {
    const start = text.indexOf(open)
    const end = text.lastIndexOf(close) + 1
    if (start < 0 || end <= start || walk.parsed + end - start > MAX_PARSED) continue
    walk.parsed += end - start
    const value = parseObject(text.slice(start, end))
    if (value !== undefined) return { before: text.slice(0, start), value, after: text.slice(end) }
  }
  return undefined
}

function parseObject(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json)
    // "[1, 8192]" in a sentence is no layer.
    return isObject(value) && elementsOf(value)?.some(isObject) !== false ? value : undefined
  } catch {
    return undefined
  }
}

function addText(text: string, into: Gathered): void {
  const read = text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - MAX_TAIL)}\n${text.slice(-MAX_TAIL)}`
  const known = read.trim()
  if (known !== '' && !into.texts.includes(known)) into.texts.push(known)
}

function addStatus(value: unknown, into: Gathered): void {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  if (typeof status === 'number' && Number.isInteger(status) && status >= 100 && status < 600) {
    into.statuses.add(status)
  }
}

function addCode(value: unknown, into: Gathered): void {
  if (typeof value === 'string' && value.length <= 200) into.codes.add(value.toLowerCase())
}

function addCounts(layer: object, into: Gathered): void {
  const prompt = property(layer, 'n_prompt_tokens')
  const context = property(layer, 'n_ctx')
  if (isCount(prompt)) into.promptTokens = prompt
  if (isCount(context)) into.contextTokens = context
}

/** `{ validationException: { message } }`: how the event stream of Bedrock names what went wrong. */
function exceptionKeys(layer: object): readonly string[] {
  try {
    return Object.keys(layer)
      .filter((key) => key.endsWith('Exception'))
      .slice(0, MAX_ELEMENTS)
  } catch {
    return []
  }
}

function property(owner: object, key: string): unknown {
  try {
    return (owner as Record<string, unknown>)[key]
  } catch {
    return undefined
  }
}

function elementsOf(value: unknown, end: 'oldest' | 'newest' = 'oldest'): readonly unknown[] | undefined {
  try {
    if (!Array.isArray(value)) return undefined
    return end === 'oldest' ? value.slice(0, MAX_ELEMENTS) : value.slice(-MAX_ELEMENTS)
  } catch {
    return undefined
  }
}

function isError(value: object): boolean {
  try {
    return value instanceof Error
  } catch {
    return false
  }
}

function isObject(value: unknown): value is object {
  return (value !== null && typeof value === 'object') || typeof value === 'function'
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}
