import { jsonText } from 'palimpsest/engine'
import { type Fields, fieldsOf, listOf, textOf } from '../json-fields.ts'
import { contentsOf, isMessageRecord, partsOf, resultIds, snapshotText } from './gemini-cli-message.ts'

/** One message as the file has it last, where it stood first. */
export interface ChatMessage {
  readonly record: Fields
  readonly line: number
}

/** A compaction behind so many messages. */
export interface ChatCompaction {
  readonly before: number
  readonly kind: 'summary' | 'micro'
  readonly summary?: string
  /** Id of the first older message that stayed in view. */
  readonly kept?: string
}

/** What a list of messages that replaces the model's view says about the conversation. */
export interface Checkpoint {
  /** Messages that the file had nowhere before. */
  readonly added: readonly Fields[]
  /** Ids of newest messages that the client took back: a turn that was aborted. */
  readonly takenBack: readonly string[]
  readonly compaction: Omit<ChatCompaction, 'before'> | undefined
  /** Entries that are no messages. */
  readonly unknown: number
}

/**
 * Compares the list with the messages of the file. There is no other mark of a compaction: a list with a state snapshot
 * is one, and so is one in which older results were masked or older messages left out.
 */
export function readCheckpoint(list: readonly unknown[], known: ReadonlyMap<string, ChatMessage>): Checkpoint {
  const records = list.filter(isMessageRecord)
  const snapshot = records.find((record) => snapshotText(record) !== undefined)
  const kept = records.filter(({ id }) => known.has(id))
  const takenBack = snapshot === undefined ? tailBehind(kept, known) : []
  const isResults = resultsOfCallsIn(known)
  const strangers = records.filter(({ id }) => !known.has(id))
  const spoken = strangers.filter((record) => !isOfCompaction(record, snapshot, records) && !isResults(record))
  const copies = copiesIn(spoken, known)
  return {
    added: spoken.filter((record) => !copies.has(record)),
    takenBack,
    compaction: compactionOf({ snapshot, kept, known, gone: takenBack.length + copies.size }),
    unknown: list.length - records.length,
  }
}

/** In the list the results of calls are messages of their own; in the file they stand with the calls. */
function resultsOfCallsIn(known: ReadonlyMap<string, ChatMessage>): (record: Fields) => boolean {
  const calls = [...known.values()].flatMap(({ record }) => listOf(record.toolCalls))
  const called = new Set(calls.map((call) => fieldsOf(call).id))
  return (record) => {
    const ids = record.type === 'user' ? resultIds(record.content) : undefined
    return ids?.every((id) => called.has(id)) === true
  }
}

/** Messages that the file has under another id. */
function copiesIn(records: readonly Fields[], known: ReadonlyMap<string, ChatMessage>): ReadonlySet<Fields> {
  if (records.length === 0) return new Set()
  const said = new Set([...known.values()].map(({ record }) => saidIn(record)))
  return new Set(records.filter((record) => said.has(saidIn(record))))
}

/** What a message says, without the results of its calls, which a copy has apart. */
function saidIn(record: Fields): string | undefined {
  const [content] = contentsOf(record)
  return content === undefined ? undefined : jsonText(content)
}

/** The snapshot, and the answer that the client has the model give to it. */
function isOfCompaction(record: Fields, snapshot: Fields | undefined, records: readonly Fields[]): boolean {
  if (snapshot === undefined) return false
  return record === snapshot || (record.type === 'gemini' && records[records.indexOf(snapshot) + 1] === record)
}

/** Messages of the conversation behind the last one that the list keeps, where it keeps all before them. */
function tailBehind(kept: readonly Fields[], known: ReadonlyMap<string, ChatMessage>): string[] {
  const spoken = [...known].filter(([, { record }]) => record.type === 'user' || record.type === 'gemini')
  const ids = spoken.map(([id]) => id)
  const isBeginning = kept.length > 0 && kept.every(({ id }, at) => id === ids[at])
  return isBeginning ? ids.slice(kept.length) : []
}

interface Compared {
  readonly snapshot: Fields | undefined
  readonly kept: readonly Fields[]
  readonly known: ReadonlyMap<string, ChatMessage>
  /** How many messages are not in the list by their ids, and were not left out either. */
  readonly gone: number
}

function compactionOf({ snapshot, kept, known, gone }: Compared): Checkpoint['compaction'] {
  const first = textOf(kept[0]?.id)
  if (snapshot !== undefined) {
    const summary = snapshotText(snapshot)
    return { kind: 'summary', ...(summary && { summary }), ...(first !== undefined && { kept: first }) }
  }
  const masked = kept.some((record) => isMasked(record, known.get(String(record.id))?.record))
  const spoken = [...known.values()].filter(({ record }) => record.type === 'user' || record.type === 'gemini')
  const leftOut = kept.length > 0 && kept.length + gone < spoken.length
  return masked || leftOut ? { kind: 'micro' } : undefined
}

/** Does a call have another result here than it had? */
function isMasked(record: Fields, before: Fields | undefined): boolean {
  const was = new Map(listOf(before?.toolCalls).map((call) => [fieldsOf(call).id, ownResult(fieldsOf(call))]))
  return listOf(record.toolCalls).some((call) => {
    const fields = fieldsOf(call)
    const old = was.get(fields.id)
    return old !== undefined && ownResult(fields) !== undefined && ownResult(fields) !== old
  })
}

/** A rewritten call holds the results of all calls of its step. */
function ownResult({ id, result }: Fields): string | undefined {
  const responses = partsOf(result).map((part) => fieldsOf(part.functionResponse))
  const own = responses.find((response) => response.id === id) ?? responses[0]
  return own?.response === undefined ? undefined : jsonText(own.response)
}
