import { derive, deriveList } from '../../engine/json/derive.ts'
import type { PartEdit } from '../../engine/messages/message.ts'
import { derivedArguments } from '../derived-json.ts'
import { assertPartsExist } from '../edit-mismatch.ts'
import { isObject, isSameList, property } from '../json-fields.ts'
import { oneForMany } from '../one-for-many.ts'
import { withoutItemId } from './item-ids.ts'
import type { AiSdkMessage, AiSdkPart } from './items.ts'
import {
  isProviderCompaction,
  isProviderRun,
  isReasoning,
  isSigned,
  mediaOf,
  outputOf,
  partsOf,
  typeOf,
  wordsOf,
} from './part-data.ts'

/**
 * The message with the edits; undefined when no part is left. Results alias the caller's objects: every change is a copy.
 * An edit that a part cannot take (the text of thinking, what a provider ran) leaves that part as it is. An edited part
 * and the parts behind removed thinking lose their item id.
 * @throws PalimpsestError `plan-mismatch` when an edit names a part that is not there.
 */
export function editMessage(message: AiSdkMessage, edits: readonly PartEdit[]): AiSdkMessage | undefined {
  const parts = partsOf(message)
  assertPartsExist(edits, parts.length)
  const edited = editParts(parts, edits, message)
  if (edited.length === 0 && parts.length > 0) return undefined
  if (isSameList(parts, edited)) return message
  if (typeof message.content === 'string') return derive(message, { content: wordsOf(edited[0]) ?? '' })
  return derive(message, { content: deriveList(parts, edited) })
}

function editParts(
  parts: readonly AiSdkPart[],
  edits: readonly PartEdit[],
  message: AiSdkMessage,
): readonly AiSdkPart[] {
  const kept: AiSdkPart[] = []
  let thinkingLeft = false
  for (const [at, part] of parts.entries()) {
    const own = edits.filter((edit) => edit.part === at)
    if (own.some((edit) => edit.kind === 'remove')) {
      thinkingLeft ||= isReasoning(part)
      continue
    }
    const edited = isFixed(part, message) ? part : own.reduce(editPart, part)
    const loosened = edited !== part || (thinkingLeft && !isReasoning(part) && !isProviderCompaction(part))
    kept.push(loosened ? withoutItemId(edited) : edited)
  }
  return kept
}

/** Parts that leave whole or stay as they are. */
function isFixed(part: AiSdkPart, message: AiSdkMessage): boolean {
  const fixed = message.role === 'system' || isProviderCompaction(part) || isProviderRun(part, message)
  return fixed || isReasoning(part) || isSigned(part)
}

function editPart(part: AiSdkPart, edit: PartEdit): AiSdkPart {
  if (typeOf(part) === 'tool-result') return editResult(part, edit)
  if (edit.kind === 'replace-media') {
    return matches(part, edit.media) ? change(part, { ...NO_FILE, type: 'text', text: edit.text }) : part
  }
  if (edit.kind !== 'replace-text') return part
  if (typeOf(part) === 'tool-call') return replaceInput(part, edit.text)
  const words = wordsOf(part)
  if (words === undefined || words === edit.text) return part
  if (typeOf(part) === 'text') return change(part, { text: edit.text })
  return change(part, { data: change(property(part, 'data') as object, { text: edit.text }) })
}

function replaceInput(part: AiSdkPart, text: string): AiSdkPart {
  const before = property(part, 'input')
  const input = derivedArguments(before, text)
  return input === undefined || input === before ? part : change(part, { input })
}

/** The fields of a file, away. */
const NO_FILE = { data: undefined, image: undefined, mediaType: undefined, filename: undefined, originalUrl: undefined }

/** A copy with changes; a field that was not there and shall go is no change. */
function change<T extends object>(origin: T, changes: Readonly<Record<string, unknown>>): T {
  const real = Object.entries(changes).filter(([key, value]) => value !== undefined || Object.hasOwn(origin, key))
  return derive<object>(origin, Object.fromEntries(real)) as T
}

function matches(part: unknown, media: 'image' | 'document'): boolean {
  const own = mediaOf(part)
  // Sound and film count as pictures here: what a document is to the engine, they are not.
  return own !== undefined && (own.kind === 'document') === (media === 'document')
}

function editResult(part: AiSdkPart, edit: PartEdit): AiSdkPart {
  const output = outputOf(part)
  if (output.kind === 'unknown' || output.kind === 'denied') return part
  if (edit.kind === 'replace-media') {
    if (output.kind !== 'content' || !output.blocks.some((block) => matches(block, edit.media))) return part
    return withOutput(part, {
      value: oneForMany(output.blocks, {
        isReplaced: (block) => matches(block, edit.media),
        replacement: (leaving) => textFor(leaving, edit.text),
      }),
    })
  }
  if (edit.kind === 'remove') return part
  if (output.kind === 'content') {
    if (edit.kind === 'replace-result') return withOutput(part, { type: 'text', value: edit.text })
    return withOutput(part, {
      value: oneForMany(output.blocks, {
        isReplaced: (block) => wordsOf(block) !== undefined,
        replacement: (leaving) => textFor(leaving, edit.text),
      }),
    })
  }
  return withOutput(part, { type: output.failed ? 'error-text' : 'text', value: edit.text })
}

/** One text for all blocks that leave, made from the first where that is a text. */
function textFor([first]: readonly unknown[], text: string): unknown {
  return typeOf(first) === 'text' && isObject(first) ? derive<object>(first, { text }) : { type: 'text', text }
}

/** Options of the output itself (cache marks) stay. */
function withOutput(part: AiSdkPart, changes: Readonly<Record<string, unknown>>): AiSdkPart {
  return change(part, { output: change(property(part, 'output') as object, changes) })
}
