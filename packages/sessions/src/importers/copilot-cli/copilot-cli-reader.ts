import type { Usage } from 'palimpsest'
import { dropWhile } from '../drop-while.ts'
import type { RecordedCall, RecordedCompaction } from '../imported-session.ts'
import { countOf, type Fields, fieldsOf, present, textOf, timeOf } from '../json-fields.ts'
import type { RecordReader, Transcript } from '../record-reader.ts'
import { orderResults, type ResponsesEntry } from '../responses-transcript.ts'
import type { SkipTally } from '../skip-tally.ts'
import { answerItems, callItem, copilotUsage, resultItem, userItem } from './copilot-cli-items.ts'

/** Reads the event log of Copilot CLI. */
export class CopilotCliReader implements RecordReader {
  readonly format = 'copilot-cli'
  readonly #skipped: SkipTally
  readonly #entries: ResponsesEntry[] = []
  readonly #calls: CopilotCall[] = []
  readonly #compactions: CopilotCompaction[] = []
  /** How many entries stood behind each event, for the user who goes back to one. */
  readonly #entriesBehind = new Map<string, number>()
  /** Calls by id, with the item that they are; those that only started, with their line. */
  readonly #called = new Map<unknown, Fields>()
  readonly #started = new Map<unknown, ResponsesEntry>()
  #system: { readonly text: string; readonly line: number } | undefined
  #contextTokens: number | undefined
  #facts: { id?: string; cwd?: string; title?: string; model?: string; window?: number } = {}

  constructor(skipped: SkipTally) {
    this.#skipped = skipped
  }

  read(record: unknown, line: number): void {
    const event = fieldsOf(record)
    const data = fieldsOf(event.data)
    if (typeof event.type !== 'string') this.#skipped.add('unknown record', line)
    // What a subagent says and does is not said to the model of this conversation.
    else if (textOf(data.parentToolCallId) ?? textOf(event.agentId)) this.#skipped.add('sidechain', line)
    else this.#event({ type: event.type, data, line, timestamp: timeOf(event.timestamp) })
    const id = textOf(event.id)
    if (id !== undefined) this.#entriesBehind.set(id, this.#entries.length)
  }

  finish(): Transcript {
    const { entries, position } = orderResults(this.#entries, this.#skipped)
    const calls = this.#calls.map(
      ({ before, id: _, ...call }): RecordedCall => ({ position: position(before), ...call }),
    )
    const items = entries.map(({ item, line, timestamp, injected }) => ({
      item,
      line,
      ...present({ timestamp }),
      ...(injected === true && { injected }),
    }))
    const model = calls.findLast((call) => call.model !== undefined)?.model ?? this.#facts.model
    const body = { ...present({ model }), instructions: this.#system?.text, input: items.map(({ item }) => item) }
    return {
      dialect: 'openai-responses',
      items,
      calls,
      compactions: this.#compactions.map(({ before, ...made }) => ({ position: position(before), ...made })),
      ...this.#facts,
      ...present({ model, request: this.#system === undefined ? undefined : body }),
    }
  }

  #event(event: CopilotEvent): void {
    if (event.type === 'user.message') this.#userMessage(event)
    else if (event.type === 'assistant.message') this.#answer(event)
    else if (event.type === 'tool.execution_complete') this.#result(event)
    else if (event.type === 'tool.execution_start') this.#start(event)
    else if (event.type === 'system.notification') this.#notification(event)
    else if (event.type === 'system.message') this.#systemPrompt(event)
    else if (event.type === 'assistant.usage') this.#usage(event)
    else if (event.type === 'session.compaction_complete') this.#compaction(event)
    else if (event.type === 'session.truncation') this.#truncation(event)
    else if (event.type === 'session.snapshot_rewind') this.#rewind(event)
    else this.#other(event)
  }

  /** It is written again with each message of the user; the last one counts. */
  #systemPrompt({ data, line }: CopilotEvent): void {
    const { text, line: earlier } = this.#system ?? {}
    const next = textOf(data.content) ?? text
    if (earlier !== undefined && next !== text) this.#skipped.add('earlier system prompt', earlier)
    if (next !== undefined) this.#system = { text: next, line: next === text ? (earlier ?? line) : line }
  }

  /** A source other than the user is a part of the client: reminders, instructions that it found, skills. */
  #userMessage({ data, line, timestamp }: CopilotEvent): void {
    const item = userItem(data)
    if (item === undefined) {
      this.#skipped.add('empty message', line)
      return
    }
    const source = textOf(data.source)
    const injected = (source !== undefined && source !== 'user') || textOf(data.content) === undefined
    this.#entries.push({ item, line, timestamp, ...(injected && { injected }) })
  }

  #answer({ data, line, timestamp }: CopilotEvent): void {
    const items = answerItems(data)
    if (items.length === 0) this.#skipped.add('empty message', line)
    else this.#call({ data, line, timestamp, type: 'assistant.message' })
    for (const item of items) {
      if (item.call_id !== undefined) this.#called.set(item.call_id, item)
      this.#entries.push({ item, line, timestamp })
    }
  }

  /** An answer comes in several messages where it thought several times; they name the same call of the model. */
  #call({ data, timestamp }: CopilotEvent): void {
    const id = textOf(data.apiCallId)
    if (id !== undefined && this.#calls.at(-1)?.id === id) return
    this.#calls.push({ id, before: this.#entries.length, ...present({ model: textOf(data.model), timestamp }) })
  }

  /** The answer has the call already, unless its line is damaged. */
  #start({ data, line, timestamp }: CopilotEvent): void {
    this.#started.set(data.toolCallId, { item: callItem(data), line, timestamp })
    this.#skipped.add('event', line)
  }

  #result({ data, line, timestamp }: CopilotEvent): void {
    const started = this.#started.get(data.toolCallId)
    if (!this.#called.has(data.toolCallId) && started !== undefined) {
      this.#called.set(data.toolCallId, started.item)
      this.#entries.push(started)
    }
    const isCustom = this.#called.get(data.toolCallId)?.type === 'custom_tool_call'
    this.#entries.push({ item: resultItem(data, isCustom), line, timestamp })
  }

  /** What is for the model is in tags, the rest is for the screen. */
  #notification({ data, line, timestamp }: CopilotEvent): void {
    const text = textOf(data.content) ?? ''
    if (!text.trimStart().startsWith('<system_notification>')) {
      this.#skipped.add('client record', line)
      return
    }
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
    this.#entries.push({ item, line, timestamp, injected: true })
  }

  #usage({ data, line }: CopilotEvent): void {
    const usage = copilotUsage(data)
    const last = this.#calls.at(-1)
    if (usage === undefined || last === undefined || last.usage !== undefined) {
      this.#skipped.add('event', line)
      return
    }
    this.#calls[this.#calls.length - 1] = { ...last, usage }
    this.#contextTokens = usage.input + usage.output
  }

  #compaction({ data, line }: CopilotEvent): void {
    if (data.success === false) {
      this.#skipped.add('failed compaction', line)
      return
    }
    this.#compactions.push({
      before: this.#entries.length,
      trigger: data.trigger === 'auto' || data.trigger === 'manual' ? data.trigger : 'unknown',
      kind: 'summary',
      ...present({
        tokensBefore: countOf(data.preCompactionTokens) ?? this.#contextTokens,
        tokensAfter: countOf(data.postCompactionTokens),
        summary: textOf(data.summaryContent),
      }),
    })
    this.#contextTokens = undefined
  }

  #truncation({ data, line }: CopilotEvent): void {
    this.#facts = { ...this.#facts, ...present({ window: countOf(data.tokenLimit) || undefined }) }
    const removed =
      (countOf(data.tokensRemovedDuringTruncation) ?? 0) + (countOf(data.messagesRemovedDuringTruncation) ?? 0)
    if (removed === 0) {
      this.#skipped.add('client record', line)
      return
    }
    this.#compactions.push({
      before: this.#entries.length,
      trigger: 'auto',
      kind: 'micro',
      ...present({
        tokensBefore: countOf(data.preTruncationTokensInMessages),
        tokensAfter: countOf(data.postTruncationTokensInMessages),
      }),
    })
  }

  /** All behind the event is taken back. Where it is not in the file, nothing is known to be. */
  #rewind({ data, line }: CopilotEvent): void {
    const from = this.#entriesBehind.get(textOf(data.upToEventId) ?? '')
    if (from === undefined) {
      this.#skipped.add('rewind to an unknown event', line)
      return
    }
    for (const entry of this.#entries.splice(from)) this.#skipped.add('rolled-back turn', entry.line)
    dropWhile(this.#calls, ({ before }) => before >= from)
    dropWhile(this.#compactions, ({ before }) => before > from)
  }

  #other({ type, data, line }: CopilotEvent): void {
    const context = fieldsOf(data.context)
    const isStart = type === 'session.start' || type === 'session.resume'
    const model = textOf(data.newModel) ?? (isStart ? textOf(data.selectedModel) : undefined)
    this.#facts = {
      ...(isStart && present({ id: textOf(data.sessionId), cwd: textOf(context.cwd) })),
      ...this.#facts,
      ...present({ model, title: type === 'session.title_changed' ? textOf(data.title) : undefined }),
    }
    this.#skipped.add(type.startsWith('assistant.') || type.startsWith('tool.') ? 'event' : 'client record', line)
  }
}

interface CopilotEvent {
  readonly type: string
  readonly data: Fields
  readonly line: number
  readonly timestamp: number | undefined
}

/** `before`: how many entries stood before the answer. */
interface CopilotCall {
  readonly id: string | undefined
  readonly before: number
  readonly usage?: Usage
  readonly model?: string
  readonly timestamp?: number
}

type CopilotCompaction = Omit<RecordedCompaction, 'position'> & { readonly before: number }
