import { type ChatSaid, chatRequest, chatTranscript } from '../chat-transcript.ts'
import { fieldsOf, present } from '../json-fields.ts'
import { LongestConversation } from '../longest-conversation.ts'
import type { RecordReader, Transcript } from '../record-reader.ts'
import type { SkipTally } from '../skip-tally.ts'
import { attemptsOf, isHistoryEntry, isStep, isTrajectory, type SweAttempt } from './swe-agent-file.ts'
import { historyMessages, type PlacedPiece, stepMessages, tornMessages } from './swe-agent-messages.ts'

/** Reads trajectory files, of several attempts or files the longest; and what is whole of one that is damaged. */
export class SweAgentReader implements RecordReader {
  readonly format = 'swe-agent'
  readonly #skipped: SkipTally
  readonly #attempts: LongestConversation<SweAttempt>
  /** Pieces of a damaged file: its steps, and the histories in it (a damaged step may hold what was sent for it). */
  readonly #steps: PlacedPiece[] = []
  readonly #histories: PlacedPiece[][] = []

  constructor(skipped: SkipTally, session?: string) {
    this.#skipped = skipped
    this.#attempts = new LongestConversation(skipped, session)
  }

  read(record: unknown, line: number): void {
    const fields = fieldsOf(record)
    if (isTrajectory(record)) {
      for (const attempt of attemptsOf(record)) this.#offer(attempt, line)
    } else if (isHistoryEntry(fields)) this.#historyEntry({ piece: fields, line }, fields.role === 'system')
    else if (isStep(fields)) this.#step({ piece: fields, line })
    else this.#skipped.add('unknown record', line)
  }

  finish(): Transcript {
    const attempt = this.#longestAttempt()
    const said = attempt === undefined ? this.#pieces() : this.#messages(attempt)
    const { dialect, items, calls } = chatTranscript(said, this.#skipped)
    const { task: id, model } = attempt ?? {}
    const request = chatRequest(items, { model })
    return { dialect, items, calls, compactions: [], request, ...present({ id, model }) }
  }

  /** Undefined where it is the pieces that stand alone: what is left of a torn attempt, where there are others. */
  #longestAttempt(): SweAttempt | undefined {
    const { content: attempt, messages, line } = this.#attempts.best ?? {}
    const loose = [...this.#steps, ...this.#histories.flat()]
    const [first] = loose
    if (attempt === undefined || messages === undefined || line === undefined || first === undefined) return attempt
    const isShorter = messages < loose.length
    this.#skipped.add('other conversation', isShorter ? line : first.line)
    return isShorter ? undefined : attempt
  }

  #offer(attempt: SweAttempt, line: number): void {
    const messages = Math.max(attempt.history.length, attempt.steps.length)
    this.#attempts.offer({ id: attempt.task, messages, line, content: attempt })
  }

  #messages({ history, steps, model }: SweAttempt): ChatSaid[] {
    const placed = (list: readonly unknown[]) => list.map((piece, at) => ({ piece, line: this.#attempts.placeOf(at) }))
    if (history.length > 0) return historyMessages(placed(history), this.#skipped, { model })
    return stepMessages(placed(steps), this.#skipped, { model })
  }

  #historyEntry(entry: PlacedPiece, begins: boolean): void {
    if (begins || this.#histories.length === 0) this.#histories.push([])
    this.#histories.at(-1)?.push(entry)
  }

  /** Steps stand before the history: what came before this one was sent for a step. */
  #step(step: PlacedPiece): void {
    this.#steps.push(step)
    if (this.#histories.length > 0) this.#histories.push([])
  }

  #pieces(): ChatSaid[] {
    const history = this.#histories.reduce((best, one) => (one.length >= best.length ? one : best), [])
    for (const { line } of this.#histories.filter((one) => one !== history).flat())
      this.#skipped.add('said again', line)
    return tornMessages(history, this.#steps, this.#skipped)
  }
}
