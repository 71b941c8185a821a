import type { Media } from '../../engine/messages/message.ts'
import { claudeDocumentTokens, claudeImageTokens, textDocument } from '../claude-media.ts'
import { imageSize } from '../image-size.ts'
import { isObject, stringOr } from '../json-fields.ts'
import { type AnthropicBlock, isBlockList, typeOf } from './items.ts'

/** The picture or file that a block is; undefined for any other block and for documents whose text stands in the block. */
export function mediaOf(block: AnthropicBlock): Media | undefined {
  const type = typeOf(block)
  if (type === 'image') return imageMedia(block.source)
  return type === 'document' ? documentMedia(block.source) : undefined
}

function imageMedia(source: unknown): Media {
  const data = isObject(source) ? stringOr(source.data, '') : ''
  const size = data === '' ? undefined : imageSize(data)
  return { kind: 'image', ...size, bytes: data.length }
}

function documentMedia(source: unknown): Media {
  const text = plainText(source)
  if (text !== undefined) return textDocument(text)
  return { kind: 'document', bytes: isObject(source) ? stringOr(source.data, '').length : 0 }
}

/** The text of a document that carries it as such; undefined for files and references. */
export function plainText(source: unknown): string | undefined {
  if (!isObject(source)) return undefined
  if (source.type === 'text' && typeof source.data === 'string') return source.data
  if (source.type !== 'content') return undefined
  if (typeof source.content === 'string') return source.content
  if (!isBlockList(source.content)) return undefined
  return source.content.map((block) => (isObject(block) ? stringOr(block.text, '') : '')).join('\n')
}

/** Media inside a tool result's content, in order. */
export function mediaInside(content: unknown): readonly Media[] {
  return isBlockList(content) ? content.flatMap((block) => mediaOf(block) ?? []) : []
}

/** Tokens of a picture or file by the provider's published formula; stated constants where its size is not known. */
export function mediaTokens(media: Omit<Media, 'kind'> & { readonly kind: string }): number {
  return media.kind === 'image' ? claudeImageTokens(media) : claudeDocumentTokens(media)
}
