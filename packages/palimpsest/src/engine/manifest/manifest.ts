import type { MessageView, PartView } from '../messages/message.ts'
import { type Checkpoint, unwrapCheckpoint } from '../summary/checkpoint-text.ts'
import { constraintSentences } from './constraints.ts'
import { goalOf } from './goal.ts'
import { instructionKind } from './instruction-text.ts'
import { NameUses, SEEN_IN } from './name-uses.ts'
import { createdEntryId } from './plan-change.ts'
import { readToolCall, type ToolCall } from './tool-call.ts'
import { bodyOf, readOutcome, type ToolOutcome } from './tool-outcome.ts'
import type { TranscriptSlice } from './transcript-slice.ts'
import { withoutThinking } from './without-thinking.ts'

/** A text with the item and step that it stands in. */
export interface PlacedText {
  readonly position: number
  readonly step: number
  readonly text: string
}

/** A message of the user, with the sentences in it that set or change a rule. */
export interface PlacedWords extends PlacedText {
  readonly rules: readonly string[]
}

/** A standing instruction that a client put into the conversation. */
export interface PlacedInstruction extends PlacedText {
  readonly kind: string
}

/** A call and, once it is there, its result. */
export interface PlacedCall {
  readonly position: number
  readonly step: number
  readonly call: ToolCall
  result: PlacedResult | undefined
}

/** A result: what it says, and its text for as long as the transcript holds it. */
export interface PlacedResult {
  readonly position: number
  readonly outcome: ToolOutcome
  readonly entryId: string | undefined
  readonly part: PartView
}

/**
 * What a transcript itself proves, collected item by item. One owner adds; whoever renders reads. Every list is in
 * transcript order, so that any range of positions can be told later.
 */
export interface Manifest {
  /** One more than the last position added; 0 when empty. */
  readonly end: number
  /** The user's own words. */
  readonly said: readonly PlacedWords[]
  readonly instructions: readonly PlacedInstruction[]
  /** What the assistant wrote, reasoning left out. */
  readonly texts: readonly PlacedText[]
  /** Summaries of ours that stand in the transcript itself. */
  readonly earlier: readonly PlacedText[]
  readonly calls: readonly PlacedCall[]
  readonly names: NameUses
  /** Adds the next item. Positions ascend; gaps are fine. Throws `RangeError` on a position before `end`. */
  add(position: number, view: MessageView): void
}

/** An empty manifest. Adding an item costs about as much as reading its text once. */
export function createManifest(): Manifest {
  return new TranscriptManifest()
}

/** Adds the slices in order. Throws `RangeError` on a position before the manifest's end. */
export function addToManifest(manifest: Manifest, slices: Iterable<TranscriptSlice>): void {
  for (const { position, view } of slices) manifest.add(position, view)
}

class TranscriptManifest implements Manifest {
  readonly said: PlacedWords[] = []
  readonly instructions: PlacedInstruction[] = []
  readonly texts: PlacedText[] = []
  readonly earlier: PlacedText[] = []
  readonly calls: PlacedCall[] = []
  readonly names = new NameUses()
  end = 0
  #step = 0
  #inAssistantStep = false
  /** Calls without a result, by id, or by tool name where the format has no ids; oldest first. */
  readonly #open = new Map<string, PlacedCall[]>()

  add(position: number, view: MessageView): void {
    if (!(position >= this.end)) throw new RangeError(`position ${position} was already added; the next is ${this.end}`)
    this.end = position + 1
    if (view.role === 'system') return
    this.#advance(view)
    for (const part of view.parts) this.#addPart(position, view, part)
  }

  /** A step is what the assistant says and calls, with the results; a user message begins a new one. */
  #advance(view: MessageView): void {
    const isAssistant = view.role === 'assistant'
    const hasWords = view.role === 'user' && view.parts.some((part) => part.kind === 'text' && part.injected !== true)
    if (hasWords || (isAssistant && !this.#inAssistantStep)) this.#step += 1
    this.#inAssistantStep = isAssistant
  }

  #addPart(position: number, view: MessageView, part: PartView): void {
    if (part.kind === 'text') this.#addText(position, view, part)
    else if (part.kind === 'tool-call') this.#addCall(position, part)
    else if (part.kind === 'tool-result') this.#addResult(position, part)
  }

  #addText(position: number, view: MessageView, part: PartView): void {
    const text = part.text()
    const step = this.#step
    const checkpoint = unwrapCheckpoint(text)
    if (checkpoint !== undefined) {
      this.#addCheckpoint(position, checkpoint)
      return
    }
    if (view.role === 'assistant') {
      const shown = withoutThinking(text)
      if (shown.trim() === '') return
      this.texts.push({ position, step, text: shown })
      this.names.add({ position, step, text: shown, seenIn: SEEN_IN.assistant })
    } else if (part.injected === true) {
      const kind = instructionKind(text)
      if (kind !== undefined) this.instructions.push({ position, step, text, kind })
      this.names.add({ position, step, text, seenIn: 0 })
    } else if (view.role === 'user' && text.trim() !== '') {
      this.said.push({ position, step, text, rules: [...new Set(constraintSentences(text))] })
      this.names.add({ position, step, text, seenIn: SEEN_IN.user })
    }
  }

  /** An earlier summary that stands in the transcript itself: nothing else holds what it tells. */
  #addCheckpoint(position: number, { summary, lastUserMessage }: Checkpoint): void {
    const step = this.#step
    this.earlier.push({ position, step, text: summary })
    this.names.add({ position, step, text: summary, seenIn: SEEN_IN.assistant })
    const goal = goalOf(summary)
    const rules = constraintSentences(summary).filter((rule) => goal?.includes(rule) !== true)
    for (const text of [goal, rules.join('\n'), lastUserMessage]) {
      if (text === undefined || text.trim() === '') continue
      this.said.push({ position, step, text, rules: [...new Set(constraintSentences(text))] })
    }
  }

  #addCall(position: number, part: PartView): void {
    const step = this.#step
    const call = readToolCall(part.toolName ?? '', part.text())
    const placed: PlacedCall = { position, step, call, result: undefined }
    this.calls.push(placed)
    const key = openKey(part)
    const waiting = this.#open.get(key)
    if (waiting) waiting.push(placed)
    else this.#open.set(key, [placed])
    this.#nameCall(position, call)
  }

  #nameCall(position: number, call: ToolCall): void {
    const step = this.#step
    const files = filesOf(call)
    const edit = call.action === 'change' ? SEEN_IN.edit : 0
    const target = { position, step, files, seenIn: SEEN_IN.argument | SEEN_IN.target | edit }
    this.names.addPaths(target, call.paths)
    this.names.add({ ...target, text: [call.command ?? '', call.pattern ?? ''].join('\n') })
    this.names.add({ position, step, files, text: call.otherText, seenIn: SEEN_IN.argument | edit })
  }

  #addResult(position: number, part: PartView): void {
    const placed = this.#answered(part)
    const text = part.text()
    const outcome = readOutcome(text, part.isError, placed?.call.action ?? 'other')
    const entryId = placed?.call.plan === undefined ? undefined : createdEntryId(text)
    if (placed) placed.result = { position, outcome, entryId, part }
    const files = placed === undefined ? [] : filesOf(placed.call)
    this.names.add({ position, step: this.#step, text: bodyOf(text), files, seenIn: 0 })
    const errors = outcome.errors.join('\n')
    if (errors !== '') this.names.add({ position, step: this.#step, text: errors, files, seenIn: SEEN_IN.error })
  }

  /** The newest open call of this id (ids may repeat in a session), or the oldest of this name where there is no id. */
  #answered(part: PartView): PlacedCall | undefined {
    const waiting = this.#open.get(openKey(part))
    return part.callId === undefined ? waiting?.shift() : waiting?.pop()
  }
}

function openKey(part: PartView): string {
  return part.callId === undefined ? `name ${part.toolName ?? ''}` : `id ${part.callId}`
}

/** Files that a call reads or edits; a search names folders, not the files of what it finds. */
function filesOf(call: ToolCall): readonly string[] {
  if (call.action === 'read' || call.action === 'change') return call.paths
  return call.reads.length > 0 ? call.reads : call.edits.map((edit) => edit.path)
}
