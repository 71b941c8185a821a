import { derive, deriveList } from '../../engine/json/derive.ts'
import type { PartEdit } from '../../engine/messages/message.ts'
import { assertPartsExist } from '../edit-mismatch.ts'
import { type Fields, fieldsOf, isObject, isSameList, listOf, stringOf } from '../json-fields.ts'
import { oneForMany } from '../one-for-many.ts'
import { type CallReading, readCall, readRawCall, writeCall, writeFunctionCall, writeRawCall } from './calls.ts'
import { copyMessage } from './copy-message.ts'
import { type LangChainMessage, textEntry } from './items.ts'
import { mediaOf } from './media.ts'
import {
  isArgumentPiece,
  isCallEntry,
  REASONING_FIELDS,
  REASONING_TYPES,
  repeatedCall,
  type Slot,
  slotsOf,
  speakerOf,
} from './slots.ts'
import { withoutStoredIds } from './stored-ids.ts'
import { entryText, isCompaction, isSigned } from './view.ts'

/**
 * The message with the edits, as another instance of its class; none when nothing is left that a model could read. What
 * cannot be edited stays as it is: then the same object comes back. A call is edited wherever its message repeats it.
 * @throws PalimpsestError `plan-mismatch` when an edit names a part that is not there.
 */
export function editMessage(message: LangChainMessage, edits: readonly PartEdit[]): LangChainMessage | undefined {
  const slots = slotsOf(message)
  assertPartsExist(edits, slots.length)
  const isRemoved = (number: number) => edits.some((edit) => edit.part === number && edit.kind === 'remove')
  // Reasoning alone is no message.
  if (edits.length > 0 && slots.every((slot, number) => isRemoved(number) || isReasoningSlot(message, slot))) {
    return slots.some((_, number) => isRemoved(number)) ? undefined : message
  }
  const placed = edits.map((edit) => ({ edit, slot: slots[edit.part] as Slot }))
  const changes = changesOf(message, placed)
  if (Object.keys(changes).length === 0) return message
  const losesReasoning = placed.some(({ edit, slot }) => edit.kind === 'remove' && isReasoningSlot(message, slot))
  return withoutStoredIds(copyMessage(message as object, changes) as LangChainMessage, {
    editedCalls: editedCalls(message, placed),
    losesReasoning,
  })
}

/** An edit with the place of the part that it names. */
interface Placed {
  readonly edit: PartEdit
  readonly slot: Slot
}

export function isReasoningSlot(message: LangChainMessage, slot: Slot): boolean {
  if (slot.at === 'reasoning') return true
  if (slot.at !== 'entry' || speakerOf(message) !== 'assistant') return false
  return REASONING_TYPES.has(fieldsOf(listOf(message.content)[slot.index]).type)
}

/** The fields that the edits change. */
function changesOf(message: LangChainMessage, placed: readonly Placed[]): Fields {
  const whole = placed.filter(({ slot }) => slot.at === 'whole').map(({ edit }) => edit)
  if (whole.length > 0) return wholeChanges(message, whole)
  const calls = editedList(
    listOf(fieldsOf(message).tool_calls),
    placed,
    'call',
    writeUnsigned(message, readCall, writeCall),
  )
  return {
    ...contentChanges(message, placed, calls),
    ...calls.changes('tool_calls'),
    ...chunkChanges(message, calls),
    ...extraChanges(message, placed, calls),
  }
}

function wholeChanges(message: LangChainMessage, edits: readonly PartEdit[]): Fields {
  if (speakerOf(message) !== 'tool') return {}
  const content = edits.reduce(editResultContent, message.content)
  return content === message.content ? {} : { content }
}

/** What became of the elements of a list, by their old places. */
class EditedList {
  readonly #before: readonly unknown[]
  /** Undefined: it left. */
  readonly after: readonly (unknown | undefined)[]

  constructor(before: readonly unknown[], after: readonly (unknown | undefined)[]) {
    this.#before = before
    this.after = after
  }

  get changed(): boolean {
    return !isSameList(this.#before, this.after)
  }

  get kept(): readonly unknown[] {
    return deriveList(
      this.#before,
      this.after.filter((element) => element !== undefined),
    )
  }

  isEdited(index: number): boolean {
    return this.after[index] !== undefined && this.after[index] !== this.#before[index]
  }

  changes(name: string): Fields {
    return this.changed ? { [name]: this.kept } : {}
  }
}

type WriteCall = (call: unknown, text: string) => unknown

function editedList(
  before: readonly unknown[],
  placed: readonly Placed[],
  at: 'call' | 'raw-call',
  write: WriteCall,
): EditedList {
  const after = before.map((element, index) => {
    const own = placed.filter(({ slot }) => slot.at === at && slot.index === index).map(({ edit }) => edit)
    if (own.some((edit) => edit.kind === 'remove')) return undefined
    return own.reduce((call, edit) => (edit.kind === 'replace-text' ? write(call, edit.text) : call), element)
  })
  return new EditedList(before, after)
}

/** A call that its provider signed stays as it is. */
function writeUnsigned(message: LangChainMessage, read: (call: unknown) => CallReading, write: WriteCall): WriteCall {
  const extra = fieldsOf(fieldsOf(message).additional_kwargs)
  return (call, text) => (isSigned(read(call), extra) ? call : write(call, text))
}

function contentChanges(message: LangChainMessage, placed: readonly Placed[], calls: EditedList): Fields {
  const { content } = message
  // The words of an instruction are not ours to change.
  const isFixed = speakerOf(message) === 'system'
  if (typeof content === 'string') {
    const own = placed.filter(({ slot }) => slot.at === 'text').map(({ edit }) => edit)
    if (own.some((edit) => edit.kind === 'remove')) return { content: '' }
    const text = own.findLast((edit) => edit.kind === 'replace-text')?.text
    return text === undefined || isFixed || text === content ? {} : { content: text }
  }
  const before = listOf(content)
  const natives = listOf(fieldsOf(message).tool_calls)
  const after = before.flatMap((entry, index) => {
    if (speakerOf(message) === 'assistant' && isArgumentPiece(entry)) return calls.changed ? [] : [entry]
    const repeated = repeatedCall(entry, natives)
    if (repeated !== undefined) return repeatEdit(entry, repeated, calls)
    const own = placed.filter(({ slot }) => slot.at === 'entry' && slot.index === index).map(({ edit }) => edit)
    if (own.some((edit) => edit.kind === 'remove')) return []
    return [isFixed ? entry : own.reduce((one, edit) => editEntry(message, one, edit), entry)]
  })
  if (isSameList(before, after)) return {}
  // No API takes an empty list; no content is written as an empty text.
  return { content: after.length === 0 ? '' : deriveList(before, after) }
}

/** A content entry says what its call says. */
function repeatEdit(entry: unknown, index: number, calls: EditedList): readonly unknown[] {
  const call = calls.after[index]
  if (call === undefined) return []
  return [calls.isEdited(index) ? writeCall(entry, readCall(call).text) : entry]
}

function editEntry(message: LangChainMessage, entry: unknown, edit: PartEdit): unknown {
  const speaker = speakerOf(message)
  const fields = fieldsOf(entry)
  if (speaker === 'user' && fields.type === 'tool_result') {
    const content = editResultContent(fields.content, edit)
    return content === fields.content ? entry : derive<Fields>(fields, { content })
  }
  if (edit.kind === 'replace-media') return mediaOf(entry)?.kind === edit.media ? textEntry(edit.text) : entry
  if (edit.kind !== 'replace-text' || isCompaction(entry)) return entry
  if (speaker === 'assistant' && REASONING_TYPES.has(fields.type)) return entry
  const words = entryText(entry)
  if (words !== undefined) return typeof entry === 'string' ? edit.text : derive<Fields>(fields, { text: edit.text })
  return speaker === 'assistant' && isCallEntry(entry)
    ? writeUnsigned(message, readCall, writeCall)(entry, edit.text)
    : entry
}

function editResultContent(content: unknown, edit: PartEdit): unknown {
  if (typeof content === 'string') return edit.kind === 'replace-media' || edit.kind === 'remove' ? content : edit.text
  if (!Array.isArray(content)) return content
  switch (edit.kind) {
    case 'replace-result':
      return deriveList(content, [textEntry(edit.text)])
    case 'replace-text':
      return oneForMany<unknown>(content, {
        isReplaced: (entry) => mediaOf(entry) === undefined,
        replacement: ([first]) => textLike(first, edit.text),
      })
    case 'replace-media':
      return oneForMany<unknown>(content, {
        isReplaced: (entry) => mediaOf(entry)?.kind === edit.media,
        replacement: () => textEntry(edit.text),
        whenNone: 'nothing',
      })
    default:
      return content
  }
}

/** One text for all entries that leave, made from the first where that is a text. */
function textLike(first: unknown, text: string): unknown {
  return isObject(first) && entryText(first) !== undefined ? derive<Fields>(first, { text }) : textEntry(text)
}

/** A chunk that is added to another builds its calls from these: they must say the same. */
function chunkChanges(message: LangChainMessage, calls: EditedList): Fields {
  if (!calls.changed || listOf(fieldsOf(message).tool_call_chunks).length === 0) return {}
  const chunks = calls.kept.map((call, index) => {
    const { id, name, text } = readCall(call)
    return { type: 'tool_call_chunk', index, id, name, args: text }
  })
  return { tool_call_chunks: chunks }
}

/** Changes to what stands in `additional_kwargs`. */
function extraChanges(message: LangChainMessage, placed: readonly Placed[], calls: EditedList): Fields {
  const extra = fieldsOf(fieldsOf(message).additional_kwargs)
  const isGone = (at: Slot['at']) => placed.some(({ edit, slot }) => slot.at === at && edit.kind === 'remove')
  const changes: Record<string, unknown> = { ...rawCallChanges(message, placed, calls) }
  if (isGone('reasoning')) for (const name of REASONING_FIELDS) if (name in extra) changes[name] = undefined
  if (isGone('refusal')) changes.refusal = undefined
  if (isGone('audio')) changes.audio = undefined
  if (isGone('function-call')) changes.function_call = undefined
  else {
    const own = placed.filter(({ edit, slot }) => slot.at === 'function-call' && edit.kind === 'replace-text')
    const written = own.reduce((call, { edit }) => writeFunctionCall(call, textOf(edit)), extra.function_call)
    if (written !== extra.function_call) changes.function_call = written
  }
  return Object.keys(changes).length === 0 ? {} : { additional_kwargs: derive<Fields>(extra, changes) }
}

function textOf(edit: PartEdit): string {
  return edit.kind === 'remove' ? '' : edit.text
}

/** The provider's raw calls: parts of their own where the message has no others, else they repeat `tool_calls`. */
function rawCallChanges(message: LangChainMessage, placed: readonly Placed[], calls: EditedList): Fields {
  const before = listOf(fieldsOf(fieldsOf(message).additional_kwargs).tool_calls)
  if (before.length === 0) return {}
  const natives = listOf(fieldsOf(message).tool_calls)
  if (natives.length === 0) {
    const edited = editedList(before, placed, 'raw-call', writeUnsigned(message, readRawCall, writeRawCall))
    return edited.changed ? { tool_calls: edited.kept.length === 0 ? undefined : edited.kept } : {}
  }
  const after = before.flatMap((raw) => {
    const index = natives.findIndex((call) => readCall(call).id === readRawCall(raw).id)
    if (index < 0) return [raw]
    const call = calls.after[index]
    if (call === undefined) return []
    return [calls.isEdited(index) ? writeRawCall(raw, readCall(call).text) : raw]
  })
  return isSameList(before, after) ? {} : { tool_calls: after.length === 0 ? undefined : deriveList(before, after) }
}

/** Ids of the calls that an edit named. */
function editedCalls(message: LangChainMessage, placed: readonly Placed[]): readonly string[] {
  const calls = listOf(fieldsOf(message).tool_calls)
  return placed.flatMap(({ slot }) => (slot.at === 'call' ? (stringOf(fieldsOf(calls[slot.index]).id) ?? []) : []))
}
