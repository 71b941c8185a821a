import type { RecordedCompaction } from '../imported-session.ts'
import { type Fields, fieldsOf, isFields, present, textOf } from '../json-fields.ts'
import type { RecordReader, Transcript } from '../record-reader.ts'
import type { SkipTally } from '../skip-tally.ts'
import { dialectOfRequest, ITEMS_KEYS } from './request-dialect.ts'
import { isMessage, isRequestBody } from './request-shape.ts'

export interface RequestReaderOptions {
  /** The dialect's name, when the caller knows it. */
  readonly dialect?: string | undefined
  /** Names the dialect of a parsed body, or undefined where it knows none. */
  readonly recognise?: ((body: unknown) => string | undefined) | undefined
}

/**
 * Reads plain requests: one body, a list of messages without the rest, or lines of either. Of several bodies the one
 * with the most items counts (of equals the last): a log of requests repeats the conversation in each.
 */
export class RequestReader implements RecordReader {
  readonly format = 'request'
  readonly #skipped: SkipTally
  readonly #options: RequestReaderOptions
  readonly #messages: { readonly message: unknown; readonly line: number; readonly text: string }[] = []
  #best: Transcript | undefined
  #bestLine = 0

  constructor(skipped: SkipTally, options: RequestReaderOptions) {
    this.#skipped = skipped
    this.#options = options
  }

  read(record: unknown, line: number, text: string): void {
    const body = Array.isArray(record) ? bodyOfList(record) : record
    if (isRequestBody(body) || (isFields(body) && this.#options.recognise?.(body) !== undefined))
      this.#offer(body, line, text)
    else if (isMessage(record)) this.#messages.push({ message: record, line, text })
    else this.#skipped.add('unknown record', line)
  }

  finish(): Transcript {
    this.#offerMessages()
    return this.#best ?? { dialect: this.#options.dialect ?? 'openai-chat', items: [], calls: [], compactions: [] }
  }

  #offer(body: Fields, line: number, text: string): void {
    const transcript = this.#transcript(body, line, text)
    const better = this.#best === undefined || transcript.items.length >= this.#best.items.length
    if (this.#best !== undefined) this.#skipped.add('other request', better ? this.#bestLine : line)
    if (!better) return
    this.#best = transcript
    this.#bestLine = line
  }

  /** Messages that stand on lines of their own are one request together. */
  #offerMessages(): void {
    const [first] = this.#messages
    if (first === undefined) return
    const body = bodyOfList(this.#messages.map(({ message }) => message))
    const list = `[${this.#messages.map(({ text }) => text).join(',')}]`
    const text = `{${Object.keys(body).map((key) => `${JSON.stringify(key)}:${list}`)}}`
    const transcript = this.#transcript(body, first.line, text)
    const items = transcript.items.map((item, at) => ({ ...item, line: this.#messages[at]?.line ?? item.line }))
    if (this.#best !== undefined && this.#best.items.length >= items.length) {
      for (const { line } of this.#messages) this.#skipped.add('other request', line)
      return
    }
    if (this.#best !== undefined) this.#skipped.add('other request', this.#bestLine)
    this.#best = { ...transcript, items }
  }

  #transcript(body: Fields, line: number, text: string): Transcript {
    const dialect = this.#options.dialect ?? this.#options.recognise?.(body) ?? dialectOfRequest(body)
    const items = itemsOf(body, dialect)
    return {
      dialect,
      items: items.map((item) => ({ item, line })),
      calls: [],
      compactions: opaqueCompactions(items),
      request: body,
      requestText: text,
      ...present({ model: textOf(body.model) ?? textOf(body.modelId) }),
    }
  }
}

/** A list of messages as the request that it would stand in. */
function bodyOfList(list: readonly unknown[]): Fields {
  const elements = list.filter(isFields)
  if (elements.some((element) => Array.isArray(element.parts) && !('content' in element))) return { contents: list }
  const isInput = elements.some(
    (element) => typeof element.type === 'string' && (element.role === undefined || element.type === 'message'),
  )
  return isInput ? { input: list } : { messages: list }
}

function itemsOf(body: Fields, dialect: string): readonly unknown[] {
  const keys = [...new Set([(ITEMS_KEYS as Fields)[dialect], ...Object.values(ITEMS_KEYS)])]
  for (const key of keys) {
    const items = typeof key === 'string' ? body[key] : undefined
    if (Array.isArray(items)) return items
  }
  // The short form of a Responses input: one text of the user.
  return typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : []
}

/** A provider's own compaction item stays an item of the request; that it happened is noted, at its place. */
function opaqueCompactions(items: readonly unknown[]): RecordedCompaction[] {
  return items.flatMap((item, position): RecordedCompaction[] => {
    const { type, encrypted_content: encrypted } = fieldsOf(item)
    const opaque = (type === 'compaction' || type === 'compaction_summary') && typeof encrypted === 'string'
    return opaque ? [{ position, trigger: 'unknown', kind: 'opaque' }] : []
  })
}
