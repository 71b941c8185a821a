import type { Usage } from 'palimpsest'
import { jsonText } from 'palimpsest/engine'
import { countOf, type Fields, fieldsOf, isFields, listOf, textOf } from '../json-fields.ts'

/** A message of a chat: an answer with its calls and their results, the user's words, or a note on the screen. */
export function isMessageRecord(record: unknown): record is Fields & { readonly id: string; readonly type: string } {
  if (!isFields(record) || typeof record.id !== 'string') return false
  return (
    typeof record.type === 'string' && MESSAGE_TYPES.has(record.type) && ('content' in record || 'toolCalls' in record)
  )
}

/** Content of Gemini's dialect. */
export interface GeminiContent {
  readonly role: 'user' | 'model'
  readonly parts: readonly Fields[]
}

/** What Gemini CLI sends of a message: its content, and behind an answer the results of its calls. */
export function contentsOf(message: Fields): GeminiContent[] {
  if (message.type === 'user') return nonEmpty([{ role: 'user', parts: partsOf(message.content) }])
  const calls = listOf(message.toolCalls).filter(isFields)
  return nonEmpty([
    { role: 'model', parts: [...partsOf(message.content), ...missingCalls(message.content, calls)] },
    { role: 'user', parts: resultParts(calls) },
  ])
}

/** Content can be a text, a part, or a list of either. A part without data is no part. */
export function partsOf(content: unknown): Fields[] {
  const parts = (Array.isArray(content) ? content : [content]).map((part: unknown) =>
    typeof part === 'string' ? { text: part } : part,
  )
  return parts.filter(isFields).filter((part) => (part.text === '' ? Object.keys(part).length > 1 : isFilled(part)))
}

/** All texts of a content, joined. */
export function textOfContent(content: unknown): string {
  return partsOf(content)
    .map((part) => textOf(part.text) ?? '')
    .join('')
}

/** The summary that a message of the user is, where Gemini CLI put one in the place of what was said before. */
export function snapshotText(message: Fields): string | undefined {
  const text = message.type === 'user' ? textOfContent(message.content).trim() : ''
  return text.startsWith('<state_snapshot>') ? text : undefined
}

/** Ids of the results that a content holds; undefined where it holds anything else. */
export function resultIds(content: unknown): readonly string[] | undefined {
  const parts = partsOf(content)
  const ids = parts.map((part) => textOf(fieldsOf(part.functionResponse).id))
  return parts.length > 0 && ids.every((id) => id !== undefined) ? ids : undefined
}

/**
 * Did the client write this message of the user by itself? What the user typed stands beside it where the client put
 * something else in its place (the prompt of a command, the order to go on).
 */
export function isInjectedMessage(message: Fields): boolean {
  const text = textOfContent(message.content).trimStart()
  if (INJECTED_OPENINGS.some((opening) => text.startsWith(opening))) return true
  if (message.displayContent === undefined) return false
  const shown = new Set(partsOf(message.displayContent).map((part) => part.text))
  return !partsOf(message.content).some((part) => textOf(part.text) !== undefined && shown.has(part.text))
}

/** The usage of an answer. The recorded input holds what a cache served; thoughts are counted beside the output. */
export function geminiUsage(tokens: Fields): Usage | undefined {
  const input = (countOf(tokens.input) ?? 0) + (countOf(tokens.tool) ?? 0)
  const output = (countOf(tokens.output) ?? 0) + (countOf(tokens.thoughts) ?? 0)
  return input + output === 0 ? undefined : { input, cacheRead: countOf(tokens.cached) ?? 0, cacheWrite: 0, output }
}

function nonEmpty(contents: readonly GeminiContent[]): GeminiContent[] {
  return contents.filter(({ parts }) => parts.length > 0)
}

function isFilled(part: Fields): boolean {
  return Object.keys(part).length > 0
}

/** Some versions have the calls in the content too, where they keep what else stands on the part. */
function missingCalls(content: unknown, calls: readonly Fields[]): Fields[] {
  const present = partsOf(content).flatMap((part) => (isFields(part.functionCall) ? [part.functionCall] : []))
  const known = new Set(present.map(({ id, name, args }) => textOf(id) ?? jsonText([name, args])))
  return calls
    .filter(({ id, name, args }) => !known.has(textOf(id) ?? '') && !known.has(jsonText([name, args])))
    .map(({ id, name, args }) => ({ functionCall: { ...(textOf(id) && { id }), name, args: fieldsOf(args) } }))
}

/** A call that was rewritten may hold the results of its neighbours too: each stands once. */
function resultParts(calls: readonly Fields[]): Fields[] {
  const others = new Set(calls.map(({ id }) => textOf(id)))
  return calls.flatMap((call) => {
    const own = textOf(call.id)
    return resultsOf(call).filter((part) => {
      const id = textOf(fieldsOf(part.functionResponse).id)
      return id === undefined || id === own || !others.has(id)
    })
  })
}

function resultsOf({ id, name, result }: Fields): Fields[] {
  if (typeof result !== 'string') return partsOf(result)
  return [{ functionResponse: { ...(textOf(id) && { id }), name, response: { output: result } } }]
}

/** What Gemini CLI tells of the session in front of it, and its order to go on where an answer seemed unfinished. */
const INJECTED_OPENINGS = [
  '<session_context>',
  'This is the Gemini CLI. We are setting up the context',
  'System: Please continue.',
]

const MESSAGE_TYPES: ReadonlySet<string> = new Set(['user', 'gemini', 'info', 'error', 'warning'])
