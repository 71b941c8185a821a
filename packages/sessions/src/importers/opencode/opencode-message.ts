import type { Usage } from 'palimpsest'
import { jsonText } from 'palimpsest/engine'
import { countOf, type Fields, fieldsOf, isFields, listOf, present, textOf } from '../json-fields.ts'

/** One message of an AI SDK prompt, which is what opencode builds of its own before each call. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: readonly Fields[]
}

/** What a user's message says. Texts that opencode put in by itself stand apart, so that they are not taken for the user's. */
export function userMessages(parts: readonly Fields[]): { readonly item: PromptMessage; readonly injected: boolean }[] {
  const runs: { readonly content: Fields[]; readonly injected: boolean }[] = []
  for (const part of parts) {
    const said = userPart(part)
    if (said === undefined) continue
    const injected = part.synthetic === true || part.type === 'subtask'
    const last = runs.at(-1)
    if (last?.injected === injected) last.content.push(said)
    else runs.push({ content: [said], injected })
  }
  return runs.map(({ content, injected }) => ({ item: { role: 'user', content }, injected }))
}

/** One call of the model: its answer, and the results of the calls in it. */
export interface AnswerStep {
  readonly messages: readonly PromptMessage[]
  readonly usage: Usage | undefined
}

/** The steps of an answer: older versions keep several calls of the model in one message. */
export function answerSteps(info: Fields, parts: readonly Fields[]): AnswerStep[] {
  const steps = splitSteps(parts)
  return steps.map((step) => {
    const finish = step.findLast((part) => part.type === 'step-finish')
    const own = finish === undefined ? undefined : opencodeUsage(fieldsOf(finish.tokens))
    const answer = step.flatMap(answerPart)
    const results = step.filter((part) => !isProviderRun(part)).flatMap(toolResult)
    const messages: PromptMessage[] = [
      { role: 'assistant', content: answer },
      { role: 'tool', content: results },
    ]
    return {
      messages: messages.filter(({ content }) => content.length > 0),
      usage: own ?? (steps.length === 1 ? opencodeUsage(fieldsOf(info.tokens)) : undefined),
    }
  })
}

/** All words of an answer. */
export function answerText(parts: readonly Fields[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? (textOf(part.text) ?? []) : [])).join('\n')
}

/** opencode counts what a cache served or took, and reasoning, beside input and output. */
export function opencodeUsage(tokens: Fields): Usage | undefined {
  const cache = fieldsOf(tokens.cache)
  const cacheRead = countOf(cache.read) ?? 0
  const cacheWrite = countOf(cache.write) ?? 0
  const input = (countOf(tokens.input) ?? 0) + cacheRead + cacheWrite
  const output = (countOf(tokens.output) ?? 0) + (countOf(tokens.reasoning) ?? 0)
  return input + output === 0 ? undefined : { input, cacheRead, cacheWrite, output }
}

/** Types of parts that are no content: marks of steps, of the work tree, of retries, and whom the user spoke to. */
const SILENT_PARTS: ReadonlySet<unknown> = new Set([
  'step-start',
  'step-finish',
  'snapshot',
  'patch',
  'agent',
  'retry',
  'compaction',
])

const SPOKEN_PARTS: ReadonlySet<unknown> = new Set(['text', 'file', 'reasoning', 'tool', 'subtask'])

/** Is this a part whose meaning is known? */
export function isKnownPart(part: unknown): part is Fields {
  return isFields(part) && (SILENT_PARTS.has(part.type) || SPOKEN_PARTS.has(part.type))
}

function userPart(part: Fields): Fields | undefined {
  if (part.type === 'text') {
    return part.ignored === true || textOf(part.text) === undefined ? undefined : { type: 'text', text: part.text }
  }
  if (part.type === 'file') return filePart(part)
  if (part.type !== 'subtask') return undefined
  return {
    type: 'text',
    text: `A subagent was given this task: ${textOf(part.prompt) ?? textOf(part.description) ?? ''}`,
  }
}

/** Text files and folders are sent as the texts that stand beside them. */
function filePart({ mime, url, filename }: Fields): Fields | undefined {
  if (mime === 'text/plain' || mime === 'application/x-directory' || typeof url !== 'string') return undefined
  return { type: 'file', mediaType: mime, data: dataOf(url), ...present({ filename: textOf(filename) }) }
}

/** A data URL holds the file, any other address names it. */
function dataOf(url: string): string {
  const comma = url.startsWith('data:') ? url.indexOf(',') : -1
  return comma === -1 ? url : url.slice(comma + 1)
}

function splitSteps(parts: readonly Fields[]): Fields[][] {
  const steps: Fields[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start' && steps.at(-1)?.some(({ type }) => type !== 'step-start')) steps.push([])
    steps.at(-1)?.push(part)
  }
  return steps
}

function answerPart(part: Fields): Fields[] {
  const options = isFields(part.metadata) ? { providerOptions: part.metadata } : {}
  if (part.type === 'text')
    return textOf(part.text) === undefined ? [] : [{ type: 'text', text: part.text, ...options }]
  if (part.type === 'reasoning') {
    const isEmpty = textOf(part.text) === undefined && !isFields(part.metadata)
    return isEmpty ? [] : [{ type: 'reasoning', text: part.text ?? '', ...options }]
  }
  if (part.type === 'file') return [filePart(part) ?? []].flat()
  if (part.type !== 'tool') return []
  const provider = isProviderRun(part)
  const call = {
    type: 'tool-call',
    toolCallId: part.callID,
    toolName: part.tool,
    input: fieldsOf(part.state).input ?? {},
  }
  return provider ? [{ ...call, providerExecuted: true }, ...toolResult(part)] : [call]
}

/** A tool of the provider has its result inside the answer. */
function isProviderRun(part: Fields): boolean {
  return part.type === 'tool' && fieldsOf(part.metadata).providerExecuted === true
}

/** The original result, also where opencode cleared it from the model's view. A call that was cut off has none. */
function toolResult(part: Fields): Fields[] {
  if (part.type !== 'tool') return []
  const output = outputOf(fieldsOf(part.state))
  return output === undefined ? [] : [{ type: 'tool-result', toolCallId: part.callID, toolName: part.tool, output }]
}

function outputOf(state: Fields): Fields | undefined {
  const { metadata } = state
  if (state.status === 'error') {
    const partial = fieldsOf(metadata)
    const said = partial.interrupted === true ? textOf(partial.output) : undefined
    return said === undefined ? { type: 'error-text', value: textOf(state.error) ?? '' } : { type: 'text', value: said }
  }
  if (state.status !== 'completed') return undefined
  const text = typeof state.output === 'string' ? state.output : jsonText(state.output ?? '')
  const files = listOf(state.attachments)
    .filter(isFields)
    .filter(({ url }) => typeof url === 'string')
  if (files.length === 0) return { type: 'text', value: text }
  const media = files.map(({ mime, url }) => ({ type: 'media', mediaType: mime, data: dataOf(String(url)) }))
  return { type: 'content', value: [{ type: 'text', text }, ...media] }
}
