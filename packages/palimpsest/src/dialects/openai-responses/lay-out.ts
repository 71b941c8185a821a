import { derive, originOf } from '../../engine/json/derive.ts'
import type { RenderedItem } from '../../engine/messages/message.ts'
import { fieldsOf } from '../json-fields.ts'
import { idOf, isModelSaid, isReasoning, isSelfContained, kindOf } from './families.ts'
import { type ResponsesItem, summaryItem } from './items.ts'
import { pairingFaults } from './pairing.ts'

type Entry = RenderedItem<ResponsesItem>
type ItemEntry = Extract<Entry, { kind: 'item' }>

/**
 * The items of a view, legal: summaries are user messages; outputs without their call and calls whose output went leave;
 * reasoning whose follower went leaves; ids that point at stored items are taken off edited items and off everything that
 * followed removed reasoning in its response. A view that no plan changed goes out as it is.
 */
export function layOutItems(
  entries: readonly Entry[],
  changed: { readonly from: number | undefined; readonly before: number },
): readonly ResponsesItem[] {
  if (changed.from === undefined) return entries.flatMap((entry) => (entry.kind === 'item' ? [entry.item] : []))
  return new ResponseWalk(closePairs(entries, changed.before)).run()
}

/** Whole groups come in pairs; a cut between a call and its output takes the half that is left. */
function closePairs(entries: readonly Entry[], length: number): readonly Entry[] {
  const items = entries.flatMap((entry) => (entry.kind === 'item' ? [entry] : []))
  const natives = items.map((entry) => entry.item)
  const gone = new Set<Entry>()
  for (const { index, fault } of pairingFaults(natives, cutsIn(items))) {
    const entry = items[index]
    if (entry === undefined) continue
    if (ANSWERS_NOTHING.has(fault)) gone.add(entry)
    // A call that nothing was taken from behind is still open: the caller's to answer, and for the check to name.
    if (fault === 'call-without-output' && hasGapAfter(items, index, length)) gone.add(entry)
  }
  return gone.size === 0 ? entries : entries.filter((entry) => !gone.has(entry))
}

/** Indexes that something was taken away before. */
function cutsIn(items: readonly ItemEntry[]): ReadonlySet<number> {
  return new Set(
    items.flatMap(({ position }, index) => (position === (items[index - 1]?.position ?? -1) + 1 ? [] : [index])),
  )
}

/** An id that was answered before was given again: what is left is the second answer without its second call. */
const ANSWERS_NOTHING: ReadonlySet<string> = new Set([
  'output-without-call',
  'duplicate-output',
  'approval-without-request',
])

/** Was something taken away behind this item, of the `length` items there were? */
function hasGapAfter(items: readonly ItemEntry[], index: number, length: number): boolean {
  const first = items[index]?.position ?? 0
  const end = Math.max(length, (items.at(-1)?.position ?? 0) + 1)
  return end - first > items.length - index
}

/**
 * Walks through the responses of a view. A response ends at a user or system message, at a summary, and where reasoning
 * follows an output; an output alone does not end it, since clients also write each output directly behind its call.
 */
class ResponseWalk {
  readonly #entries: readonly Entry[]
  readonly #result: ResponsesItem[] = []
  /** Has reasoning left this response? Then what follows has lost the right to its id. */
  #loose: 'no' | 'perhaps' | 'surely' = 'no'
  #afterOutput = false
  #previous = -1

  constructor(entries: readonly Entry[]) {
    this.#entries = entries
  }

  run(): readonly ResponsesItem[] {
    let index = 0
    while (index < this.#entries.length) index = this.#step(index)
    return this.#result
  }

  /** Takes the entry at `index`, with the run of reasoning that it may open; the index behind it. */
  #step(index: number): number {
    const entry = this.#entries[index]
    if (entry?.kind === 'item' && isReasoning(entry.item)) return this.#takeReasoning(index)
    if (entry?.kind === 'item') this.#takeItem(entry)
    else if (entry !== undefined) {
      this.#loose = 'no'
      this.#result.push(summaryItem(entry.text))
    }
    return index + 1
  }

  #takeItem(entry: ItemEntry): void {
    const { item, position, edited } = entry
    const kind = kindOf(item)
    const isSaid = isModelSaid(item)
    const endsResponse = !isSaid && (kind === 'message' || kind === 'setting')
    // What was dropped before it may have been its reasoning.
    if (position !== this.#previous + 1 && this.#loose === 'no') this.#loose = 'perhaps'
    if (endsResponse) this.#loose = 'no'
    this.#previous = position
    this.#afterOutput = !isSaid && !endsResponse
    // A reference is nothing without its id. Behind a gap it stays: nobody removes reasoning from among references.
    if (kind === 'reference' && this.#loose === 'surely') return
    this.#result.push(edited || (isSaid && this.#loose !== 'no') ? withoutId(item) : item)
  }

  #takeReasoning(start: number): number {
    const run = this.#runFrom(start)
    const end = start + run.length
    const first = run[0]
    const last = run.at(-1)
    const follower = this.#entries[end]
    if (first === undefined || last === undefined) return end
    // Dropped steps end with their outputs or their answer, so reasoning behind a gap opens a response.
    if (first.position !== this.#previous + 1 || this.#afterOutput) this.#loose = 'no'
    this.#afterOutput = false
    if (!isFollower(follower, last)) return end
    if (this.#loose !== 'no' || losesId(follower)) {
      this.#loose = 'surely'
      const kept = run.filter(({ item }) => isSelfContained(item) || idOf(item) === undefined)
      this.#result.push(...kept.map(({ item }) => withoutId(item)))
    } else this.#result.push(...run.map(({ item }) => item))
    this.#previous = last.position
    return end
  }

  /** Reasoning items that stand directly one behind the other. */
  #runFrom(start: number): readonly ItemEntry[] {
    const run: ItemEntry[] = []
    for (let index = start; index < this.#entries.length; index++) {
      const entry = this.#entries[index]
      const previous = run.at(-1)
      if (entry?.kind !== 'item' || !isReasoning(entry.item)) break
      if (previous !== undefined && entry.position !== previous.position + 1) break
      run.push(entry)
    }
    return run
  }
}

/** Does this entry stand where the item stood that the reasoning belongs to? */
function isFollower(entry: Entry | undefined, reasoning: ItemEntry): entry is ItemEntry {
  return (
    entry?.kind === 'item' &&
    entry.position === reasoning.position + 1 &&
    isModelSaid(entry.item) &&
    !isReasoning(entry.item)
  )
}

function losesId(entry: ItemEntry): boolean {
  if (!entry.edited) return false
  const origin = originOf(entry.item)
  return idOf(origin ?? entry.item) !== undefined
}

/** Types whose `id` is what others point at, or all that they are: it never leaves. */
const KEEPS_ID: ReadonlySet<unknown> = new Set([
  'mcp_approval_request',
  'mcp_list_tools',
  'compaction',
  'compaction_summary',
  'program',
  'program_output',
  'local_shell_call_output',
  'item_reference',
])

function withoutId(item: ResponsesItem): ResponsesItem {
  const { id, type } = fieldsOf(item)
  return id === undefined || KEEPS_ID.has(type) ? item : derive<ResponsesItem>(item, { id: undefined })
}
