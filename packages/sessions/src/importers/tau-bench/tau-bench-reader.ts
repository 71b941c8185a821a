import { type ChatSaid, chatRequest, chatTranscript, saysSomething } from '../chat-transcript.ts'
import { countOf, type Fields, fieldsOf, isFields, listOf, present, textOf } from '../json-fields.ts'
import { LongestConversation } from '../longest-conversation.ts'
import type { RecordReader, Transcript } from '../record-reader.ts'
import type { SkipTally } from '../skip-tally.ts'

/** One run of a task: it has the messages of the conversation as the agent sent them. */
export function isTauRun(value: unknown): value is Fields {
  return isFields(value) && Array.isArray(value.traj) && ('task_id' in value || 'reward' in value)
}

/** Reads results of τ-bench, of several runs the longest. A run is told by its task: `33`, or with its trial `33/0`. */
export class TauBenchReader implements RecordReader {
  readonly format = 'tau-bench'
  readonly #skipped: SkipTally
  readonly #wanted: string | undefined
  readonly #runs: LongestConversation<Fields>

  constructor(skipped: SkipTally, session?: string) {
    this.#skipped = skipped
    this.#wanted = session
    this.#runs = new LongestConversation(skipped, session)
  }

  read(record: unknown, line: number): void {
    for (const run of Array.isArray(record) ? record : [record]) {
      if (isTauRun(run)) this.#offer(run, line)
      else this.#skipped.add('unknown record', line)
    }
  }

  finish(): Transcript {
    const run = this.#runs.best
    const said = listOf(run?.content.traj).flatMap((message, at) => this.#said(message, this.#runs.placeOf(at)))
    const { dialect, items, calls } = chatTranscript(said, this.#skipped)
    const id = run && (taskAndTrial(run.content) ?? run.id)
    return { dialect, items, calls, compactions: [], request: chatRequest(items), ...present({ id }) }
  }

  #offer(run: Fields, line: number): void {
    const [task, both] = [taskOf(run), taskAndTrial(run)]
    const id = this.#wanted !== undefined && this.#wanted === both ? both : task
    this.#runs.offer({ id, messages: listOf(run.traj).length, line, content: run })
  }

  #said(message: unknown, line: number): ChatSaid[] {
    const item = fieldsOf(message)
    const known = typeof item.role === 'string' && ROLES.has(item.role)
    if (!known || !saysSomething(item)) {
      this.#skipped.add(known ? 'empty message' : 'unknown message', line)
      return []
    }
    return [{ item, line, injected: isToolOutput(item), ...(item.role === 'assistant' && { call: {} }) }]
  }
}

/** Agents without function calling get what a tool gave as a message of the user. */
function isToolOutput({ role, content }: Fields): boolean {
  return role === 'user' && typeof content === 'string' && content.startsWith('API output: ')
}

function taskOf({ task_id: task }: Fields): string | undefined {
  return textOf(task) ?? countOf(task)?.toString()
}

function taskAndTrial(run: Fields): string | undefined {
  const trial = countOf(run.trial)
  return trial === undefined ? undefined : `${taskOf(run) ?? ''}/${trial}`
}

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])
