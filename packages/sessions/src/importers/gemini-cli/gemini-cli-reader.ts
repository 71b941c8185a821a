import { lastAtMost } from '../bounded-search.ts'
import { dropWhile } from '../drop-while.ts'
import type { ImportedItem, RecordedCall, RecordedCompaction } from '../imported-session.ts'
import { type Fields, fieldsOf, isFields, listOf, present, textOf, timeOf } from '../json-fields.ts'
import type { RecordReader, Transcript } from '../record-reader.ts'
import type { SkipTally } from '../skip-tally.ts'
import { type ChatCompaction, type ChatMessage, readCheckpoint } from './gemini-cli-checkpoint.ts'
import {
  contentsOf,
  geminiUsage,
  isInjectedMessage,
  isMessageRecord,
  resultIds,
  snapshotText,
  textOfContent,
} from './gemini-cli-message.ts'

/** Reads chats of Gemini CLI: lines that add, update, take back and replace messages, or one document of them. */
export class GeminiCliReader implements RecordReader {
  readonly format = 'gemini-cli'
  readonly #skipped: SkipTally
  /** By id, in the order in which they were said. What a checkpoint left out of the model's view is still here. */
  readonly #messages = new Map<string, ChatMessage>()
  /** Their ids in that order. */
  #ids: string[] = []
  readonly #compactions: ChatCompaction[] = []
  readonly #summaries = new Set<string>()
  #facts: Fields = {}

  constructor(skipped: SkipTally) {
    this.#skipped = skipped
  }

  read(record: unknown, line: number): void {
    const fields = fieldsOf(record)
    if (typeof fields.$rewindTo === 'string') this.#rewind(fields.$rewindTo, line)
    else if (isFields(fields.$set)) this.#set(fields.$set, line)
    else if (Array.isArray(fields.messages)) this.#document(fields)
    else if (isMessageRecord(fields)) this.#message(fields, line)
    else if (typeof fields.sessionId === 'string') this.#facts = { ...this.#facts, ...fields }
    else this.#skipped.add('unknown record', line)
  }

  finish(): Transcript {
    const said = [...this.#messages.values()]
    const items: ImportedItem[] = []
    const calls: RecordedCall[] = []
    /** How many items the messages before one made. */
    const positions: number[] = []
    const starts = new Map<string, number>()
    for (const message of said) {
      positions.push(items.length)
      starts.set(String(message.record.id), items.length)
      const made = this.#itemsOf(message)
      const call = made.length > 0 ? recordedCall(message.record, items.length) : undefined
      if (call !== undefined) calls.push(call)
      items.push(...made)
    }
    positions.push(items.length)
    const usageBefore = usagesBefore(calls)
    return {
      dialect: 'gemini',
      items,
      calls,
      compactions: this.#compactions.map((made) => recordedCompaction(made, { positions, starts, usageBefore })),
      ...present({
        id: textOf(this.#facts.sessionId),
        cwd: textOf(listOf(this.#facts.directories)[0]),
        title: textOf(this.#facts.summary),
        model: calls.findLast((call) => call.model !== undefined)?.model,
      }),
    }
  }

  /** Places of a document are numbers of its messages. */
  #document({ messages, ...facts }: Fields): void {
    this.#facts = { ...this.#facts, ...facts }
    for (const [at, message] of listOf(messages).entries()) {
      if (isMessageRecord(message)) this.#message(message, at + 1)
      else this.#skipped.add('unknown record', at + 1)
    }
  }

  /** The same id again is the same message, with what came to it since: it keeps its place. */
  #message(record: Fields & { readonly id: string }, line: number): void {
    const summary = snapshotText(record)
    if (summary !== undefined) {
      this.#compact({ kind: 'summary', summary })
      return
    }
    const first = this.#messages.get(record.id)
    if (first === undefined) this.#ids.push(record.id)
    this.#messages.set(record.id, { record, line: first?.line ?? line })
  }

  /** A summary is told again in each list that it stands in. */
  #compact(compaction: Omit<ChatCompaction, 'before'>): void {
    const { summary } = compaction
    if (summary !== undefined && this.#summaries.has(summary)) return
    if (summary !== undefined) this.#summaries.add(summary)
    this.#compactions.push({ before: this.#messages.size, ...compaction })
  }

  #set({ messages, ...facts }: Fields, line: number): void {
    this.#facts = { ...this.#facts, ...facts }
    if (!Array.isArray(messages)) return
    const checkpoint = readCheckpoint(messages, this.#messages)
    const takenBack = new Set(checkpoint.takenBack)
    for (const id of takenBack) this.#remove(id)
    if (takenBack.size > 0) this.#ids = this.#ids.filter((id) => !takenBack.has(id))
    for (const _ of Array.from({ length: checkpoint.unknown })) this.#skipped.add('unknown record', line)
    const { compaction } = checkpoint
    if (compaction !== undefined) this.#compact(compaction)
    for (const record of checkpoint.added) {
      const id = String(record.id)
      if (!this.#messages.has(id)) this.#ids.push(id)
      this.#messages.set(id, { record, line })
    }
  }

  /** That message and all behind it are taken back. Where it is not in the file, nothing is known to be. */
  #rewind(id: string, line: number): void {
    if (!this.#messages.has(id)) {
      this.#skipped.add('rewind to an unknown message', line)
      return
    }
    const from = this.#ids.lastIndexOf(id)
    for (const removed of this.#ids.splice(from)) this.#remove(removed)
    const dropped = dropWhile(this.#compactions, ({ before }) => before > from)
    for (const { summary } of dropped) if (summary !== undefined) this.#summaries.delete(summary)
  }

  #remove(id: string): void {
    const message = this.#messages.get(id)
    if (message === undefined) return
    this.#skipped.add('rolled-back turn', message.line)
    this.#messages.delete(id)
  }

  #itemsOf({ record, line }: ChatMessage): ImportedItem[] {
    const reason = reasonToSkip(record)
    if (reason !== undefined) {
      this.#skipped.add(reason, line)
      return []
    }
    const contents = contentsOf(record)
    if (contents.length === 0) this.#skipped.add('empty message', line)
    const timestamp = timeOf(record.timestamp)
    const injected = record.type === 'user' && resultIds(record.content) === undefined && isInjectedMessage(record)
    return contents.map((item) => ({ item, line, ...present({ timestamp }), ...(injected && { injected: true }) }))
  }
}

/** Notes are for the screen; a user's line with a slash or a question mark in front is a command of the client. */
function reasonToSkip(record: Fields): string | undefined {
  if (record.type !== 'user' && record.type !== 'gemini') return 'client record'
  const isCommand = record.type === 'user' && /^\s*[/?]/.test(textOfContent(record.content))
  return isCommand ? 'not sent to the model' : undefined
}

function recordedCall(record: Fields, position: number): RecordedCall | undefined {
  const usage = geminiUsage(fieldsOf(record.tokens))
  const model = textOf(record.model)
  if (record.type !== 'gemini' || (usage === undefined && model === undefined)) return undefined
  return { position, ...present({ usage, model, timestamp: timeOf(record.timestamp) }) }
}

interface Placed {
  readonly positions: readonly number[]
  readonly starts: ReadonlyMap<string, number>
  /** Usage of the last call before a position. */
  readonly usageBefore: (position: number) => RecordedCall['usage']
}

function usagesBefore(calls: readonly RecordedCall[]): Placed['usageBefore'] {
  const lastUpTo = lastAtMost(calls.map(({ position }) => position))
  return (position) => calls[lastUpTo(position - 1) ?? calls.length]?.usage
}

function recordedCompaction(made: ChatCompaction, { positions, starts, usageBefore }: Placed): RecordedCompaction {
  const position = positions[made.before] ?? positions.at(-1) ?? 0
  const usage = usageBefore(position)
  return {
    position,
    trigger: 'unknown',
    kind: made.kind,
    ...present({
      tokensBefore: usage === undefined ? undefined : usage.input + usage.output,
      keptFrom: made.kept === undefined ? undefined : starts.get(made.kept),
      summary: made.summary,
    }),
  }
}
