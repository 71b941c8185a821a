import { clipJsonText } from '../json/clip-json.ts'
import { cutText } from '../json/well-formed.ts'
import type { MessageView, PartEdit, PartView } from '../messages/message.ts'
import { artifactPointer } from './artifact-pointer.ts'
import type { Offload, Placeholder, Truncation } from './plan.ts'
import type { ItemEdits, PartEdits } from './plan-index.ts'

/** Characters of the original that stand beside the pointer to an offloaded result. */
export const OFFLOAD_PREVIEW = { head: 400, tail: 200 } as const

/** The edits that turn a native item into what a plan shows of it. Edits that would not make a part smaller are left out. */
export function partEditsOf(view: MessageView, edits: ItemEdits): readonly PartEdit[] {
  return view.parts.flatMap((part, number) => {
    const own = edits.parts.get(number)
    if (own?.removed) return [{ kind: 'remove', part: number } as const]
    const offload = own?.offload ?? offloadOfItem(part, edits.offload)
    if (offload !== undefined) return [offloadEdit(part, number, offload)].flat()
    return own === undefined ? [] : [...truncationEdit(part, number, own), ...placeholderEdits(part, number, own)]
  })
}

/** The text that stands for a truncated part: both ends and how much is missing. */
export function truncatedText(part: PartView, truncation: Truncation): string {
  const { kept_head: head, kept_tail: tail } = truncation
  return part.kind === 'tool-call' ? clipArguments(part.text(), head, tail) : keepEnds(part.text(), head, tail)
}

/** The text that stands for an offloaded result. */
export function offloadedText(part: PartView, offload: Offload): string {
  const text = part.text()
  const { head, tail } = OFFLOAD_PREVIEW
  const preview = keepEnds(text, head, tail)
  const pointer = offload.artifact_key === undefined ? '' : ` stored as ${artifactPointer(offload.artifact_key)}`
  return `[${text.length} characters${pointer}]\n${preview}`
}

/** The line that stands for a picture or file that left. */
export function placeholderText(part: PartView, placeholder: Placeholder): string {
  const media = (part.media ?? []).filter((one) => (one.kind === 'document') === (placeholder.kind === 'document'))
  const sizes = media.map((one) => (one.width && one.height ? `${one.width}x${one.height}` : `${one.bytes} bytes`))
  const pointer =
    placeholder.artifact_key === undefined ? '' : `, stored as ${artifactPointer(placeholder.artifact_key)}`
  return `[${placeholder.kind} left out: ${sizes.join(', ') || 'size unknown'}${pointer}]`
}

/** Both ends of a text, `head` and `tail` characters, with a note of how many are missing; shorter, or the text itself. */
function keepEnds(text: string, head: number, tail: number): string {
  return text.length <= shownLength(head, tail) ? text : cutText(text, cutOf(head, tail)).text
}

/** Tool arguments with every long string cut at both ends: JSON of the same shape. Free text has no shape to keep. */
function clipArguments(json: string, head: number, tail: number): string {
  const { limit, ...cut } = cutOf(head, tail)
  return clipJsonText(json, { ...cut, maxStringChars: limit }) ?? keepEnds(json, head, tail)
}

function cutOf(head: number, tail: number) {
  return { limit: shownLength(head, tail), headShare: head / Math.max(1, head + tail), marker: missingNote }
}

function shownLength(head: number, tail: number): number {
  return head + tail + missingNote(Number.MAX_SAFE_INTEGER).length
}

function missingNote(characters: number): string {
  return `[… ${characters} characters left out …]`
}

function offloadOfItem(part: PartView, offload: Offload | undefined): Offload | undefined {
  if (offload === undefined || part.kind !== 'tool-result') return undefined
  return part.bytes() >= (offload.threshold ?? 0) ? offload : undefined
}

function offloadEdit(part: PartView, number: number, offload: Offload): PartEdit | [] {
  if (!part.editable || part.kind !== 'tool-result') return []
  const text = offloadedText(part, offload)
  const smaller = text.length < part.text().length || (part.media?.length ?? 0) > 0
  return smaller ? { kind: 'replace-result', part: number, text } : []
}

function truncationEdit(part: PartView, number: number, edits: PartEdits): readonly PartEdit[] {
  if (edits.truncation === undefined || !part.editable) return []
  const text = truncatedText(part, edits.truncation)
  return text.length < part.text().length ? [{ kind: 'replace-text', part: number, text }] : []
}

function placeholderEdits(part: PartView, number: number, edits: PartEdits): readonly PartEdit[] {
  return edits.placeholders.flatMap((placeholder): PartEdit[] => {
    if (placeholder.kind === 'reasoning') return part.kind === 'reasoning' ? [{ kind: 'remove', part: number }] : []
    const { kind } = placeholder
    if (!(part.media ?? []).some((media) => (media.kind === 'document') === (kind === 'document'))) return []
    return [{ kind: 'replace-media', part: number, media: kind, text: placeholderText(part, placeholder) }]
  })
}
