import { derive, deriveList } from '../../engine/json/derive.ts'
import type { PartEdit } from '../../engine/messages/message.ts'
import { assertPartsExist } from '../edit-mismatch.ts'
import { type Fields, fieldsOf, listOf } from '../json-fields.ts'
import { oneForMany } from '../one-for-many.ts'
import { writeCall, writeFunctionCall } from './calls.ts'
import { type ChatMessage, textPart } from './items.ts'
import { isInstruction, isToolResult, REASONING_FIELDS, type Slot, slotsOf } from './slots.ts'
import { mediaOf } from './view.ts'

/**
 * The message with the edits, or none when nothing is left that a model could read. A string stays a string, a list a list.
 * What cannot be edited (reasoning, refusals, arguments that would no longer parse) stays as it is: then the same object
 * comes back.
 * @throws PalimpsestError `plan-mismatch` when an edit names a part that is not there.
 */
export function editMessage(message: ChatMessage, edits: readonly PartEdit[]): ChatMessage | undefined {
  const slots = slotsOf(message)
  assertPartsExist(edits, slots.length)
  const isRemoved = (number: number) => edits.some((edit) => edit.part === number && edit.kind === 'remove')
  // Reasoning alone is no message.
  if (edits.length > 0 && slots.every((slot, number) => isRemoved(number) || slot.at === 'reasoning')) {
    return slots.some((_, number) => isRemoved(number)) ? undefined : message
  }
  const draft = new MessageDraft(message)
  for (const edit of edits) {
    const slot = slots[edit.part]
    // The words of an instruction are not ours to change.
    if (slot !== undefined && (edit.kind === 'remove' || !isInstruction(message))) draft.apply(slot, edit)
  }
  return draft.finish()
}

const REMOVED = Symbol('removed')

class MessageDraft {
  readonly #message: ChatMessage
  readonly #fields: Fields
  readonly #content: unknown[]
  readonly #calls: unknown[]
  #changes: Record<string, unknown> = {}

  constructor(message: ChatMessage) {
    this.#message = message
    this.#fields = fieldsOf(message)
    this.#content = [...listOf(this.#fields.content)]
    this.#calls = [...listOf(this.#fields.tool_calls)]
  }

  apply(slot: Slot, edit: PartEdit): void {
    if (edit.kind === 'remove') this.#remove(slot)
    else if (slot.at === 'entry') this.#content[slot.index] = editEntry(this.#content[slot.index], edit)
    else if (slot.at === 'whole') this.#editResult(edit)
    else if (edit.kind === 'replace-text') this.#replaceText(slot, edit.text)
  }

  #remove(slot: Slot): void {
    if (slot.at === 'entry') this.#content[slot.index] = REMOVED
    else if (slot.at === 'call') this.#calls[slot.index] = REMOVED
    // Beside calls the API takes null as content, and some servers miss the key when it is gone.
    else if (slot.at === 'text') this.#changes.content = null
    else if (slot.at === 'function-call') this.#changes.function_call = undefined
    else if (slot.at === 'refusal' || slot.at === 'audio') this.#changes[slot.at] = undefined
    else if (slot.at === 'reasoning') for (const name of REASONING_FIELDS) this.#changes[name] = undefined
  }

  #replaceText(slot: Slot, text: string): void {
    if (slot.at === 'text' && !('content' in this.#changes) && text !== this.#fields.content)
      this.#changes.content = text
    if (slot.at === 'call' && this.#calls[slot.index] !== REMOVED) {
      this.#calls[slot.index] = writeCall(this.#calls[slot.index], text)
    }
    if (slot.at !== 'function-call' || 'function_call' in this.#changes) return
    const written = writeFunctionCall(this.#fields.function_call, text)
    if (written !== this.#fields.function_call) this.#changes.function_call = written
  }

  #editResult(edit: PartEdit): void {
    if (!isToolResult(this.#message)) return
    const content = 'content' in this.#changes ? this.#changes.content : this.#fields.content
    const edited = editResultContent(content, edit)
    if (edited !== content) this.#changes.content = edited
  }

  finish(): ChatMessage {
    this.#settle('content', this.#content, null)
    this.#settle('tool_calls', this.#calls, undefined)
    const changed = Object.keys(this.#changes).length > 0
    return changed ? (derive<Fields>(this.#fields, this.#changes) as unknown as ChatMessage) : this.#message
  }

  /** Writes a list back when an element changed; `nothing` where none is left. */
  #settle(name: 'content' | 'tool_calls', list: readonly unknown[], nothing: null | undefined): void {
    const before = listOf(this.#fields[name])
    if (list.every((element, index) => element === before[index])) return
    const kept = list.filter((element) => element !== REMOVED)
    this.#changes[name] = kept.length === 0 ? nothing : deriveList(before, kept)
  }
}

function editEntry(entry: unknown, edit: PartEdit): unknown {
  if (entry === REMOVED) return entry
  const fields = fieldsOf(entry)
  if (edit.kind === 'replace-text') {
    return fields.type === 'text' && typeof fields.text === 'string'
      ? derive<Fields>(fields, { text: edit.text })
      : entry
  }
  return edit.kind === 'replace-media' && mediaOf(entry)?.kind === edit.media ? textPart(edit.text) : entry
}

function editResultContent(content: unknown, edit: PartEdit): unknown {
  if (typeof content === 'string') return edit.kind === 'replace-media' || edit.kind === 'remove' ? content : edit.text
  if (!Array.isArray(content)) return content
  switch (edit.kind) {
    case 'replace-result':
      return deriveList(content, [textPart(edit.text)])
    case 'replace-text':
      return oneForMany<unknown>(content, { isReplaced: isText, replacement: (leaving) => textFor(leaving, edit.text) })
    case 'replace-media':
      return oneForMany<unknown>(content, {
        isReplaced: (entry) => mediaOf(entry)?.kind === edit.media,
        replacement: () => textPart(edit.text),
        whenNone: 'nothing',
      })
    default:
      return content
  }
}

/** One text for all entries that leave, made from the first of them. */
function textFor([first]: readonly unknown[], text: string): unknown {
  return first === undefined ? textPart(text) : derive<Fields>(fieldsOf(first), { text })
}

function isText(entry: unknown): boolean {
  return typeof fieldsOf(entry).text === 'string'
}
