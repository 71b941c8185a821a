import { readFile } from 'node:fs/promises'
import { type ImportedSession, type ImportOptions, importSession, readSessionFile } from '@palimpsest/sessions'
import {
  type Conversation,
  type Dialect,
  detectDialect,
  dialectByName,
  PalimpsestError,
  parseJson,
  spliceJson,
  withInjected,
} from 'palimpsest'
import { inFile, inputName, usageError } from './error-report.ts'
import { plural } from './format-number.ts'
import type { FormatName } from './option-values.ts'
import type { Terminal } from './terminal.ts'

/** A transcript on its way through a command, whatever file it came from. */
export interface ConversationInput {
  /** What messages call it: the path, or `standard input`. */
  readonly name: string
  readonly session: ImportedSession
  readonly dialect: Dialect<unknown, object>
  readonly conversation: Conversation<object>
  /** Nothing but model and items came: system, tools and output cap of the requests are not known. */
  readonly historyOnly: boolean
  /** Items in front of position 0 where the format keeps its system messages among the others. */
  readonly leading: number
  /** The request as it came, byte for byte; for a session file the request that its transcript would be. */
  readonly whole: Uint8Array | string
  /** The request with this conversation in it, in the same format, untouched items byte for byte. */
  render(conversation: Conversation<object>): string
}

const dialectNames: Readonly<Partial<Record<FormatName, string>>> = {
  anthropic: 'anthropic-messages',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
  gemini: 'gemini',
  bedrock: 'bedrock-converse',
  'ai-sdk': 'ai-sdk',
}

/**
 * Reads a request or session from a file, or from standard input (`-`, or no file while nobody types).
 * @throws PalimpsestError `invalid-input` or `effect-failed` that names the file, the place in it, and what would work.
 */
export async function readConversation(
  file: string | undefined,
  format: FormatName,
  terminal: Terminal,
): Promise<ConversationInput> {
  const path = file ?? '-'
  if (file === undefined && terminal.keyboard) {
    throw usageError(
      'No FILE was named, and nothing comes in on standard input.',
      'Name a file, or send one: … < request.json',
    )
  }
  const name = inputName(path)
  const bytes = path === '-' ? await terminal.input() : undefined
  const session = await readSession(path, bytes, format)
  refuseEmpty(name, session, format)
  sayDamage(name, session, terminal)
  if (session.format !== 'request') return sessionInput(name, session)
  return requestInput(name, session, bytes ?? (await readFile(path)), format)
}

/** A session file or request, read; `bytes` where they came in on standard input. */
export async function readSession(
  path: string,
  bytes: Uint8Array | undefined,
  format: FormatName,
  reading: Pick<ImportOptions, 'onProgress' | 'session'> = {},
): Promise<ImportedSession> {
  const importer = {
    format: (dialectNames[format] ?? format) as 'auto',
    recognise: (body: unknown) => detectDialect(body)?.name,
    ...reading,
  }
  try {
    if (bytes === undefined) return await readSessionFile(path, importer)
    return await inFile('standard input', () => importSession(oneChunk(bytes), importer))
  } catch (error) {
    if (!(error instanceof PalimpsestError) || !error.message.includes('Not JSON')) throw error
    explainJson(inputName(path), bytes ?? (await readFile(path).catch(() => undefined)))
    throw error
  }
}

/** Damage is passed over, and not in silence. */
function sayDamage(name: string, { skipped }: ImportedSession, terminal: Terminal): void {
  const damaged = skipped['not JSON']
  if (damaged === undefined) return
  const more = damaged.count > damaged.lines.length ? ', …' : ''
  terminal.say(`${name}: ${plural(damaged.count, 'line')} skipped, not JSON (line ${damaged.lines.join(', ')}${more})`)
}

/** Larger files are no requests, and reading them twice takes long. */
const mostExplainedBytes = 64_000_000

/** Where a file that begins as one JSON value is none, the parser knows the place: line, column and pointer. */
function explainJson(name: string, bytes: Uint8Array | undefined): void {
  if (bytes === undefined || bytes.length > mostExplainedBytes) return
  const text = new TextDecoder().decode(bytes)
  if (/^\s*[[{]/.test(text)) inFile(name, () => parseJson(text))
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** A session file without items says nothing; mostly it was read as what it is not. */
export function refuseEmpty(name: string, session: ImportedSession, format: FormatName): void {
  if (session.format === 'request' || session.items.length > 0) return
  const skipped = Object.entries(session.skipped).map(
    ([reason, { count, lines }]) => `${count} × ${reason} (line ${lines.join(', ')})`,
  )
  const found = skipped.length === 0 ? '' : `; skipped: ${skipped.join('; ')}`
  throw usageError(
    `${name}: no messages of a ${session.format} session in its ${session.lines} lines${found}.`,
    format === 'auto' ? 'Name a session that holds a conversation.' : 'Leave --format out, and the content decides.',
  )
}

/** The dialect of a session's items, which knows of each whether the client wrote it in the user's name. */
export function sessionDialect({ dialect, items }: ImportedSession): Dialect<unknown, object> {
  const injected = new Set(items.flatMap(({ item, injected }) => (injected ? [item as object] : [])))
  const own = dialectByName(dialect)
  return injected.size === 0 ? own : withInjected(own, (item) => injected.has(item))
}

function sessionInput(name: string, session: ImportedSession): ConversationInput {
  const dialect = sessionDialect(session)
  const items = session.items.map(({ item }) => item as object)
  const model = session.model === undefined ? {} : { model: session.model }
  const conversation = { system: [], items, ...model }
  const render = (view: Conversation<object>) =>
    `${JSON.stringify(dialect.close({ ...model, [dialect.itemsKey]: [] }, view))}\n`
  return { name, session, dialect, conversation, historyOnly: true, leading: 0, whole: render(conversation), render }
}

function requestInput(
  name: string,
  session: ImportedSession,
  bytes: Uint8Array,
  format: FormatName,
): ConversationInput {
  const file = fileSource(bytes)
  const source = file ?? parseJson(session.requestText ?? JSON.stringify(session.request))
  const isList = Array.isArray(source.value)
  const dialect = dialectByName(session.dialect)
  const body = isList ? { [dialect.itemsKey]: source.value } : source.value
  refuseOther(name, body, dialect, format)
  const historyOnly = transcriptOnly(body, dialect)
  const conversation = historyOnly ? withoutTools(dialect.open(body)) : dialect.open(body)
  const items = (body as Record<string, unknown>)[dialect.itemsKey]
  const leading = Array.isArray(items) ? items.length - conversation.items.length : 0
  const render = (view: Conversation<object>) => {
    const next = dialect.close(body, view)
    return spliceJson(source, isList ? (next as Record<string, unknown>)[dialect.itemsKey] : next)
  }
  return {
    name,
    session,
    dialect,
    conversation,
    historyOnly,
    leading,
    whole: file === undefined ? `${source.text}\n` : bytes,
    render,
  }
}

/**
 * A body of nothing but model and items is the transcript of a request, as `compact` prints it for a session file: that
 * it has no tools means that they are not known.
 */
function transcriptOnly(body: unknown, { itemsKey }: Dialect<unknown, object>): boolean {
  return Object.keys(Object(body)).every((key) => key === 'model' || key === itemsKey)
}

function withoutTools({ tools: _, ...conversation }: Conversation<object>): Conversation<object> {
  return conversation
}

/** The file where it is one JSON value; undefined for a log of requests, of which one was chosen. */
function fileSource(bytes: Uint8Array): ReturnType<typeof parseJson> | undefined {
  try {
    return parseJson(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

function refuseOther(name: string, body: unknown, dialect: Dialect<unknown, object>, format: FormatName): void {
  if (format === 'auto' || dialect.recognises(body) > 0) return
  const other = detectDialect(body)
  const key = dialect.itemsKey
  const has = body !== null && typeof body === 'object' && key in body
  throw usageError(
    `${name}: no request of the format ${format}${has ? '' : `: it has no "${key}"`}.`,
    other === undefined
      ? 'Leave --format out, and the content decides.'
      : `It looks like ${other.name}; leave --format out.`,
  )
}
