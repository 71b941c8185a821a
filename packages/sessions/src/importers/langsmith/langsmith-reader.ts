import type { ImportedItem, RecordedCall } from '../imported-session.ts'
import { type Fields, isFields, present, textOf } from '../json-fields.ts'
import { LongestConversation } from '../longest-conversation.ts'
import type { RecordReader, Transcript } from '../record-reader.ts'
import type { SkipTally } from '../skip-tally.ts'
import { langChainMessage } from './langchain-message.ts'
import { answerOf, isRun, messagesOf, type RunAnswer, runsIn } from './langsmith-run.ts'
import { messageModel, messageUsage } from './langsmith-usage.ts'

/**
 * Reads runs of LangSmith. An agent's runs repeat its conversation, each one step further: the longest counts. A session is
 * asked for by the id of a run or of a trace.
 */
export class LangSmithReader implements RecordReader {
  readonly format = 'langsmith'
  readonly #skipped: SkipTally
  readonly #wanted: string | undefined
  readonly #conversations: LongestConversation<RunMessages>
  /** What runs of models say of their calls, by the ids of the answers. */
  readonly #calls = new Map<string, Omit<RecordedCall, 'position'>>()
  /** Names of the outermost runs, by their traces. */
  readonly #titles = new Map<string, string>()
  #records = 0

  constructor(skipped: SkipTally, session?: string) {
    this.#skipped = skipped
    this.#wanted = session
    this.#conversations = new LongestConversation(skipped, session)
  }

  read(record: unknown, line: number): void {
    this.#records += 1
    const listed = Array.isArray(record) ? (record as readonly unknown[]) : [record]
    const runs = listed.flatMap((run) => (isFields(run) && isRun(run) ? runsIn(run) : [run]))
    // In a document it is the number of the run that tells its place.
    runs.forEach((run, at) => {
      this.#run(run, runs.length > 1 ? at + 1 : line, line)
    })
  }

  finish(): Transcript {
    const { messages = [], trace, line = 0, answer } = this.#conversations.best?.content ?? {}
    const items = messages.flatMap((message, at) => this.#item(message, this.#records > 1 ? line : at + 1))
    const calls = items.flatMap(({ item }, position) => {
      // An answer without an id can only be told by its place: it came last.
      const own = position === items.length - 1 && answer?.id === undefined ? answer?.call : undefined
      return this.#call(item as Fields, { position, ...own })
    })
    const title = trace === undefined ? undefined : this.#titles.get(trace)
    const model = calls.findLast((call) => call.model !== undefined)?.model
    const request = { ...present({ model }), messages: items.map(({ item }) => item) }
    return { dialect: 'langchain', items, calls, compactions: [], request, ...present({ id: trace, title, model }) }
  }

  #run(run: unknown, place: number, line: number): void {
    if (!isFields(run) || !isRun(run)) {
      this.#skipped.add('unknown record', place)
      return
    }
    const trace = textOf(run.trace_id) ?? textOf(run.id)
    const name = textOf(run.name)
    if (trace !== undefined && name !== undefined && run.parent_run_id == null && !this.#titles.has(trace)) {
      this.#titles.set(trace, name)
    }
    const answer = answerOf(run)
    if (answer?.id !== undefined) this.#calls.set(answer.id, answer.call)
    const messages = messagesOf(run)
    if (messages.length === 0) this.#skipped.add('run without messages', place)
    else {
      const id = textOf(run.id) === this.#wanted ? this.#wanted : trace
      this.#conversations.offer({
        id,
        messages: messages.length,
        line: place,
        content: { messages, trace, line, answer },
      })
    }
  }

  #item(message: unknown, line: number): ImportedItem[] {
    const item = langChainMessage(message)
    if (item === undefined) {
      this.#skipped.add('unknown message', line)
      return []
    }
    const timestamp = this.#calls.get(textOf(item.id) ?? '')?.timestamp
    return [{ item, line, ...present({ timestamp }) }]
  }

  #call(item: Fields, call: RecordedCall): RecordedCall[] {
    if (item.type !== 'ai') return []
    const { usage, model, timestamp } = this.#calls.get(textOf(item.id) ?? '') ?? call
    const told = { usage: messageUsage(item) ?? usage, model: messageModel(item) ?? model, timestamp }
    return [{ position: call.position, ...present(told) }]
  }
}

/** What was said in one run. */
interface RunMessages {
  readonly messages: readonly unknown[]
  readonly trace: string | undefined
  /** Line of the file. */
  readonly line: number
  readonly answer: RunAnswer | undefined
}
