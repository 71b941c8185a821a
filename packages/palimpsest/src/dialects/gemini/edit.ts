import { derive, deriveList } from '../../engine/json/derive.ts'
import type { PartEdit } from '../../engine/messages/message.ts'
import { derivedArguments } from '../derived-json.ts'
import { assertPartsExist } from '../edit-mismatch.ts'
import { isObject, isSameList, property } from '../json-fields.ts'
import { field, spelling } from './fields.ts'
import type { GeminiContent, GeminiPart } from './items.ts'
import { isErrorResponse, isSigned, mediaOf, partData, partsOf } from './part-data.ts'

/**
 * The content with the edits; undefined when no part is left. An edit that a part cannot take (the text of a thought, the
 * arguments of a signed call, arguments that are no JSON object) leaves that part as it is.
 * @throws PalimpsestError `plan-mismatch` when an edit names a part that is not there.
 */
export function editContent(content: GeminiContent, edits: readonly PartEdit[]): GeminiContent | undefined {
  const parts = partsOf(content)
  assertPartsExist(edits, parts.length)
  const edited = parts.flatMap((part, at) => {
    const own = edits.filter((edit) => edit.part === at)
    return own.some((edit) => edit.kind === 'remove') ? [] : [own.reduce(editPart, part)]
  })
  if (edited.length === 0 && parts.length > 0) return undefined
  return isSameList(parts, edited) ? content : derive(content, { parts: deriveList(parts, edited) })
}

function editPart(part: GeminiPart, edit: PartEdit): GeminiPart {
  if (isSigned(part)) return part
  const data = partData(part)
  switch (data.kind) {
    case 'text':
      return edit.kind === 'replace-text' ? derive(part, { text: edit.text }) : part
    case 'call':
      return edit.kind === 'replace-text' ? replaceArguments(part, data.value, edit.text) : part
    case 'response':
      return editResponse(part, edit)
    case 'media':
      return edit.kind === 'replace-media' && matches(part, edit.media) ? { text: edit.text } : part
    default:
      return part
  }
}

function replaceArguments(part: GeminiPart, call: unknown, text: string): GeminiPart {
  const before = property(call, 'args')
  const args = derivedArguments(before, text)
  return args === undefined || args === before ? part : changeInside(part, 'functionCall', { args })
}

function editResponse(part: GeminiPart, edit: PartEdit): GeminiPart {
  const native = field(part, 'functionResponse')
  const response = property(native, 'response')
  switch (edit.kind) {
    case 'replace-text':
      return changeInside(part, 'functionResponse', { response: { [textKey(response)]: edit.text } })
    case 'replace-result':
      return changeInside(part, 'functionResponse', {
        response: { [textKey(response)]: edit.text },
        ...(property(native, 'parts') !== undefined && { parts: undefined }),
      })
    case 'replace-media':
      return replaceMedia(part, native, edit.media, edit.text)
    default:
      return part
  }
}

/**
 * The key under which a result's new text stands: `error` for a failure; else the key that held its text, so that the model
 * finds it where this tool always puts it; where there is not just one, `output`, the key that the API documents.
 */
function textKey(response: unknown): string {
  if (isErrorResponse(response)) return 'error'
  const keys = isObject(response) ? Object.keys(response) : []
  const texts = keys.filter((key) => typeof property(response, key) === 'string')
  const [only] = keys.length === 1 ? keys : texts.length === 1 ? texts : []
  return only === undefined || only === 'error' ? 'output' : only
}

/** The key that holds what stands in the place of media: a function response has no text parts. */
const OMITTED_MEDIA_KEY = 'omitted_media'

function replaceMedia(part: GeminiPart, native: unknown, media: 'image' | 'document', text: string): GeminiPart {
  const parts = partsOf(native)
  const kept = parts.filter((inner) => !matches(inner, media))
  if (kept.length === parts.length) return part
  const response = property(native, 'response')
  const before = property(response, OMITTED_MEDIA_KEY)
  const note = typeof before === 'string' ? `${before}\n${text}` : text
  return changeInside(part, 'functionResponse', {
    response: isObject(response)
      ? derive<object>(response, { [OMITTED_MEDIA_KEY]: note })
      : { [OMITTED_MEDIA_KEY]: note },
    parts: kept.length === 0 ? undefined : deriveList(parts, kept),
  })
}

/** Sound and film count as pictures here: what a document is to the engine, they are not. */
function matches(part: GeminiPart, media: 'image' | 'document'): boolean {
  const own = mediaOf(part)
  return own !== undefined && (own.kind === 'document') === (media === 'document')
}

/** The part with changes inside the object that it holds under `name`, in the spelling that it uses. */
function changeInside(
  part: GeminiPart,
  name: 'functionCall' | 'functionResponse',
  changes: Readonly<Record<string, unknown>>,
): GeminiPart {
  const native = field(part, name)
  const changed = derive<object>(isObject(native) ? native : {}, changes)
  return derive<object>(part, { [spelling(part, name)]: changed }) as GeminiPart
}
