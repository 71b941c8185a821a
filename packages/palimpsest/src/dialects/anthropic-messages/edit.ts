import { derive, deriveList } from '../../engine/json/derive.ts'
import type { PartEdit } from '../../engine/messages/message.ts'
import { derivedArguments } from '../derived-json.ts'
import { assertPartsExist } from '../edit-mismatch.ts'
import { isObject, isSameList } from '../json-fields.ts'
import { oneForMany } from '../one-for-many.ts'
import {
  type AnthropicBlock,
  type AnthropicMessage,
  blocksOf,
  createdText,
  isBlockList,
  isThinking,
  kindOf,
  roleOf,
  typeOf,
} from './items.ts'
import { isMediaOf } from './view.ts'

/**
 * The message with the edits; blocks that no edit names stay the same objects, and so does a block that cannot take its
 * edit (thinking, what a server tool found, arguments that are no JSON object). Undefined when nothing is left, or nothing
 * but thinking.
 * @throws PalimpsestError `plan-mismatch` when an edit names a part that is not there.
 */
export function editMessage(message: AnthropicMessage, edits: readonly PartEdit[]): AnthropicMessage | undefined {
  const blocks = blocksOf(message)
  assertPartsExist(edits, blocks.length)
  const edited = blocks.flatMap((block, part) => {
    const own = edits.filter((edit) => edit.part === part)
    return own.some((edit) => edit.kind === 'remove') ? [] : [own.reduce(editBlock, block)]
  })
  return isSameList(edited, blocks) ? message : withBlocks(message, edited)
}

/**
 * The message with these blocks. Thinking that nothing follows any more leaves too: an assistant message must not end
 * with it, and its signature is worth nothing without what it led to.
 */
export function withBlocks(message: AnthropicMessage, blocks: readonly AnthropicBlock[]): AnthropicMessage | undefined {
  const last = blocks.findLastIndex((block) => !isThinking(block))
  const kept = roleOf(message) === 'assistant' ? blocks.slice(0, last + 1) : blocks
  const [first] = kept
  if (first === undefined) return undefined
  const { content } = message
  if (typeof content !== 'string') return derive(message, { content: deriveList(content ?? [], kept) })
  return derive(message, { content: typeof first.text === 'string' ? first.text : content })
}

function editBlock(block: AnthropicBlock, edit: PartEdit): AnthropicBlock {
  if (!isObject(block)) return block
  switch (edit.kind) {
    case 'remove':
      return block
    case 'replace-text':
      return replaceText(block, edit.text)
    case 'replace-result':
      return kindOf(block) === 'client-result' ? withContent(block, edit.text, isKnownContent) : block
    case 'replace-media':
      return replaceMedia(block, edit.media, edit.text)
  }
}

function replaceText(block: AnthropicBlock, text: string): AnthropicBlock {
  if (typeOf(block) === 'text') return derive(block, { text })
  if (kindOf(block) === 'client-call') {
    const input = derivedArguments(block.input, text)
    return input === undefined || input === block.input ? block : derive(block, { input })
  }
  if (kindOf(block) === 'client-result') return withContent(block, text, (inner) => typeOf(inner) === 'text')
  const { source } = block
  const isText = typeOf(block) === 'document' && isObject(source) && source.type === 'text'
  return isText ? derive(block, { source: derive(source, { data: text }) }) : block
}

/** What the model reads of a result. Anything else in it (a tool reference, a browser state) is state, and stays. */
function isKnownContent(block: AnthropicBlock): boolean {
  return ['text', 'image', 'document', 'search_result'].includes(typeOf(block))
}

/** The result with one text where the first of the blocks in question stood; a string stays a string. */
function withContent(
  block: AnthropicBlock,
  text: string,
  isReplaced: (inner: AnthropicBlock) => boolean,
): AnthropicBlock {
  const { content } = block
  return derive(block, { content: isBlockList(content) ? oneTextFor(content, text, isReplaced) : text })
}

function oneTextFor(
  blocks: readonly AnthropicBlock[],
  text: string,
  isReplaced: (block: AnthropicBlock) => boolean,
): readonly AnthropicBlock[] {
  return oneForMany(blocks, { isReplaced, replacement: (leaving) => textFor(leaving, text) })
}

/** One text block for all that leave: made from the first text among them, with the last cache mark that any had. */
function textFor(leaving: readonly AnthropicBlock[], text: string): AnthropicBlock {
  const model = leaving.find((block) => typeOf(block) === 'text')
  const mark = leaving.findLast((block) => isObject(block.cache_control))?.cache_control
  const marked = mark === undefined ? {} : { cache_control: mark }
  return model === undefined ? { ...createdText(text), ...marked } : derive(model, { text, ...marked })
}

function replaceMedia(block: AnthropicBlock, media: 'image' | 'document', text: string): AnthropicBlock {
  const isThat = (one: AnthropicBlock) => isMediaOf(one, media)
  if (isThat(block)) return textFor([block], text)
  const { content } = block
  const isHolder = kindOf(block) === 'client-result' && isBlockList(content) && content.some(isThat)
  return isHolder ? derive(block, { content: oneTextFor(content, text, isThat) }) : block
}
