import type { OverflowContext, OverflowFacts, StreamReader, Usage } from './dialect.ts'
import { isObject, tokenCount } from './json-fields.ts'
import { overflowFacts } from './overflow.ts'

/** What a wire format says about its stream events. `Answer` is as much of the whole answer as usage and outcome read. */
export interface StreamRules<Answer> {
  /** The answer before the first event. */
  readonly empty: Answer
  /** The answer after one more event; it keeps no content, so that a long answer costs no memory. */
  fold(answer: Answer, event: unknown): Answer
  hasContent(event: unknown): boolean
  /** Is this the format's event for an error, its own or that of a gateway in between? */
  isFailure(event: unknown): boolean
  isEnd(answer: Answer, event: unknown): boolean
  usage(answer: Answer): Usage | undefined
  outcome(answerOrEvent: unknown, context: OverflowContext): 'ok' | OverflowFacts
}

/** A reader of one stream by the rules of its format: what it tells is what the format tells of the whole answer. */
export function streamReader<Answer>(rules: StreamRules<Answer>): StreamReader {
  return new RuledReader(rules)
}

class RuledReader<Answer> implements StreamReader {
  readonly #rules: StreamRules<Answer>
  #answer: Answer
  #started = false
  #finished = false
  #failure: unknown

  constructor(rules: StreamRules<Answer>) {
    this.#rules = rules
    this.#answer = rules.empty
  }

  get started(): boolean {
    return this.#started
  }

  get finished(): boolean {
    return this.#finished
  }

  get failure(): unknown {
    return this.#failure
  }

  push(event: unknown): void {
    if (this.#rules.isFailure(event)) this.#failure ??= event
    this.#started ||= this.#rules.hasContent(event)
    this.#answer = this.#rules.fold(this.#answer, event)
    this.#finished ||= this.#rules.isEnd(this.#answer, event)
  }

  usage(): Usage | undefined {
    return this.#rules.usage(this.#answer)
  }

  overflow(context: OverflowContext): OverflowFacts | undefined {
    const outcome = this.#rules.outcome(this.#failure ?? this.#answer, context)
    if (outcome !== 'ok') return outcome
    return this.#failure === undefined ? undefined : overflowFacts(this.#failure, context)
  }
}

/** Is this an error in the form that most formats and gateways share: an `error` that says something? */
export function isErrorEvent(event: unknown): boolean {
  if (!isObject(event)) return false
  return event.type === 'error' || isObject(event.error) || (typeof event.error === 'string' && event.error !== '')
}

/**
 * Counts of two reports of one answer: a later report completes an earlier one. Some servers report a count as 0 or null
 * where they do not repeat it, so that a count, once known, gives way to a positive one only.
 */
export function laterCounts(earlier: unknown, later: unknown): unknown {
  if (!isObject(later)) return earlier
  if (!isObject(earlier)) return later
  const told = Object.entries(later).filter(
    ([, value]) => isObject(value) || Array.isArray(value) || tokenCount(value) > 0,
  )
  return { ...earlier, ...Object.fromEntries(told) }
}

/** Is it a text that is not empty? */
export function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
