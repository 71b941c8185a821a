import { PalimpsestError } from '../../engine/errors.ts'
import { derive, deriveList } from '../../engine/json/derive.ts'
import type { PartEdit } from '../../engine/messages/message.ts'
import {
  type AnthropicBlock,
  type AnthropicMessage,
  blocksOf,
  createdText,
  isBlockList,
  isRecord,
  isThinking,
  kindOf,
  roleOf,
  typeOf,
} from './items.ts'
import { isMediaOf } from './view.ts'

/**
 * The message with the edits; blocks that no edit names stay the same objects. Undefined when nothing is left, or nothing
 * but thinking.
 * @throws PalimpsestError `plan-mismatch` when an edit names a part that is not there or that cannot take it.
 */
export function editMessage(message: AnthropicMessage, edits: readonly PartEdit[]): AnthropicMessage | undefined {
  const blocks = blocksOf(message)
  const edited: (AnthropicBlock | undefined)[] = [...blocks]
  for (const edit of edits) {
    if (!(edit.part in blocks)) throw misfit(edit, `the message has ${blocks.length} parts`)
    const block = edited[edit.part]
    if (block !== undefined) edited[edit.part] = editBlock(block, edit)
  }
  const kept = edited.filter((block) => block !== undefined)
  return kept.length === blocks.length && kept.every((block, part) => block === blocks[part])
    ? message
    : withBlocks(message, kept)
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

function editBlock(block: AnthropicBlock, edit: PartEdit): AnthropicBlock | undefined {
  switch (edit.kind) {
    case 'remove':
      return undefined
    case 'replace-text':
      return replaceText(block, edit)
    case 'replace-result':
      if (kindOf(block) !== 'client-result') throw misfit(edit, 'the part is no tool result')
      return derive(block, { content: replaceContent(block.content, edit.text, isKnownContent) })
    case 'replace-media':
      return replaceMedia(block, edit)
  }
}

function replaceText(block: AnthropicBlock, edit: PartEdit & { readonly kind: 'replace-text' }): AnthropicBlock {
  const { text } = edit
  if (typeOf(block) === 'text') return derive(block, { text })
  if (kindOf(block) === 'client-call') return derive(block, { input: parseInput(edit) })
  if (kindOf(block) === 'client-result') {
    return derive(block, { content: replaceContent(block.content, text, (inner) => typeOf(inner) === 'text') })
  }
  const { source } = block
  if (typeOf(block) === 'document' && isRecord(source) && source.type === 'text') {
    return derive(block, { source: derive(source, { data: text }) })
  }
  throw misfit(edit, `a part of type "${typeOf(block)}" has no text that may change`)
}

function parseInput(edit: { readonly part: number; readonly text: string }): unknown {
  try {
    return JSON.parse(edit.text)
  } catch (cause) {
    throw new PalimpsestError('plan-mismatch', `The arguments for part ${edit.part} are no JSON.`, {
      cause,
      hint: 'Shorten the strings inside the arguments, not their JSON text.',
    })
  }
}

/** What the model reads of a result. Anything else in it (a tool reference, a browser state) is state, and stays. */
function isKnownContent(block: AnthropicBlock): boolean {
  return ['text', 'image', 'document', 'search_result'].includes(typeOf(block))
}

/** A result's content with one text where the first of the blocks in question stood; a string stays a string. */
function replaceContent(content: unknown, text: string, replaced: (block: AnthropicBlock) => boolean): unknown {
  return isBlockList(content) ? replaceAll(content, text, replaced) : text
}

function replaceAll(
  blocks: readonly AnthropicBlock[],
  text: string,
  replaced: (block: AnthropicBlock) => boolean,
): readonly AnthropicBlock[] {
  const leaving = blocks.filter(replaced)
  const at = blocks.findIndex(replaced)
  const next = blocks.flatMap((block, index) =>
    index === at ? [textFor(leaving, text)] : replaced(block) ? [] : [block],
  )
  return deriveList(blocks, at < 0 ? [createdText(text), ...next] : next)
}

/** One text block for all that leave: made from the first text among them, with the last cache mark that any had. */
function textFor(leaving: readonly AnthropicBlock[], text: string): AnthropicBlock {
  const model = leaving.find((block) => typeOf(block) === 'text')
  const mark = leaving.findLast((block) => isRecord(block.cache_control))?.cache_control
  const marked = mark === undefined ? {} : { cache_control: mark }
  return model === undefined ? { ...createdText(text), ...marked } : derive(model, { text, ...marked })
}

function replaceMedia(block: AnthropicBlock, edit: PartEdit & { readonly kind: 'replace-media' }): AnthropicBlock {
  const isThat = (one: AnthropicBlock) => isMediaOf(one, edit.media)
  if (isThat(block)) return textFor([block], edit.text)
  const { content } = block
  if (kindOf(block) !== 'client-result' || !isBlockList(content) || !content.some(isThat)) {
    throw misfit(edit, `the part holds no ${edit.media}`)
  }
  return derive(block, { content: replaceAll(content, edit.text, isThat) })
}

function misfit(edit: PartEdit, reason: string): PalimpsestError {
  return new PalimpsestError('plan-mismatch', `The edit "${edit.kind}" of part ${edit.part} does not fit: ${reason}.`, {
    hint: 'Apply a plan only to the transcript that it was made for.',
  })
}
