import type { PromptBlock } from '../../format.ts'
import { type Fields, field, listField, textField } from '../../json-fields.ts'
import { pdfPages } from '../../media-facts.ts'
import { pictureTokens } from '../../picture-tokens.ts'
import { readBlocks, readMessages } from './content.ts'

/** A page of a document: its text and its picture. */
const PAGE_TOKENS = 2_000
/** Base64 characters that are taken for a page, where pages cannot be counted. */
const PAGE_CHARACTERS = 50_000
/** Lives of cache marks, in seconds. */
const SHORT = 300
const LONG = 3_600

/** What the model reads of a request, in its order: tools, system, messages. */
export function readPrompt(body: unknown): readonly PromptBlock[] {
  const blocks = [
    ...listField(body, 'tools').map((tool) => asPrompt(tool as Fields, JSON.stringify(withoutMark(tool)))),
    ...readBlocks(field(body, 'system')).map((block) => asPrompt(block, textField(block, 'text') ?? '')),
    ...readMessages(body).flatMap(({ role, blocks }) => blocks.flatMap((block) => readBlock(block, role))),
  ]
  return markAutomatically(blocks, field(body, 'cache_control'))
}

/** A mark on the whole request is one behind its last block. */
function markAutomatically(blocks: readonly PromptBlock[], mark: unknown): readonly PromptBlock[] {
  const last = blocks.at(-1)
  if (typeof mark !== 'object' || mark === null || last === undefined) return blocks
  return [...blocks.slice(0, -1), { ...last, cacheSeconds: secondsOf(mark) }]
}

function readBlock(block: Fields, role: string): readonly PromptBlock[] {
  const head = `\n\n${role}: `
  switch (block.type) {
    case 'text':
      return [asPrompt(block, head + (textField(block, 'text') ?? ''))]
    case 'thinking':
      return [asPrompt(block, head + (textField(block, 'thinking') ?? ''))]
    case 'tool_use':
      return [asPrompt(block, `${head}${block.name} ${JSON.stringify(block.input)}`)]
    case 'tool_result':
      return readResult(block, head)
    case 'image':
    case 'document':
      return [readMedia(block)]
    default:
      return [asPrompt(block, head + JSON.stringify(withoutMark(block)))]
  }
}

/** A result and the pictures in it; its mark stands behind all of that. */
function readResult(block: Fields, head: string): readonly PromptBlock[] {
  const inner = readBlocks(block.content)
  const texts = inner.filter(({ type }) => type !== 'image' && type !== 'document')
  const media = inner.filter(({ type }) => type === 'image' || type === 'document').map(readMedia)
  const text = `${head}${texts.map((one) => textField(one, 'text') ?? JSON.stringify(one)).join('\n')}`
  const [last, ...rest] = [{ text }, ...media].reverse() as [PromptBlock, ...PromptBlock[]]
  return [...rest.reverse(), { ...asPrompt(block, last.text), ...last }]
}

function readMedia(block: Fields): PromptBlock {
  const data = textField(block.source, 'data') ?? textField(block.source, 'url') ?? ''
  if (block.type === 'image') return { ...asPrompt(block, data), tokens: pictureTokens(data) }
  if (field(block.source, 'type') === 'text') return asPrompt(block, data)
  const pages = pdfPages(data) ?? Math.max(1, Math.ceil(data.length / PAGE_CHARACTERS))
  return { ...asPrompt(block, data), tokens: PAGE_TOKENS * pages }
}

function asPrompt(block: Fields, text: string): PromptBlock {
  const mark = block.cache_control
  return typeof mark === 'object' && mark !== null ? { text, cacheSeconds: secondsOf(mark) } : { text }
}

function secondsOf(mark: object): number {
  return field(mark, 'ttl') === '1h' ? LONG : SHORT
}

function withoutMark(value: unknown): unknown {
  const { cache_control: _, ...rest } = value as Fields
  return rest
}
