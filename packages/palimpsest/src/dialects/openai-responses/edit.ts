import type { PartEdit } from '../../engine/messages/message.ts'
import { assertPartsExist } from '../edit-mismatch.ts'
import { fieldsOf, listOf } from '../json-fields.ts'
import { oneForMany } from '../one-for-many.ts'
import {
  callSurfaceOf,
  isTextEntry,
  outputShapeOf,
  textEntry,
  withField,
  withList,
  withText,
} from './editable-fields.ts'
import { isInstruction, isKnownRole, kindOf } from './families.ts'
import type { ResponsesItem } from './items.ts'
import { viewItem } from './view.ts'

/**
 * The item with the edits, or none when no part is left. What cannot be edited (reasoning, hosted calls, screenshots, text
 * that is no JSON for arguments that are) stays as it is: then the same object comes back. An edited item keeps its id;
 * `layOut` takes it away.
 * @throws PalimpsestError `plan-mismatch` when an edit names a part that is not there.
 */
export function editItem(item: ResponsesItem, edits: readonly PartEdit[]): ResponsesItem | undefined {
  const kind = kindOf(item)
  assertPartsExist(edits, viewItem(item).parts.length)
  if (kind === 'message') {
    // The words of an instruction are not ours to change.
    return editMessage(item, isInstruction(item) ? edits.filter((edit) => edit.kind === 'remove') : edits)
  }
  const own = edits.filter((edit) => edit.part === 0)
  if (own.some((edit) => edit.kind === 'remove')) return undefined
  if (kind === 'call') return own.reduce(editCall, item)
  return kind === 'output' ? own.reduce(editOutput, item) : item
}

function editCall(item: ResponsesItem, edit: PartEdit): ResponsesItem {
  return edit.kind === 'replace-text' ? (callSurfaceOf(item).write?.(edit.text) ?? item) : item
}

function editOutput(item: ResponsesItem, edit: PartEdit): ResponsesItem {
  const shape = outputShapeOf(item)
  if (edit.kind === 'replace-text') return shape.writeText(item, edit.text)
  if (edit.kind === 'replace-result') return shape.writeAll(item, edit.text)
  if (edit.kind !== 'replace-media' || !shape.editable) return item
  const entries = listOf(fieldsOf(item).output)
  const replaced = oneForMany(entries, {
    isReplaced: (entry) => isMedia(entry, edit.media),
    replacement: () => textEntry(edit.text),
    whenNone: 'nothing',
  })
  return replaced === entries ? item : withField(item, 'output', replaced)
}

function editMessage(item: ResponsesItem, edits: readonly PartEdit[]): ResponsesItem | undefined {
  const { content, role } = fieldsOf(item)
  if (typeof content === 'string' && isKnownRole(role)) return editStringContent(item, content, edits)
  const entries = isKnownRole(role) ? listOf(content) : []
  if (entries.length === 0) return edits.some((edit) => edit.kind === 'remove' && edit.part === 0) ? undefined : item
  const edited = entries.map((entry, number) =>
    edits.filter((edit) => edit.part === number).reduce((current, edit) => editEntry(current, edit, role), entry),
  )
  if (edited.every((entry, number) => entry === entries[number])) return item
  const kept = edited.filter((entry) => entry !== REMOVED)
  return kept.length === 0 ? undefined : withList(item, 'content', kept)
}

function editStringContent(
  item: ResponsesItem,
  content: string,
  edits: readonly PartEdit[],
): ResponsesItem | undefined {
  const own = edits.filter((edit) => edit.part === 0)
  if (own.some((edit) => edit.kind === 'remove')) return undefined
  const text = own.reduce((current, edit) => (edit.kind === 'replace-text' ? edit.text : current), content)
  return text === content ? item : withField(item, 'content', text)
}

const REMOVED = Symbol('removed')

function editEntry(entry: unknown, edit: PartEdit, role: unknown): unknown {
  if (edit.kind === 'remove' || entry === REMOVED) return REMOVED
  if (edit.kind === 'replace-text') return isTextEntry(entry) ? withText(entry, edit.text) : entry
  if (edit.kind !== 'replace-media' || !isMedia(entry, edit.media)) return entry
  return role === 'assistant' ? { type: 'output_text', text: edit.text, annotations: [] } : textEntry(edit.text)
}

function isMedia(entry: unknown, media: 'image' | 'document'): boolean {
  return fieldsOf(entry).type === (media === 'image' ? 'input_image' : 'input_file')
}
