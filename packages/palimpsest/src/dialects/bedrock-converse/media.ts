import type { Media } from '../../engine/messages/message.ts'
import { claudeDocumentTokens, claudeImageTokens, textDocument } from '../claude-media.ts'
import { imageSize } from '../image-size.ts'
import { type Fields, isObject, stringOr } from '../json-fields.ts'
import { type BedrockBlock, isBlockList, memberOf } from './items.ts'
import { base64Length } from './wire-form.ts'

/** Tokens of a recording at most: models sample long ones. */
const RECORDING_TOKENS = 32_000

/** The picture, file or recording that a block is; undefined for any other block. */
export function mediaOf(block: BedrockBlock): Media | undefined {
  switch (memberOf(block)) {
    case 'image':
      return imageMedia(sourceOf(block.image))
    case 'document':
      return documentMedia(sourceOf(block.document))
    case 'video':
      return { kind: 'video', bytes: payloadBytes(sourceOf(block.video)) }
    case 'audio':
      return { kind: 'audio', bytes: payloadBytes(sourceOf(block.audio)) }
    case 'guardContent':
      return isObject(block.guardContent) && isObject(block.guardContent.image)
        ? imageMedia(sourceOf(block.guardContent.image))
        : undefined
    default:
      return undefined
  }
}

function sourceOf(member: unknown): Fields {
  return isObject(member) && isObject(member.source) ? member.source : {}
}

function imageMedia({ bytes }: Fields): Media {
  const isPayload = bytes instanceof Uint8Array || (typeof bytes === 'string' && bytes !== '')
  return { kind: 'image', ...(isPayload && imageSize(bytes)), bytes: payloadBytes({ bytes }) }
}

function documentMedia(source: Fields): Media {
  const text = plainText(source)
  if (text === undefined) return { kind: 'document', bytes: payloadBytes(source) }
  return textDocument(text)
}

function payloadBytes({ bytes }: Fields): number {
  if (bytes instanceof Uint8Array) return base64Length(bytes)
  return stringOr(bytes, '').length
}

/** The text of a document that carries it as such; undefined for files and references. */
export function plainText(source: Fields): string | undefined {
  if (typeof source.text === 'string') return source.text
  if (!isBlockList(source.content)) return undefined
  return source.content.map((block) => (isObject(block) ? stringOr(block.text, '') : '')).join('\n')
}

/** The text of a document block, where it carries text. */
export function documentText(block: BedrockBlock): string | undefined {
  return memberOf(block) === 'document' ? plainText(sourceOf(block.document)) : undefined
}

/** Media inside a tool result's content, in order. */
export function mediaInside(content: unknown): readonly Media[] {
  return isBlockList(content) ? content.flatMap((block) => mediaOf(block) ?? []) : []
}

/** Does a placeholder for this kind stand for the block? Recordings go with pictures. */
export function isMediaOf(block: BedrockBlock, kind: 'image' | 'document'): boolean {
  const media = mediaOf(block)
  return media !== undefined && (media.kind === 'document') === (kind === 'document')
}

/**
 * Tokens of a picture or file by the formula that Anthropic publishes for its models, the most used here; a recording
 * counts like a document of its bytes.
 */
export function mediaTokens(media: Omit<Media, 'kind'> & { readonly kind: string }): number {
  if (media.kind === 'image') return claudeImageTokens(media)
  const tokens = claudeDocumentTokens(media)
  return media.kind === 'document' ? tokens : Math.min(tokens, RECORDING_TOKENS)
}
