import type { Usage } from 'palimpsest'
import { type ChatSaid, saysSomething } from '../chat-transcript.ts'
import { dropWhile } from '../drop-while.ts'
import { countOf, type Fields, fieldsOf, listOf, present, textOf, timeOf } from '../json-fields.ts'
import type { SkipTally } from '../skip-tally.ts'

/** A message or step of a trajectory, with the number that tells its place. */
export interface PlacedPiece {
  readonly piece: unknown
  readonly line: number
}

export interface MessageOptions {
  readonly model?: string | undefined
}

/**
 * The messages of a history as they were sent. What the user says ends with the first answer of the model: then what stands
 * in the user's name is what the tools gave. Demonstrations are the client's. What other agents than the first said among
 * themselves is left out.
 */
export function historyMessages(
  history: readonly PlacedPiece[],
  skipped: SkipTally,
  { model }: MessageOptions = {},
): ChatSaid[] {
  const main = history.map(({ piece }) => textOf(fieldsOf(piece).agent)).find((agent) => agent !== undefined)
  const said: ChatSaid[] = []
  let answered = false
  for (const { piece, line } of history) {
    const entry = fieldsOf(piece)
    const reason = reasonToSkip(entry, main)
    if (reason !== undefined) {
      skipped.add(reason, line)
      continue
    }
    const isDemonstration = entry.is_demo === true
    const isAnswer = entry.role === 'assistant' && !isDemonstration
    const injected = entry.role === 'user' && (isDemonstration || answered)
    answered ||= isAnswer
    const timestamp = secondsOf(entry.timestamp) ?? secondsOf(fieldsOf(entry.extra).timestamp)
    const call = isAnswer ? present({ usage: usageOf(entry), model, timestamp }) : undefined
    said.push({ item: messageOf(entry), line, timestamp, injected, call })
  }
  return said
}

/** What the steps say of the conversation: each answer, and what was seen then. */
export function stepMessages(
  steps: readonly PlacedPiece[],
  skipped: SkipTally,
  { model }: MessageOptions = {},
): ChatSaid[] {
  return steps.flatMap(({ piece, line }): ChatSaid[] => {
    const { response, thought, action, observation } = fieldsOf(piece)
    const answer = textOf(response) ?? ([thought, action].map(textOf).filter(Boolean).join('\n') || undefined)
    const said: ChatSaid[] = []
    if (answer !== undefined) {
      said.push({ item: { role: 'assistant', content: answer }, line, call: present({ model }) })
    }
    if (typeof observation === 'string') {
      said.push({ item: { role: 'user', content: observation }, line, injected: true })
    }
    if (said.length === 0) skipped.add('unknown message', line)
    return said
  })
}

/**
 * What is left of the history of a torn file, and behind it what only the steps tell: they stand before the history, so they
 * are whole where it is not.
 */
export function tornMessages(
  history: readonly PlacedPiece[],
  steps: readonly PlacedPiece[],
  skipped: SkipTally,
): ChatSaid[] {
  const said = historyMessages(history, skipped)
  const told = stepsTold(said, steps)
  const seen = outcomeOf(said.at(-1), steps[told - 1], { last: told === steps.length })
  return [...said, ...(seen === undefined ? [] : [seen]), ...stepMessages(steps.slice(told), skipped)]
}

/** How many steps the messages tell of: up to the last one whose answer stands among them, behind that of the one before. */
function stepsTold(said: readonly ChatSaid[], steps: readonly PlacedPiece[]): number {
  const places = new Map<unknown, number[]>()
  said.forEach(({ item, call }, place) => {
    if (call === undefined) return
    const same = places.get(item.content)
    if (same === undefined) places.set(item.content, [place])
    else same.push(place)
  })
  for (const same of places.values()) same.reverse()
  let told = 0
  let from = 0
  steps.forEach(({ piece }, at) => {
    const left = places.get(fieldsOf(piece).response) ?? []
    dropWhile(left, (place) => place < from)
    const found = left.at(-1)
    if (found === undefined) return
    told = at + 1
    from = found + 1
  })
  return told
}

/** What was seen in the step of the last answer, where the history ends with that. Texts end so: what came last was not sent. */
function outcomeOf(
  answer: ChatSaid | undefined,
  step: PlacedPiece | undefined,
  { last }: { readonly last: boolean },
): ChatSaid | undefined {
  const content = fieldsOf(step?.piece).observation
  if (answer?.call === undefined || step === undefined || typeof content !== 'string') return undefined
  const id = textOf(fieldsOf(listOf(answer.item.tool_calls)[0]).id)
  if (id !== undefined) return { item: { role: 'tool', tool_call_id: id, content }, line: step.line }
  return last ? undefined : { item: { role: 'user', content }, line: step.line, injected: true }
}

function reasonToSkip(entry: Fields, main: string | undefined): string | undefined {
  if (entry.role === 'exit') return 'client record'
  if (typeof entry.role !== 'string' || !ROLES.has(entry.role)) return 'unknown message'
  if (textOf(entry.agent) !== undefined && entry.agent !== main) return 'sidechain'
  return saysSomething(entry) ? undefined : 'empty message'
}

/** The message without what the agent notes about it; fields that are not known stay. */
function messageOf(entry: Fields): Fields {
  const { tool_call_ids: ids, tool_calls: calls } = entry
  const kept = Object.entries(entry).filter(
    ([key, value]) => !NOTES.has(key) && !(key === 'tool_calls' && value == null),
  )
  const message: Fields = Object.fromEntries(kept)
  if (Array.isArray(calls) && calls.length === 0) return without(message, 'tool_calls')
  // The client writes a list, and sends the first: a result answers one call.
  const id = entry.role === 'tool' && message.tool_call_id === undefined ? textOf(listOf(ids)[0]) : undefined
  return id === undefined ? message : { ...message, tool_call_id: id }
}

function without(message: Fields, key: string): Fields {
  return Object.fromEntries(Object.entries(message).filter(([other]) => other !== key))
}

/** mini-SWE-agent keeps the whole response beside its message. */
function usageOf({ extra }: Fields): Usage | undefined {
  const {
    prompt_tokens: prompt,
    completion_tokens: completion,
    prompt_tokens_details: details,
  } = fieldsOf(fieldsOf(fieldsOf(extra).response).usage)
  const input = countOf(prompt) ?? 0
  if (input === 0) return undefined
  const cacheRead = countOf(fieldsOf(details).cached_tokens) ?? 0
  return { input, cacheRead, cacheWrite: 0, output: countOf(completion) ?? 0 }
}

/** mini-SWE-agent counts seconds. */
function secondsOf(value: unknown): number | undefined {
  return typeof value === 'number' ? timeOf(value * 1000) : undefined
}

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

/** What is noted about a message and was not sent with it. */
const NOTES: ReadonlySet<string> = new Set([
  'action',
  'agent',
  'cache_control',
  'extra',
  'is_demo',
  'message_type',
  'tags',
  'thought',
  'timestamp',
  'tool_call_ids',
])
