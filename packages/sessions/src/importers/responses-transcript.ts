import { jsonText } from 'palimpsest/engine'
import { type Fields, textOf } from './json-fields.ts'
import { OpenPlaces } from './open-places.ts'
import type { SkipTally } from './skip-tally.ts'

/** One Responses item that a file holds, in the order of the file. */
export interface ResponsesEntry {
  readonly item: Fields
  readonly line: number
  readonly timestamp: number | undefined
  /** The client wrote this user message by itself. */
  readonly injected?: boolean
}

export interface OrderedEntries {
  readonly entries: readonly ResponsesEntry[]
  /** Where the transcript stood when `before` entries had been read. */
  position(before: number): number
}

/**
 * The entries with every result behind its call: one written before its call moves to it, a second result of a call is
 * skipped, and so is a call written twice. A call without a result and a result without a call stay as they are.
 */
export function orderResults(entries: readonly ResponsesEntry[], skipped: SkipTally): OrderedEntries {
  const { calls, leave } = pair(entries, skipped)
  const ordered: ResponsesEntry[] = []
  /** Entries read → items of the transcript. */
  const positions: number[] = []
  entries.forEach((entry, at) => {
    positions.push(ordered.length)
    if (leave.has(at)) return
    ordered.push(entry)
    const early = calls.get(at)
    if (early !== undefined) ordered.push(early)
  })
  positions.push(ordered.length)
  return { entries: ordered, position: (before) => positions[before] ?? ordered.length }
}

/** `calls`: the result that comes out behind the call at that place. `leave`: entries that do not come out where they stand. */
function pair(entries: readonly ResponsesEntry[], skipped: SkipTally) {
  const calls = new Map<number, ResponsesEntry>()
  const leave = new Set<number>()
  const open = openCalls(entries, leave, skipped)
  entries.forEach((entry, at) => {
    const key = resultKey(entry.item)
    const candidates = key === undefined ? undefined : open.get(key)
    if (candidates === undefined) return
    const chosen = candidates.take(at)
    if (chosen === undefined) {
      leave.add(at)
      skipped.add('duplicate result', entry.line)
      return
    }
    if (chosen < at) return
    leave.add(at)
    calls.set(chosen, entry)
  })
  return { calls, leave }
}

/** Places of the calls of each id. An id can be used again by another call; the same call written twice counts once. */
function openCalls(
  entries: readonly ResponsesEntry[],
  leave: Set<number>,
  skipped: SkipTally,
): Map<string, OpenPlaces> {
  const open = new Map<string, OpenPlaces>()
  const written = new WrittenItems()
  entries.forEach((entry, at) => {
    const key = callKey(entry.item)
    if (key === undefined) return
    if (!written.isNew(key, entry.item)) {
      leave.add(at)
      skipped.add('duplicate call', entry.line)
      return
    }
    const same = open.get(key) ?? new OpenPlaces()
    open.set(key, same)
    same.add(at)
  })
  return open
}

/** Tells items that were written before under the same key. Most keys come once: the text of an item is made where one comes again. */
class WrittenItems {
  readonly #items = new Map<string, Fields | Set<string>>()

  isNew(key: string, item: Fields): boolean {
    const known = this.#items.get(key)
    if (known === undefined) {
      this.#items.set(key, item)
      return true
    }
    const texts = known instanceof Set ? known : new Set([jsonText(known)])
    this.#items.set(key, texts)
    const before = texts.size
    return texts.add(jsonText(item)).size > before
  }
}

/** A call and its result agree in their id and in the kind of tool. */
function callKey(item: Fields): string | undefined {
  const id = textOf(item.call_id)
  const kind = typeof item.type === 'string' ? CALLS.get(item.type) : undefined
  return id === undefined || kind === undefined ? undefined : `${kind} ${id}`
}

function resultKey(item: Fields): string | undefined {
  const id = textOf(item.call_id)
  const kind = typeof item.type === 'string' ? RESULTS.get(item.type) : undefined
  return id === undefined || kind === undefined ? undefined : `${kind} ${id}`
}

/** Codex answers its own shell calls with function outputs. */
const CALLS: ReadonlyMap<string, string> = new Map([
  ['function_call', 'function'],
  ['local_shell_call', 'function'],
  ['custom_tool_call', 'custom'],
  ['tool_search_call', 'search'],
  ['computer_call', 'computer'],
])

const RESULTS: ReadonlyMap<string, string> = new Map([
  ['function_call_output', 'function'],
  ['local_shell_call_output', 'function'],
  ['custom_tool_call_output', 'custom'],
  ['tool_search_output', 'search'],
  ['computer_call_output', 'computer'],
])
