import type { Usage } from 'palimpsest'
import { jsonText } from 'palimpsest/engine'
import { firstAbove } from '../bounded-search.ts'
import { type ChatSaid, type ChatTranscript, chatRequest, chatTranscript } from '../chat-transcript.ts'
import type { RecordedCompaction } from '../imported-session.ts'
import { countOf, type Fields, fieldsOf, listOf, present, textOf, timeOf } from '../json-fields.ts'
import { LongestConversation } from '../longest-conversation.ts'
import type { RecordReader, Transcript } from '../record-reader.ts'
import type { SkipTally } from '../skip-tally.ts'
import { delegatedEvents } from './delegated-events.ts'
import { callIdOf, type EventMeaning, isEvent, meaningOf } from './openhands-event.ts'
import { isRun, type OpenHandsRun, runOf } from './openhands-file.ts'

/** Reads runs of OpenHands, of several the longest; or its events one by one. */
export class OpenHandsReader implements RecordReader {
  readonly format = 'openhands'
  readonly #skipped: SkipTally
  readonly #runs: LongestConversation<OpenHandsRun>
  readonly #events: PlacedEvent[] = []

  constructor(skipped: SkipTally, session?: string) {
    this.#skipped = skipped
    this.#runs = new LongestConversation(skipped, session)
  }

  read(record: unknown, line: number): void {
    if (isRun(record)) {
      const run = runOf(record)
      this.#runs.offer({ id: run.id, messages: run.events.length, line, content: run })
    } else if (isEvent(fieldsOf(record))) this.#events.push({ event: record, line })
    else this.#skipped.add('unknown record', line)
  }

  finish(): Transcript {
    const run = this.#longestRun()
    const events = run?.events.map((event, at) => ({ event, line: this.#runs.placeOf(at) })) ?? this.#events
    const telling = new EventTelling(this.#skipped)
    telling.tell(events)
    const { dialect, items, calls, compactions } = telling.transcript()
    const model = calls.findLast((call) => call.model !== undefined)?.model ?? run?.model
    const request = chatRequest(items, { model, tools: toolsOf(events) })
    return { dialect, items, calls, compactions, request, ...present({ id: run?.id, model }) }
  }

  /** Undefined where it is the events that stand alone: what is left of a torn run, where there are others. */
  #longestRun(): OpenHandsRun | undefined {
    const { content: run, line } = this.#runs.best ?? {}
    const [first] = this.#events
    if (run === undefined || line === undefined || first === undefined) return run
    const isShorter = run.events.length < this.#events.length
    this.#skipped.add('other conversation', isShorter ? line : first.line)
    return isShorter ? undefined : run
  }
}

/** An event with the number that tells its place. */
interface PlacedEvent {
  readonly event: unknown
  readonly line: number
}

/** The system prompt is written down with the tools of the agent. */
function toolsOf(events: readonly PlacedEvent[]): readonly unknown[] | undefined {
  const system = events.map(({ event }) => fieldsOf(event)).find(({ action }) => action === 'system')
  const tools = listOf(fieldsOf(system?.args).tools)
  return tools.length === 0 ? undefined : tools
}

/** Makes messages of events, in their order. */
class EventTelling {
  readonly #skipped: SkipTally
  readonly #said: ChatSaid[] = []
  /** Number of the event of each message. */
  readonly #numbers: (number | undefined)[] = []
  readonly #compactions: Omit<OpenHandsCompaction, 'position'>[] = []
  /** Responses whose message stands already: each of their calls is an event of its own. */
  readonly #responses = new Set<string>()
  /** Ids of calls by the numbers of the events that made them. */
  readonly #calls = new Map<unknown, string>()
  readonly #seen = new Set<string>()
  #contextTokens: number | undefined

  constructor(skipped: SkipTally) {
    this.#skipped = skipped
  }

  tell(events: readonly PlacedEvent[]): void {
    const delegated = delegatedEvents(events.map(({ event }) => fieldsOf(event)))
    events.forEach(({ event, line }, at) => {
      const fields = fieldsOf(event)
      if (delegated.has(at)) this.#skipped.add('sidechain', line)
      else if (this.#isCopy(fields)) this.#skipped.add('duplicate record', line)
      else this.#add(fields, meaningOf(fields, this.#calls), line)
    })
  }

  transcript(): ChatTranscript & { readonly compactions: readonly RecordedCompaction[] } {
    const transcript = chatTranscript(this.#said, this.#skipped)
    const firstBehind = firstAbove(this.#numbers.map((number) => number ?? Number.NEGATIVE_INFINITY))
    const compactions = this.#compactions.map(({ before, forgottenTo, ...compaction }): RecordedCompaction => {
      const position = transcript.position(before)
      const kept = forgottenTo === undefined ? undefined : firstBehind(forgottenTo)
      const isKept = kept !== undefined && kept < before
      return { position, ...compaction, ...(isKept && { keptFrom: transcript.position(kept) }) }
    })
    return { ...transcript, compactions }
  }

  #add(event: Fields, meaning: EventMeaning, line: number): void {
    if (meaning.kind === 'skip') this.#skipped.add(meaning.reason, line)
    else if (meaning.kind === 'compaction') this.#compact(meaning)
    else if (meaning.kind === 'answer') this.#answer(event, meaning, line)
    else this.#push(event, { item: meaning.item, line, injected: meaning.kind === 'said' && meaning.injected })
  }

  #answer(event: Fields, { item, response }: EventMeaning & { readonly kind: 'answer' }, line: number): void {
    if ('tool_calls' in item) this.#calls.set(event.id, callIdOf(event))
    const key = Object.keys(response).length === 0 ? undefined : (textOf(response.id) ?? jsonText(response))
    if (key !== undefined && this.#responses.has(key)) return
    if (key !== undefined) this.#responses.add(key)
    const usage = usageOf(response)
    if (usage !== undefined) this.#contextTokens = usage.input + usage.output
    const call = present({ usage, model: textOf(response.model), timestamp: timeOf(event.timestamp) })
    this.#push(event, { item, line, call })
  }

  #push(event: Fields, said: ChatSaid): void {
    this.#said.push({ ...said, timestamp: timeOf(event.timestamp) })
    this.#numbers.push(typeof event.id === 'number' ? event.id : undefined)
  }

  #compact({ summary, forgottenTo }: EventMeaning & { readonly kind: 'compaction' }): void {
    const tokensBefore = this.#contextTokens
    this.#compactions.push({
      before: this.#said.length,
      forgottenTo,
      trigger: 'auto',
      kind: 'summary',
      ...present({ summary, tokensBefore }),
    })
    this.#contextTokens = undefined
  }

  /** Streams that were put together may hold an event twice. */
  #isCopy({ id, timestamp, action, observation }: Fields): boolean {
    if (countOf(id) === undefined || textOf(timestamp) === undefined) return false
    const key = jsonText([id, timestamp, action, observation])
    const known = this.#seen.has(key)
    this.#seen.add(key)
    return known
  }
}

type OpenHandsCompaction = RecordedCompaction & {
  /** How many messages had been said. */
  readonly before: number
  /** Number of the last event that left the view. */
  readonly forgottenTo: number | undefined
}

/** Usage as LiteLLM reports it: cached tokens are inside the prompt. */
function usageOf({ usage }: Fields): Usage | undefined {
  const counts = fieldsOf(usage)
  const input = countOf(counts.prompt_tokens) ?? 0
  if (input === 0) return undefined
  const cached = countOf(fieldsOf(counts.prompt_tokens_details).cached_tokens)
  return {
    input,
    cacheRead: countOf(counts.cache_read_input_tokens) ?? cached ?? 0,
    cacheWrite: countOf(counts.cache_creation_input_tokens) ?? 0,
    output: countOf(counts.completion_tokens) ?? 0,
  }
}
