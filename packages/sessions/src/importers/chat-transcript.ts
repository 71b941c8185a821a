import { jsonText } from 'palimpsest/engine'
import type { ImportedItem, RecordedCall } from './imported-session.ts'
import { type Fields, fieldsOf, listOf, present, textOf } from './json-fields.ts'
import { OpenPlaces } from './open-places.ts'
import type { SkipTally } from './skip-tally.ts'

/** A Chat Completions message that a file holds, with what the file says about it. */
export interface ChatSaid {
  readonly item: Fields
  readonly line: number
  readonly timestamp?: number | undefined
  readonly injected?: boolean | undefined
  /** What is known of the model call, where the message is its answer. */
  readonly call?: Omit<RecordedCall, 'position'> | undefined
}

export interface ChatTranscript {
  readonly dialect: 'openai-chat'
  readonly items: readonly ImportedItem[]
  readonly calls: readonly RecordedCall[]
  /** Where the transcript stood when the first `messages` of them had been said. */
  position(messages: number): number
}

/**
 * The messages as a request holds them: results directly behind the message with their calls, wherever the file had them. A
 * result belongs to the newest open call of its id (ids repeat within a session); where none stands before it, to one behind
 * it that nothing else answers. A copy of a result is skipped. Calls without a result and results without a call stay where
 * they are.
 */
export function chatTranscript(said: readonly ChatSaid[], skipped: SkipTally): ChatTranscript {
  const { results, leave } = pair(said, skipped)
  const ordered: ChatSaid[] = []
  const positions: number[] = []
  said.forEach((message, at) => {
    positions.push(ordered.length)
    if (leave.has(at)) return
    ordered.push(message)
    for (const result of results.get(at) ?? []) ordered.push(result)
  })
  return {
    dialect: 'openai-chat',
    items: ordered.map(importedItem),
    calls: ordered.flatMap(({ call }, position) => (call === undefined ? [] : [{ position, ...call }])),
    position: (messages) => positions[messages] ?? ordered.length,
  }
}

/** What a file says of the requests beside their messages. */
export interface RequestFacts {
  readonly model?: string | undefined
  readonly tools?: readonly unknown[] | undefined
}

/** The last request of the conversation: in it the leading system messages are the system's, and tools are known. */
export function chatRequest(items: readonly ImportedItem[], { model, tools }: RequestFacts = {}): Fields {
  return { ...present({ model }), messages: items.map(({ item }) => item), ...present({ tools }) }
}

/** Is there anything in this message that a request could hold? */
export function saysSomething({ role, content, tool_calls: calls, function_call: call, refusal }: Fields): boolean {
  if (typeof content === 'string' || (Array.isArray(content) && content.length > 0)) return true
  return role === 'assistant' && (listOf(calls).length > 0 || call != null || typeof refusal === 'string')
}

function importedItem({ item, line, timestamp, injected }: ChatSaid): ImportedItem {
  return { item, line, ...present({ timestamp }), ...(injected === true && { injected }) }
}

/** `results`: those of the calls at that place, in the order of the file. `leave`: places of what does not come out there. */
function pair(said: readonly ChatSaid[], skipped: SkipTally) {
  const open = openCalls(said)
  const homes = new Map<number, number>()
  for (const from of ['before', 'behind'] as const) {
    said.forEach(({ item }, at) => {
      const callers = homes.has(at) ? undefined : open.get(resultId(item) ?? '')
      const caller = from === 'before' ? callers?.takeBefore(at) : callers?.takeFirst()
      if (caller !== undefined) homes.set(at, caller)
    })
  }
  const results = new Map<number, ChatSaid[]>()
  for (const [at, caller] of [...homes].sort(([a], [b]) => a - b)) {
    const result = said[at]
    if (result === undefined) continue
    const known = results.get(caller)
    if (known === undefined) results.set(caller, [result])
    else known.push(result)
  }
  return { results, leave: new Set([...homes.keys(), ...copies(said, homes, skipped)]) }
}

/** Results that answer no call and say what one that does says: they were written twice. */
function copies(said: readonly ChatSaid[], homes: ReadonlyMap<number, number>, skipped: SkipTally): number[] {
  const placed = new Set([...homes.keys()].map((at) => jsonText(said[at]?.item)))
  return said.flatMap(({ item, line }, at) => {
    const isCopy = resultId(item) !== undefined && !homes.has(at) && placed.has(jsonText(item))
    if (isCopy) skipped.add('duplicate result', line)
    return isCopy ? [at] : []
  })
}

function resultId({ role, tool_call_id: id }: Fields): string | undefined {
  return role === 'tool' ? textOf(id) : undefined
}

/** Places of the messages that have a call of each id. */
function openCalls(said: readonly ChatSaid[]): Map<string, OpenPlaces> {
  const open = new Map<string, OpenPlaces>()
  said.forEach(({ item }, at) => {
    if (item.role !== 'assistant') return
    const ids = new Set(listOf(item.tool_calls).map((call) => textOf(fieldsOf(call).id)))
    for (const id of ids) {
      if (id === undefined) continue
      const places = open.get(id) ?? new OpenPlaces()
      open.set(id, places)
      places.add(at)
    }
  })
  return open
}
