import { wellFormed } from '../json/well-formed.ts'
import type { MessageView, PartEdit, PartView } from '../messages/message.ts'
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
  const pointer = offload.artifact_key === undefined ? '' : ` stored as artifact://${offload.artifact_key}`
  return `[${text.length} characters${pointer}]\n${preview}`
}

/** The line that stands for a picture or file that left. */
export function placeholderText(part: PartView, placeholder: Placeholder): string {
  const media = (part.media ?? []).filter((one) => (one.kind === 'document') === (placeholder.kind === 'document'))
  const sizes = media.map((one) => (one.width && one.height ? `${one.width}x${one.height}` : `${one.bytes} bytes`))
  const pointer = placeholder.artifact_key === undefined ? '' : `, stored as artifact://${placeholder.artifact_key}`
  return `[${placeholder.kind} left out: ${sizes.join(', ') || 'size unknown'}${pointer}]`
}

/**
 * The first `head` and last `tail` characters with a note of how many are missing between; the text itself when that
 * would not be shorter. No surrogate pair is cut in two.
 */
export function keepEnds(text: string, head: number, tail: number): string {
  const headEnd = splitsPair(text, head) ? head - 1 : head
  const tailStart = splitsPair(text, text.length - tail) ? text.length - tail + 1 : text.length - tail
  if (tailStart <= headEnd) return text
  const cut = `${text.slice(0, headEnd)}[… ${tailStart - headEnd} characters left out …]${text.slice(tailStart)}`
  return cut.length < text.length ? wellFormed(cut) : text
}

/** Tool arguments with every long string cut at both ends: JSON of the same shape. */
function clipArguments(json: string, head: number, tail: number): string {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return keepEnds(json, head, tail) // free text (custom tools): no shape to keep
  }
  return JSON.stringify(clipStrings(value, head, tail))
}

function clipStrings(value: unknown, head: number, tail: number): unknown {
  if (typeof value === 'string') return keepEnds(value, head, tail)
  if (Array.isArray(value)) return value.map((inner) => clipStrings(inner, head, tail))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clipStrings(inner, head, tail)]))
}

function splitsPair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
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
