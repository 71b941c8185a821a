import type { ImportedItem, RecordedCall } from './imported-session.ts'
import { type Fields, fieldsOf, listOf, present, textOf } from './json-fields.ts'
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
 * result belongs to the newest open call of its id (ids repeat within a session), a second one of the same call is skipped.
 * Calls without a result and results without a call stay where they are.
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
  const results = new Map<number, ChatSaid[]>()
  const leave = new Set<number>()
  said.forEach((message, at) => {
    const id = message.item.role === 'tool' ? textOf(message.item.tool_call_id) : undefined
    const callers = id === undefined ? undefined : open.get(id)
    if (callers === undefined) return
    leave.add(at)
    const caller = callers.findLast((call) => call < at) ?? callers[0]
    if (caller === undefined) {
      skipped.add('duplicate result', message.line)
      return
    }
    callers.splice(callers.indexOf(caller), 1)
    results.set(caller, [...(results.get(caller) ?? []), message])
  })
  return { results, leave }
}

/** Places of the messages that have a call of each id. */
function openCalls(said: readonly ChatSaid[]): Map<string, number[]> {
  const open = new Map<string, number[]>()
  said.forEach(({ item }, at) => {
    if (item.role !== 'assistant') return
    const ids = new Set(listOf(item.tool_calls).map((call) => textOf(fieldsOf(call).id)))
    for (const id of ids) if (id !== undefined) open.set(id, [...(open.get(id) ?? []), at])
  })
  return open
}
