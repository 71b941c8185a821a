import type { Media } from '../../engine/messages/message.ts'
import { imageSize } from '../image-size.ts'
import { isObject, listOf, property, stringOf } from '../json-fields.ts'
import { optionsByProvider } from './fields.ts'
import type { AiSdkMessage, AiSdkPart } from './items.ts'
import { base64Length, bytesOf } from './wire-json.ts'

/** The parts of a message; a text alone is one text part. */
export function partsOf(message: unknown): readonly AiSdkPart[] {
  const content = property(message, 'content')
  if (typeof content === 'string') return [{ type: 'text', text: content } as AiSdkPart]
  return listOf(content) as readonly AiSdkPart[]
}

export function typeOf(part: unknown): string {
  return stringOf(property(part, 'type')) ?? ''
}

/** Words of a text part, or of a file that is given as a text; undefined for other parts. */
export function wordsOf(part: unknown): string | undefined {
  if (typeOf(part) === 'text') return stringOf(property(part, 'text')) ?? ''
  const data = property(part, 'data')
  return typeOf(part) === 'file' && typeOf(data) === 'text' ? stringOf(property(data, 'text')) : undefined
}

/**
 * A call or result that the provider ran itself: the pair stays as it is, inside its assistant message. A call is told by
 * its flag, or by its result beside it where a store has lost the flag.
 */
export function isProviderRun(part: unknown, message: AiSdkMessage): boolean {
  if (typeOf(part) === 'tool-result') return message.role !== 'tool'
  if (typeOf(part) !== 'tool-call') return false
  const id = property(part, 'toolCallId')
  return (
    property(part, 'providerExecuted') === true ||
    partsOf(message).some((other) => typeOf(other) === 'tool-result' && property(other, 'toolCallId') === id)
  )
}

/** Thinking of the model, as text or as a file. */
export function isReasoning(part: unknown): boolean {
  return typeOf(part) === 'reasoning' || typeOf(part) === 'reasoning-file'
}

/** A provider's own compaction: OpenAI's is a part of its own, Anthropic's a marked text. */
export function isProviderCompaction(part: unknown): boolean {
  if (typeOf(part) === 'custom') return (stringOf(property(part, 'kind')) ?? '').endsWith('.compaction')
  return typeOf(part) === 'text' && optionsByProvider(part).some((options) => typeOf(options) === 'compaction')
}

/** Does a signature of the model stand on the part? Then it is not edited: it stays as it is or leaves whole. */
export function isSigned(part: unknown): boolean {
  return optionsByProvider(part).some((options) => SIGNATURES.some((name) => property(options, name) !== undefined))
}

const SIGNATURES: readonly string[] = ['signature', 'thoughtSignature', 'redactedData', 'reasoningEncryptedContent']

/** Types of parts and of blocks in a result that hold one file, in every version of the prompt. */
const MEDIA_TYPES: ReadonlySet<string> = new Set([
  'file',
  'image',
  'reasoning-file',
  'media',
  'file-data',
  'file-url',
  'file-id',
  'file-reference',
  'image-data',
  'image-url',
  'image-file-id',
])

/** The file of a part, or of a block in a tool result; undefined where there is none. */
export function mediaOf(part: unknown): Media | undefined {
  if (!MEDIA_TYPES.has(typeOf(part)) || wordsOf(part) !== undefined) return undefined
  const kind = mediaKind(part)
  const data = payload(property(part, 'data') ?? property(part, 'image') ?? property(part, 'url'))
  const size = kind === 'image' && data !== undefined ? imageSize(data) : undefined
  const bytes = typeof data === 'string' ? data.length : base64Length(data?.length ?? 0)
  return { kind, ...(size && { width: size.width, height: size.height }), bytes }
}

function mediaKind(part: unknown): Media['kind'] {
  const type = stringOf(property(part, 'mediaType')) ?? ''
  if (/^image(\/|$)/.test(type) || typeOf(part).startsWith('image')) return 'image'
  if (/^audio(\/|$)/.test(type)) return 'audio'
  return /^video(\/|$)/.test(type) ? 'video' : 'document'
}

/** Inline data: base64 text, a data URL, or bytes. Undefined for a reference, which is fetched by the provider. */
function payload(data: unknown): string | Uint8Array | undefined {
  if (typeof data === 'string') return /^https?:/i.test(data.slice(0, 8)) ? undefined : data
  const bytes = bytesOf(data)
  if (bytes !== undefined) return bytes
  const tag = typeOf(data)
  if (tag === 'data') return payload(property(data, 'data'))
  const href = tag === 'url' ? addressOf(property(data, 'url')) : addressOf(data)
  return href !== undefined && /^data:/i.test(href.slice(0, 5)) ? href : undefined
}

function addressOf(url: unknown): string | undefined {
  if (typeof url === 'string') return url
  return url instanceof URL ? url.href : undefined
}

/** The outcome of a tool, in the shapes that the versions of the prompt know. */
export type ToolOutput =
  | { readonly kind: 'text'; readonly text: string; readonly failed: boolean }
  | { readonly kind: 'json'; readonly value: unknown; readonly failed: boolean }
  | { readonly kind: 'content'; readonly blocks: readonly unknown[] }
  | { readonly kind: 'denied'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly value: unknown }

/** Reads the outcome that a tool-result part holds. */
export function outputOf(part: unknown): ToolOutput {
  const output = property(part, 'output')
  const value = isObject(output) ? output.value : undefined
  switch (typeOf(output)) {
    case 'text':
    case 'error-text':
      return { kind: 'text', text: stringOf(value) ?? '', failed: typeOf(output) === 'error-text' }
    case 'json':
    case 'error-json':
      return { kind: 'json', value, failed: typeOf(output) === 'error-json' }
    case 'content':
      return { kind: 'content', blocks: listOf(value) }
    case 'execution-denied':
      return { kind: 'denied', reason: stringOf(property(output, 'reason')) ?? '' }
    default:
      return { kind: 'unknown', value: isObject(output) ? output : property(part, 'result') }
  }
}
