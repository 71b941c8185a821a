import { unwrapCheckpoint } from '../summary/checkpoint-text.ts'
import type { MessageView, PartView } from './message.ts'

/** The parts of one item that belong to a group: all of them, or some, in rising order. */
export interface GroupSlice {
  readonly position: number
  readonly parts: 'all' | readonly number[]
}

/** What a group is. A `summary` is a checkpoint of ours that stands in the transcript itself. */
export type GroupKind = 'system' | 'user' | 'assistant' | 'tool-batch' | 'summary'

/**
 * The smallest unit that is kept or removed together. A tool batch is one assistant step with all its calls, its signed
 * reasoning and all results, wherever they stand. Slices rise by position.
 */
export interface MessageGroup {
  readonly kind: GroupKind
  readonly slices: readonly GroupSlice[]
  /** 0 before the first user message, then counted up by every message of the user's own words. */
  readonly turn: number
  /** Calls that have no result (yet). */
  readonly unanswered: readonly CallPlace[]
  /** A result whose call is nowhere before it. */
  readonly orphan: boolean
  /** Does the user himself speak in it (not only text that a client injected)? */
  readonly ownWords: boolean
  /** Holds something that must not be edited or dropped. */
  readonly pinned: boolean
}

export interface CallPlace {
  readonly position: number
  readonly part: number
  readonly callId?: string
  readonly toolName?: string
}

interface OpenGroup {
  kind: GroupKind
  slices: GroupSlice[]
  turn: number
  unanswered: CallPlace[]
  orphan: boolean
  ownWords: boolean
  pinned: boolean
  /** A step takes further assistant items until its first result, or anything else, comes. */
  collecting: boolean
}

/**
 * Groups the items of a transcript as they are appended: O(1) a part. Results find their call by id, newest first
 * (ids may repeat in a session); without ids by order and tool name.
 *
 * @example
 * const index = new GroupIndex()
 * index.push(anthropicMessages.view({ role: 'user', content: 'Fix the build.' }))
 * index.groups[0]?.kind // 'user'
 */
export class GroupIndex {
  readonly #groups: OpenGroup[] = []
  readonly #pendingById = new Map<string, { group: OpenGroup; call: CallPlace }[]>()
  readonly #approvals = new Map<string, OpenGroup>()
  #lastBatch: OpenGroup | undefined
  #turn = 0
  #length = 0
  #lastUser: number | undefined

  get groups(): readonly MessageGroup[] {
    return this.#groups
  }

  /** How many items were pushed. */
  get length(): number {
    return this.#length
  }

  /**
   * Position of the last user message: the newest item in which the user himself says or shows something, injected text
   * and tool results aside; of a checkpoint of ours, the one that carries the user's newest words.
   */
  get lastUserMessage(): number | undefined {
    return this.#lastUser
  }

  /** Appends the next item of the transcript. */
  push(view: MessageView): void {
    const position = this.#length++
    if (view.role === 'assistant') this.#pushAssistant(position, view)
    else if (view.role === 'system') this.#open('system', [{ position, parts: 'all' }], view.parts)
    else this.#pushUser(position, view)
  }

  #pushAssistant(position: number, view: MessageView): void {
    const last = this.#groups.at(-1)
    let step = last?.collecting ? last : this.#open('assistant', [], [])
    step.collecting = true
    step.slices.push({ position, parts: 'all' })
    step.pinned ||= view.parts.some((part) => part.pinned === true)
    for (const [number, part] of view.parts.entries()) {
      if (part.kind === 'tool-call') this.#expectResult(step, place(position, number, part))
      if (part.kind === 'tool-result') step = this.#fuse(this.#answer(part) ?? step, step)
      if (part.kind === 'approval-request' && part.callId !== undefined) {
        step.kind = 'tool-batch'
        this.#approvals.set(part.callId, step)
      }
    }
  }

  /** A provider's tool may answer in a later step than the one that called it: then the two are one. */
  #fuse(earlier: OpenGroup, step: OpenGroup): OpenGroup {
    if (earlier === step) return step
    earlier.kind = 'tool-batch'
    earlier.slices.push(...step.slices)
    earlier.unanswered.push(...step.unanswered)
    earlier.pinned ||= step.pinned
    for (const pending of this.#pendingById.values()) {
      for (const entry of pending) if (entry.group === step) entry.group = earlier
    }
    for (const [id, group] of this.#approvals) if (group === step) this.#approvals.set(id, earlier)
    if (this.#lastBatch === step) this.#lastBatch = earlier
    this.#groups.splice(this.#groups.indexOf(step), 1)
    earlier.collecting = this.#groups.at(-1) === earlier
    return earlier
  }

  #expectResult(step: OpenGroup, call: CallPlace): void {
    step.kind = 'tool-batch'
    step.unanswered.push(call)
    this.#lastBatch = step
    if (call.callId === undefined) return
    const pending = this.#pendingById.get(call.callId) ?? []
    pending.push({ group: step, call })
    this.#pendingById.set(call.callId, pending)
  }

  #pushUser(position: number, view: MessageView): void {
    const shares = this.#share(view)
    const own = shares.get('user')
    const single = shares.size === 1
    for (const [group, parts] of shares) {
      const slice: GroupSlice = { position, parts: single ? 'all' : parts }
      const members = parts.flatMap((number) => view.parts[number] ?? [])
      if (group === 'user') continue
      if (group === 'orphan') this.#open('tool-batch', [slice], members).orphan = true
      else {
        group.slices.push(slice)
        group.kind = 'tool-batch'
        group.collecting = false
      }
    }
    if (own !== undefined || view.parts.length === 0) this.#pushWords(position, view, own ?? [], single)
  }

  /** Whose is each part: a step's (its results, approvals, and reminders beside them), nobody's, or the user's. */
  #share(view: MessageView): Map<OpenGroup | 'orphan' | 'user', number[]> {
    const owners = view.parts.map((part) => this.#owner(part))
    const batch = owners.find((owner) => typeof owner === 'object')
    const shares = new Map<OpenGroup | 'orphan' | 'user', number[]>()
    owners.forEach((owner, number) => {
      const rides = owner === 'user' && batch !== undefined && !speaks(view.parts[number])
      const key = rides ? batch : owner
      shares.set(key, [...(shares.get(key) ?? []), number])
    })
    return shares
  }

  #owner(part: PartView): OpenGroup | 'orphan' | 'user' {
    if (part.kind === 'tool-result') return this.#answer(part) ?? 'orphan'
    if (part.kind === 'approval-response') return this.#approvals.get(part.callId ?? '') ?? this.#lastStep() ?? 'orphan'
    return 'user'
  }

  /** Requests of provider-run tools are kept out of prompts: an approval without one belongs to the step before it. */
  #lastStep(): OpenGroup | undefined {
    const last = this.#groups.at(-1)
    return last?.kind === 'tool-batch' || last?.kind === 'assistant' ? last : undefined
  }

  /** Takes the call that this result answers off the list; the step it belongs to. */
  #answer(result: PartView): OpenGroup | undefined {
    // a call that is only referred to has no id here: a result whose id is not known answers such a one
    const entry = this.#nextById(result.callId) ?? this.#nextByName(result.toolName)
    if (entry === undefined) return undefined
    entry.group.unanswered = entry.group.unanswered.filter((call) => call !== entry.call)
    return entry.group
  }

  #nextById(callId: string | undefined): { group: OpenGroup; call: CallPlace } | undefined {
    if (callId === undefined) return undefined
    const pending = this.#pendingById.get(callId)
    const entry = pending?.pop()
    if (pending?.length === 0) this.#pendingById.delete(callId)
    return entry
  }

  #nextByName(toolName: string | undefined): { group: OpenGroup; call: CallPlace } | undefined {
    const group = this.#lastBatch
    if (group === undefined) return undefined
    const nameless = group.unanswered.filter((call) => call.callId === undefined)
    const call = nameless.find((candidate) => candidate.toolName === toolName) ?? nameless[0]
    return call === undefined ? undefined : { group, call }
  }

  #pushWords(position: number, view: MessageView, parts: readonly number[], single: boolean): void {
    const members = parts.flatMap((number) => view.parts[number] ?? [])
    const kind = view.checkpoint === true ? 'summary' : 'user'
    const own = kind === 'user' ? members.some(speaks) : members.some(carriesWords)
    if (own) {
      this.#turn++
      this.#lastUser = position
    }
    const group = this.#open(kind, [{ position, parts: single || parts.length === 0 ? 'all' : parts }], members)
    group.ownWords = own
  }

  #open(kind: GroupKind, slices: GroupSlice[], members: readonly PartView[]): OpenGroup {
    const previous = this.#groups.at(-1)
    if (previous !== undefined) previous.collecting = false
    const group: OpenGroup = {
      kind,
      slices,
      turn: this.#turn,
      unanswered: [],
      orphan: false,
      ownWords: false,
      pinned: members.some((part) => part.pinned === true),
      collecting: false,
    }
    this.#groups.push(group)
    return group
  }
}

/**
 * The groups of a whole transcript.
 *
 * @example
 * const views = transcript.items.map((item) => anthropicMessages.view(item))
 * groupMessages(views).map((group) => group.kind)
 */
export function groupMessages(views: Iterable<MessageView>): readonly MessageGroup[] {
  const index = new GroupIndex()
  for (const view of views) index.push(view)
  return index.groups
}

/** Does the user himself say or show something with this part? */
function speaks(part: PartView | undefined): boolean {
  if (part === undefined || part.injected === true) return false
  return part.kind === 'text' ? part.text().trim() !== '' : part.kind !== 'opaque' && part.kind !== 'reasoning'
}

/** A checkpoint may hold the user's newest message word for word: then nobody else does. */
function carriesWords(part: PartView): boolean {
  return unwrapCheckpoint(part.text())?.lastUserMessage !== undefined
}

function place(position: number, part: number, call: PartView): CallPlace {
  return {
    position,
    part,
    ...(call.callId !== undefined && { callId: call.callId }),
    ...(call.toolName !== undefined && { toolName: call.toolName }),
  }
}
