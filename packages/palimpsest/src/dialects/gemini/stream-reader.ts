import type { StreamReader } from '../dialect.ts'
import { isObject, listOf, property } from '../json-fields.ts'
import { isErrorEvent, isText, type StreamRules, streamReader } from '../stream-reader.ts'
import { field } from './fields.ts'
import { outcomeOf, usageOf } from './usage.ts'

/** A reader of the chunks of one `streamGenerateContent` answer; a list of chunks, or a whole answer, is taken too. */
export function readStream(): StreamReader {
  return streamReader(RULES)
}

interface Answer {
  readonly usageMetadata?: unknown
  readonly candidates?: readonly { readonly finishReason: unknown }[]
}

const RULES: StreamRules<Answer> = {
  empty: {},
  fold: (answer, event) => chunksOf(event).reduce(foldChunk, answer),
  hasContent: (event) => chunksOf(event).some((chunk) => candidatesOf(chunk).some(hasParts)),
  isFailure: (event) => chunksOf(event).some(isErrorEvent),
  isEnd: (answer, event) => answer.candidates !== undefined || chunksOf(event).some(isBlocked),
  usage: usageOf,
  outcome: outcomeOf,
}

/** Code Assist wraps each chunk in `response`. */
function chunksOf(event: unknown): readonly unknown[] {
  const chunks: readonly unknown[] = Array.isArray(event) ? event : [event]
  return chunks.map((chunk) => property(chunk, 'response') ?? chunk)
}

function candidatesOf(chunk: unknown): readonly unknown[] {
  return listOf(property(chunk, 'candidates'))
}

/** Every chunk counts the whole answer so far: the newest that counts anything tells all. */
function foldChunk(answer: Answer, chunk: unknown): Answer {
  const finishReason = candidatesOf(chunk)
    .map((candidate) => field(candidate, 'finishReason'))
    .findLast((reason) => typeof reason === 'string')
  return {
    ...answer,
    ...(usageOf(chunk) !== undefined && { usageMetadata: field(chunk, 'usageMetadata') }),
    ...(finishReason !== undefined && { candidates: [{ finishReason }] }),
  }
}

function hasParts(candidate: unknown): boolean {
  return listOf(property(property(candidate, 'content'), 'parts')).some(
    (part) => isObject(part) && Object.entries(part).some(([name, value]) => saysSomething(name, value)),
  )
}

/** Marks of a part that are nothing without its text. */
const MARKS = ['thought', 'thoughtSignature', 'thought_signature']

function saysSomething(name: string, value: unknown): boolean {
  return name === 'text' ? isText(value) : !MARKS.includes(name) && value !== undefined && value !== null
}

/** A prompt that was refused has no candidates at all. */
function isBlocked(chunk: unknown): boolean {
  return property(chunk, 'promptFeedback') !== undefined && candidatesOf(chunk).length === 0
}
