import type { StreamReader } from '../dialect.ts'
import { fieldsOf, listOf } from '../json-fields.ts'
import { isErrorEvent, isText, type StreamRules, streamReader } from '../stream-reader.ts'
import { judgeOutcome, readUsage } from './usage.ts'

/** A reader of the chunks of one streamed completion. The closing `[DONE]` is taken as the text it is. */
export function readStream(): StreamReader {
  return streamReader(RULES)
}

interface Answer {
  readonly usage?: unknown
  /** What each choice said when it ended; undefined for one that goes on. By the index of the choice. */
  readonly choices: readonly Choice[]
}

interface Choice {
  readonly finish_reason?: unknown
  readonly native_finish_reason?: unknown
}

const RULES: StreamRules<Answer> = {
  empty: { choices: [] },
  fold: foldChunk,
  hasContent: (event) => listOf(fieldsOf(event).choices).some(hasDelta),
  isFailure: (event) => isErrorEvent(event) || fieldsOf(event).object === 'error',
  isEnd: (answer, event) => isDone(event) || (answer.choices.length > 0 && answer.choices.every(hasEnded)),
  usage: readUsage,
  outcome: judgeOutcome,
}

/** Usage comes once, in a chunk of its own, or in every chunk for all so far: the newest that counts anything tells all. */
function foldChunk(answer: Answer, event: unknown): Answer {
  const { usage, x_groq: groq, choices } = fieldsOf(event)
  return {
    usage: readUsage(event) === undefined ? answer.usage : (usage ?? fieldsOf(groq).usage),
    choices: listOf(choices).reduce(foldChoice, answer.choices),
  }
}

/** Choices that are followed; a request for more is not heard of, and what a server invents shall cost nothing. */
const MAX_CHOICES = 128

function foldChoice(choices: readonly Choice[], choice: unknown): readonly Choice[] {
  const { index, finish_reason: reason, native_finish_reason: native } = fieldsOf(choice)
  const place = typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : 0
  if (place >= MAX_CHOICES) return choices
  const grown = Array.from({ length: Math.max(choices.length, place + 1) }, (_, at) => choices[at] ?? {})
  const known = grown[place] ?? {}
  grown[place] = {
    finish_reason: reason ?? known.finish_reason,
    native_finish_reason: native ?? known.native_finish_reason,
  }
  return grown
}

/** Routers end a choice that failed with the reason `error`: that is no end of its own. */
function hasEnded({ finish_reason: reason }: Choice): boolean {
  return typeof reason === 'string' && reason !== 'error'
}

function isDone(event: unknown): boolean {
  return typeof event === 'string' && event.trim() === '[DONE]'
}

/** Fields of a delta that say nothing by themselves. */
const ENVELOPE = ['role', 'name']

/** Anything else in a delta was said by the model: each server has its own field for reasoning. */
function hasDelta(choice: unknown): boolean {
  const { delta, message, text } = fieldsOf(choice)
  const said = { ...fieldsOf(message), ...fieldsOf(delta) }
  return isText(text) || Object.entries(said).some(([name, value]) => !ENVELOPE.includes(name) && isSaid(value))
}

function isSaid(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return typeof value === 'object' ? Object.keys(fieldsOf(value)).length > 0 : isText(value)
}
