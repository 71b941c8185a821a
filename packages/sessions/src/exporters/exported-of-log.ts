import { PalimpsestError } from 'palimpsest'
import type { RecordedCall } from '../importers/imported-session.ts'
import { present } from '../importers/json-fields.ts'
import { foldEntries, isAbandoned } from '../log/fold-session.ts'
import type { EntryPlace, MessageAppended, SessionEntry, SessionStarted, UsageRecorded } from '../log/session-entry.ts'
import type { ExportedCompaction, ExportedItem, ExportedSession } from './exported-session.ts'

/**
 * A session of a store, as it can be exported: what its entries say on the way to the last of them. What rewinds left
 * behind is in the log alone.
 *
 * @throws PalimpsestError `invalid-input` where the log is broken, naming the entry.
 *
 * @example
 * exportSession(exportedOfLog('s1', await store.read('s1')), 'claude-code').text
 */
export function exportedOfLog(id: string, entries: readonly SessionEntry[]): ExportedSession {
  const [started] = entries
  if (started?.type !== 'session-started') throw noBeginning(id)
  const { abandoned } = foldEntries(entries).snapshot
  const walk = new LogWalk(started.imported !== undefined)
  for (const entry of entries) if (!isAbandoned(abandoned, entry.seq)) walk.take(entry)
  const { dialect, frame, model, cwd, title } = started satisfies SessionStarted
  const calls = walk.calls
  return {
    id,
    dialect,
    items: walk.items,
    ...present({ frame, cwd, title, model: calls.findLast((call) => call.model !== undefined)?.model ?? model }),
    createdAt: started.at,
    calls,
    compactions: walk.compactions,
    entries,
  }
}

class LogWalk {
  readonly items: ExportedItem[] = []
  readonly calls: RecordedCall[] = []
  readonly compactions: ExportedCompaction[] = []
  /** Where the messages begin that were appended since the last usage: one model call's answer is among them. */
  #since = 0
  /** In an imported session usage stands right behind the first item of its answer. */
  readonly #isImported: boolean
  /** A usage that came before its answer. */
  #waiting: Omit<RecordedCall, 'position'> | undefined

  constructor(isImported: boolean) {
    this.#isImported = isImported
  }

  take(entry: SessionEntry): void {
    const position = this.items.length
    if (entry.type === 'message-appended') this.#message(entry)
    else if (entry.type === 'usage-recorded' && entry.purpose === 'chat') this.#usage(entry)
    else if (entry.type === 'compaction-applied') {
      this.compactions.push({ kind: 'record', position, record: entry.record, timestamp: entry.at })
    } else if (entry.type === 'compaction-imported') {
      const { type, seq, hash, at, ...compaction } = entry
      this.compactions.push({ ...compaction, position, timestamp: at })
    }
  }

  #message({ item, injected, at, hash }: MessageAppended & EntryPlace): void {
    this.items.push({ item, timestamp: at, hash, ...present({ injected }) })
    if (this.#waiting === undefined || !isAnswer(item)) return
    this.calls.push({ position: this.items.length - 1, ...this.#waiting })
    this.#waiting = undefined
    this.#since = this.items.length
  }

  /** Usage is told behind its answer; of imported sessions also before it. */
  #usage({ usage, model, at }: UsageRecorded & EntryPlace): void {
    const call = { usage, timestamp: at, ...present({ model }) }
    let position = this.items.length
    const from = this.#isImported ? position - 1 : this.#since
    while (position > from && isAnswer(this.items[position - 1]?.item)) position--
    if (position === this.items.length) this.#waiting = call
    else this.calls.push({ position, ...call })
    this.#since = this.items.length
  }
}

/** Did the model say this item? In every format either its role tells, or that it has none and answers no call. */
function isAnswer(item: unknown): boolean {
  const { role, type } = item as { readonly role?: unknown; readonly type?: unknown }
  if (typeof role === 'string') return role === 'assistant' || role === 'model'
  if (type === 'ai' || type === 'assistant') return true
  return typeof type === 'string' && !NOT_SAID.test(type)
}

/** Types of LangChain's other messages, and of outputs in Responses. */
const NOT_SAID = /^(?:human|user|system|developer|tool|function|generic)$|_output$|_response$/

function noBeginning(id: string): PalimpsestError {
  return new PalimpsestError('invalid-input', `The log of session "${id}" does not begin with its beginning.`, {
    hint: 'Export the whole log; "palimpsest sessions verify" says what is wrong with it.',
  })
}
