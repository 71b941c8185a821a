import type { Usage } from 'palimpsest'
import { dropWhile } from '../drop-while.ts'
import type { RecordedCall, RecordedCompaction } from '../imported-session.ts'
import { countOf, type Fields, fieldsOf, isFields, listOf, present, textOf, timeOf } from '../json-fields.ts'
import type { RecordReader, Transcript } from '../record-reader.ts'
import { orderResults, type ResponsesEntry } from '../responses-transcript.ts'
import type { SkipTally } from '../skip-tally.ts'
import { type CodexRecord, codexRecord } from './codex-record.ts'
import { UserTurns } from './user-turns.ts'

/** Reads the lines of a Codex rollout, with the envelope of today or without one. */
export class CodexReader implements RecordReader {
  readonly format = 'codex'
  readonly #skipped: SkipTally
  readonly #turns = new UserTurns()
  readonly #entries: ResponsesEntry[] = []
  readonly #calls: CodexCall[] = []
  readonly #compactions: CodexCompaction[] = []
  /** How many entries stood when the answer began that no token count has closed yet. */
  #answerFrom: number | undefined
  /** A count that came with no answer open: in older rollouts it stands before the items of its answer. */
  #early: Omit<CodexCall, 'before'> | undefined
  /** The newest entries are an answer that has such a count. */
  #inCounted = false
  /** Tokens of the whole session, as they were counted last. */
  #total: number | undefined
  #contextTokens: number | undefined
  /** How many entries stood when an encrypted compaction item came. */
  #opaqueItemAt: number | undefined
  #enveloped = false
  #id: string | undefined
  #cwd: string | undefined
  #model: string | undefined
  #window: number | undefined

  constructor(skipped: SkipTally) {
    this.#skipped = skipped
  }

  read(record: unknown, line: number): void {
    const fields = fieldsOf(record)
    this.#enveloped ||= isFields(fields.payload)
    const read = codexRecord(fields)
    // In a rollout with envelopes a bare item is the debris of a torn line.
    const isDebris = this.#enveloped && read?.payload === fields
    if (read === undefined || isDebris) this.#skipped.add('unknown record', line)
    else this.#readRecord(read, line)
  }

  finish(): Transcript {
    const { entries, position } = orderResults(this.#entries, this.#skipped)
    const calls = this.#calls.map(({ before, ...call }): RecordedCall => ({ position: position(before), ...call }))
    return {
      dialect: 'openai-responses',
      items: entries.map(({ item, line, timestamp }) => ({ item, line, ...present({ timestamp }) })),
      calls,
      compactions: this.#compactions.map(({ before, ...compaction }) => ({
        position: position(before),
        ...compaction,
      })),
      ...present({
        id: this.#id,
        cwd: this.#cwd,
        model: calls.findLast((call) => call.model !== undefined)?.model ?? this.#model,
        window: this.#window,
      }),
    }
  }

  #readRecord({ kind, payload, timestamp }: CodexRecord, line: number): void {
    if (kind === 'item') this.#item(payload, line, timeOf(timestamp))
    else if (kind === 'compacted') this.#compacted(payload)
    else if (kind === 'event') this.#event(payload, line, timeOf(timestamp))
    else if (kind === 'meta') this.#meta(payload)
    else if (kind === 'context') this.#model = textOf(payload.model) ?? this.#model
    else this.#skipped.add('client record', line)
  }

  /** A resumed session repeats its header; a forked one has its origin's behind its own: the first is this session's. */
  #meta(payload: Fields): void {
    this.#id ??= textOf(payload.id)
    this.#cwd ??= textOf(payload.cwd)
  }

  #item(item: Fields, line: number, timestamp: number | undefined): void {
    if (typeof item.type !== 'string') this.#skipped.add('unknown record', line)
    // A snapshot of the work tree is the client's own; it was never sent.
    else if (item.type === 'ghost_snapshot') this.#skipped.add('client record', line)
    else if (OPAQUE_COMPACTIONS.has(item.type)) {
      this.#skipped.add('opaque compaction', line)
      this.#note({ trigger: 'unknown', kind: 'opaque' })
      this.#opaqueItemAt = this.#entries.length
    } else {
      this.#follow(item)
      this.#turns.item(item, this.#entries.length)
      this.#entries.push({ item, line, timestamp })
    }
  }

  /** Which answer the next count is of: items of one stand together, results and the user's words end it. */
  #follow(item: Fields): void {
    if (!isAnswer(item)) {
      this.#inCounted = false
      if (item.role === 'user') this.#early = undefined
    } else if (this.#early !== undefined) {
      this.#calls.push({ before: this.#entries.length, ...this.#early })
      this.#early = undefined
      this.#inCounted = true
    } else if (!this.#inCounted) this.#answerFrom ??= this.#entries.length
  }

  #event(payload: Fields, line: number, timestamp: number | undefined): void {
    if (payload.type === 'token_count') this.#tokenCount(fieldsOf(payload.info), timestamp)
    else if (payload.type === 'thread_rolled_back') this.#rollBack(countOf(payload.num_turns) ?? 0)
    else {
      this.#window = countOf(payload.model_context_window) || this.#window
      this.#turns.event(payload.type, this.#entries.length)
      // An answer that no count has closed by then never gets one.
      if (payload.type === 'task_started' || payload.type === 'turn_started') this.#forgetAnswer()
      // What was said and done is on the lines of the items; the events say it again for the screen.
      this.#skipped.add('event', line)
    }
  }

  #forgetAnswer(): void {
    this.#answerFrom = undefined
    this.#early = undefined
    this.#inCounted = false
  }

  /** Comes once behind each answer (in older rollouts before its items), again whenever the rate limits change, and behind a compaction with no input. */
  #tokenCount(info: Fields, timestamp: number | undefined): void {
    this.#window = countOf(info.model_context_window) || this.#window
    const last = fieldsOf(info.last_token_usage)
    const usage = usageOf(last)
    if (usage === undefined) {
      const compaction = this.#compactions.at(-1)
      const tokens = countOf(last.total_tokens)
      if (tokens && compaction?.before === this.#entries.length && compaction.tokensAfter === undefined) {
        this.#compactions[this.#compactions.length - 1] = { ...compaction, tokensAfter: tokens }
      }
      return
    }
    const total = countOf(fieldsOf(info.total_token_usage).total_tokens)
    const isRepeated = total !== undefined && total === this.#total
    this.#total = total
    if (isRepeated) return
    this.#contextTokens = usage.input + usage.output
    this.#count({ usage, ...present({ model: this.#model, timestamp }) }, total !== undefined)
  }

  /** Without a total nobody knows whether a count with no answer open is new. */
  #count(call: Omit<CodexCall, 'before'>, isNew: boolean): void {
    const last = this.#calls.at(-1)
    if (this.#answerFrom !== undefined) this.#calls.push({ before: this.#answerFrom, ...call })
    // What was taken for its count was of an answer that is not in the file.
    else if (this.#inCounted && last !== undefined) this.#calls[this.#calls.length - 1] = { ...last, ...call }
    else if (isNew) this.#early = call
    this.#answerFrom = undefined
    this.#inCounted = false
  }

  /** The items that replace the history are made of what the transcript holds already: only the fact is kept. */
  #compacted(payload: Fields): void {
    const summary = textOf(payload.message)
    const replacement = listOf(payload.replacement_history).map(fieldsOf)
    const opaque = replacement.some((item) => typeof item.type === 'string' && OPAQUE_COMPACTIONS.has(item.type))
    const kind = summary === undefined && opaque ? 'opaque' : 'summary'
    this.#note({ trigger: 'unknown', kind, ...present({ summary }) })
  }

  #note(compaction: Omit<CodexCompaction, 'before' | 'tokensBefore'>): void {
    // An encrypted item and the line that says what it replaced are one compaction.
    const same = compaction.kind === 'opaque' && this.#opaqueItemAt === this.#entries.length
    this.#opaqueItemAt = undefined
    if (same) return
    this.#compactions.push({
      before: this.#entries.length,
      ...compaction,
      ...present({ tokensBefore: this.#contextTokens }),
    })
    this.#contextTokens = undefined
    this.#forgetAnswer()
  }

  #rollBack(turns: number): void {
    const from = this.#turns.rollBack(turns, this.#entries.length)
    for (const entry of this.#entries.splice(from)) this.#skipped.add('rolled-back turn', entry.line)
    dropWhile(this.#calls, ({ before }) => before >= from)
    dropWhile(this.#compactions, ({ before }) => before > from)
    this.#opaqueItemAt = undefined
    this.#forgetAnswer()
  }
}

type CodexCall = Omit<RecordedCall, 'position'> & { readonly before: number }
type CodexCompaction = Omit<RecordedCompaction, 'position'> & { readonly before: number }

/** Did the model write this item (and not the user, the client or a tool)? */
function isAnswer(item: Fields): boolean {
  if (item.type === 'message') return item.role === 'assistant'
  return item.type === 'reasoning' || (typeof item.type === 'string' && item.type.endsWith('_call'))
}

/** Codex counts cached tokens inside its input. */
function usageOf(last: Fields): Usage | undefined {
  const input = countOf(last.input_tokens) ?? 0
  const output = countOf(last.output_tokens) ?? 0
  if (input + output === 0) return undefined
  const cacheWrite = countOf(last.cache_write_input_tokens) ?? 0
  return { input, cacheRead: countOf(last.cached_input_tokens) ?? 0, cacheWrite, output }
}

const OPAQUE_COMPACTIONS: ReadonlySet<string> = new Set(['compaction', 'compaction_summary', 'context_compaction'])
