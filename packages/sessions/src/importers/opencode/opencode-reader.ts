import { firstAbove } from '../bounded-search.ts'
import type { ImportedItem, RecordedCall, RecordedCompaction } from '../imported-session.ts'
import { type Fields, fieldsOf, isFields, present, textOf, timeOf } from '../json-fields.ts'
import type { RecordReader, Transcript } from '../record-reader.ts'
import type { SkipTally } from '../skip-tally.ts'
import { answerSteps, answerText, isKnownPart, userMessages } from './opencode-message.ts'
import { isMessageWithParts, isSessionInfo } from './opencode-record.ts'

/** A message of a session, with its place in the document, database or folder. */
interface Message {
  readonly info: Fields
  readonly parts: readonly Fields[]
  readonly place: number
}

/** Reads sessions of opencode: an export, or messages with their parts one by one. */
export class OpencodeReader implements RecordReader {
  readonly format = 'opencode'
  readonly #skipped: SkipTally
  readonly #messages = new Map<string, Message>()
  readonly #items: ImportedItem[] = []
  readonly #calls: RecordedCall[] = []
  readonly #compactions: RecordedCompaction[] = []
  /** Where each message begins. */
  readonly #starts = new Map<unknown, number>()
  #session: Fields = {}

  constructor(skipped: SkipTally) {
    this.#skipped = skipped
  }

  read(record: unknown, place: number): void {
    if (isMessageWithParts(record)) this.#message(record.info, record.parts, place)
    else if (Array.isArray(record)) this.#document(record)
    else if (isFields(record) && Array.isArray(record.messages)) {
      this.#session = fieldsOf(record.info)
      this.#document(record.messages)
    } else if (isSessionInfo(record)) this.#session = record
    else this.#skipped.add(record === undefined ? 'not JSON' : 'unknown record', place)
  }

  finish(): Transcript {
    const messages = this.#sentMessages()
    const compactions = compactionsOf(messages)
    for (const message of messages) {
      this.#starts.set(message.info.id, this.#items.length)
      const compaction = compactions.get(message)
      if (compaction !== undefined) this.#compaction(message, compaction)
      else if (message.info.role === 'user') this.#userMessage(message)
      else this.#answer(message)
    }
    this.#clearedResults(messages)
    const paths = messages.map(({ info }) => textOf(fieldsOf(info.path).cwd))
    return {
      dialect: 'ai-sdk',
      items: this.#items,
      calls: this.#calls,
      compactions: this.#compactions.toSorted((a, b) => a.position - b.position),
      ...present({
        id: textOf(this.#session.id) ?? textOf(messages[0]?.info.sessionID),
        cwd: textOf(this.#session.directory) ?? paths.find((path) => path !== undefined),
        title: textOf(this.#session.title),
        model: this.#calls.findLast((call) => call.model !== undefined)?.model,
      }),
    }
  }

  /** Places of a document are numbers of its messages. */
  #document(messages: readonly unknown[]): void {
    for (const [at, message] of messages.entries()) this.read(message, at + 1)
  }

  #message(info: Fields, parts: readonly unknown[], place: number): void {
    for (const part of parts) {
      if (!isKnownPart(part)) this.#skipped.add(part === undefined ? 'not JSON' : 'unknown part', place)
    }
    const id = textOf(info.id) ?? `at ${place}`
    if (this.#messages.has(id)) this.#skipped.add('duplicate message', place)
    else this.#messages.set(id, { info, parts: parts.filter(isKnownPart), place })
  }

  /** Without the messages that the user has taken back: from one of them, or from one of its parts, on. */
  #sentMessages(): Message[] {
    const messages = [...this.#messages.values()]
    const { messageID, partID } = fieldsOf(this.#session.revert)
    const from = messages.findIndex(({ info }) => typeof messageID === 'string' && info.id === messageID)
    if (from === -1) return messages
    const reverted = messages[from]
    const cut = reverted?.parts.findIndex((part) => typeof partID === 'string' && part.id === partID) ?? -1
    const rest = cut > 0 && reverted !== undefined ? [{ ...reverted, parts: reverted.parts.slice(0, cut) }] : []
    for (const { place } of messages.slice(from + rest.length)) this.#skipped.add('rolled-back turn', place)
    return [...messages.slice(0, from), ...rest]
  }

  #userMessage({ info, parts, place }: Message): void {
    const said = userMessages(parts)
    if (said.length === 0) {
      const ignored = parts.some((part) => part.ignored === true)
      this.#skipped.add(ignored ? 'not sent to the model' : 'empty message', place)
    }
    const timestamp = timeOf(fieldsOf(info.time).created)
    for (const { item, injected } of said) {
      this.#items.push({ item, line: place, ...present({ timestamp }), ...(injected && { injected: true }) })
    }
  }

  #answer({ info, parts, place }: Message): void {
    const timestamp = timeOf(fieldsOf(info.time).created)
    const model = textOf(info.modelID)
    const steps = answerSteps(info, parts).filter(({ messages }) => messages.length > 0)
    if (steps.length === 0) this.#skipped.add(isFields(info.error) ? 'aborted answer' : 'empty message', place)
    for (const { messages, usage } of steps) {
      const position = this.#items.length
      if (usage !== undefined) this.#calls.push({ position, ...present({ usage, model, timestamp }) })
      this.#items.push(...messages.map((item) => ({ item, line: place, ...present({ timestamp }) })))
    }
  }

  /** The order to summarise and the summary are no items. A summary that failed replaced nothing. */
  #compaction({ info, parts, place }: Message, compaction: Compaction): void {
    if (compaction === 'unfinished') this.#skipped.add('unfinished compaction', place)
    if (compaction === 'unfinished' || compaction === 'order') return
    const order = compaction.order?.parts.find((part) => part.type === 'compaction')
    const usage = this.#calls.at(-1)?.usage
    const summary = textOf(answerText(parts))
    this.#compactions.push({
      position: this.#starts.get(compaction.order?.info.id) ?? this.#starts.get(info.id) ?? this.#items.length,
      trigger: order === undefined ? 'unknown' : order.auto === true ? 'auto' : 'manual',
      kind: 'summary',
      ...present({
        tokensBefore: usage === undefined ? undefined : usage.input + usage.output,
        keptFrom: this.#starts.get(order?.tail_start_id),
        summary,
      }),
    })
  }

  /** Results that opencode cleared bear the time at which it did; those of one time are one compaction. */
  #clearedResults(messages: readonly Message[]): void {
    const firstBehind = firstAbove(messages.map(({ info }) => timeOf(fieldsOf(info.time).created) ?? 0))
    const times = messages.flatMap(({ parts }) =>
      parts.map(({ state }) => timeOf(fieldsOf(fieldsOf(state).time).compacted)),
    )
    const positions = times.flatMap((time) => {
      if (time === undefined) return []
      const next = messages[firstBehind(time) ?? messages.length]
      return [this.#starts.get(next?.info.id) ?? this.#items.length]
    })
    for (const position of new Set(positions)) {
      this.#compactions.push({ position, trigger: 'auto', kind: 'micro' })
    }
  }
}

/** What a message has to do with a compaction: it orders one, is its summary (with the order), or was to be. */
type Compaction = 'order' | 'unfinished' | { readonly order: Message | undefined }

function compactionsOf(messages: readonly Message[]): Map<Message, Compaction> {
  const byId = new Map(messages.map((message) => [message.info.id, message]))
  const found = new Map<Message, Compaction>()
  for (const message of messages) {
    const { info, parts } = message
    if (info.role === 'user' && parts.some((part) => part.type === 'compaction')) found.set(message, 'unfinished')
    if (info.role !== 'assistant' || info.summary !== true) continue
    const order = byId.get(info.parentID)
    const isFinished = info.error === undefined && answerText(parts) !== ''
    found.set(
      message,
      isFinished ? { order: order !== undefined && found.has(order) ? order : undefined } : 'unfinished',
    )
    if (isFinished && order !== undefined && found.has(order)) found.set(order, 'order')
  }
  return found
}
