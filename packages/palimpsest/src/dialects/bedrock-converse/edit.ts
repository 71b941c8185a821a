import { derive, deriveList } from '../../engine/json/derive.ts'
import type { PartEdit } from '../../engine/messages/message.ts'
import { derivedArguments } from '../derived-json.ts'
import { assertPartsExist } from '../edit-mismatch.ts'
import { isObject, isSameList } from '../json-fields.ts'
import { oneForMany } from '../one-for-many.ts'
import {
  type BedrockBlock,
  type BedrockMessage,
  blocksOf,
  clientCall,
  createdText,
  isBlockList,
  isCachePoint,
  isReasoning,
  memberOf,
  partsOf,
  roleOf,
  toolResult,
} from './items.ts'
import { isMediaOf } from './media.ts'

/**
 * The message with the edits; blocks that no edit names stay the same objects, and so does a block that cannot take its
 * edit (reasoning, what the provider looked up, arguments that are no JSON object). Undefined when nothing is left, or
 * nothing but reasoning and cache points.
 * @throws PalimpsestError `plan-mismatch` when an edit names a part that is not there.
 */
export function editMessage(message: BedrockMessage, edits: readonly PartEdit[]): BedrockMessage | undefined {
  assertPartsExist(edits, partsOf(message).length)
  const blocks = blocksOf(message)
  let parts = 0
  const edited = blocks.flatMap((block) => {
    if (isCachePoint(block)) return [block]
    const part = parts++
    const own = edits.filter((edit) => edit.part === part)
    if (own.some((edit) => edit.kind === 'remove')) return []
    return [own.reduce((current, edit) => editBlock(current, edit, roleOf(message)), block)]
  })
  return isSameList(edited, blocks) ? message : withBlocks(message, edited)
}

/**
 * The message with these blocks. Reasoning that nothing follows any more leaves too: what it led to is gone. So does a
 * cache point with nothing before it, or with reasoning before it: the API refuses both.
 */
export function withBlocks(message: BedrockMessage, blocks: readonly BedrockBlock[]): BedrockMessage | undefined {
  const last = blocks.findLastIndex((block) => !isReasoning(block) && !isCachePoint(block))
  const trimmed = roleOf(message) === 'assistant' ? blocks.slice(0, last + 1) : blocks
  const points = roleOf(message) === 'assistant' ? blocks.slice(last + 1).filter(isCachePoint) : []
  const kept: BedrockBlock[] = []
  for (const block of [...trimmed, ...points]) {
    const before = kept.at(-1)
    if (isCachePoint(block) && (before === undefined || isReasoning(before))) continue
    kept.push(block)
  }
  if (kept.every(isCachePoint)) return undefined
  return derive(message, { content: deriveList(message.content ?? [], kept) })
}

function editBlock(block: BedrockBlock, edit: PartEdit, role: string): BedrockBlock {
  if (!isObject(block)) return block
  switch (edit.kind) {
    case 'remove':
      return block
    case 'replace-text':
      return replaceText(block, edit.text, role)
    case 'replace-result':
      return role === 'assistant' ? block : withResultText(block, edit.text, isKnown)
    case 'replace-media':
      return replaceMedia(block, edit.media, edit.text)
  }
}

function replaceText(block: BedrockBlock, text: string, role: string): BedrockBlock {
  if (memberOf(block) === 'text') return derive(block, { text })
  const call = clientCall(block)
  if (call !== undefined) {
    const input = derivedArguments(call.input, text)
    return input === undefined || input === call.input ? block : derive(block, { toolUse: derive(call, { input }) })
  }
  if (toolResult(block) !== undefined) return role === 'assistant' ? block : withResultText(block, text, isReadable)
  const { guardContent, document } = block
  if (isObject(guardContent) && isObject(guardContent.text)) {
    return derive(block, { guardContent: derive(guardContent, { text: derive(guardContent.text, { text }) }) })
  }
  if (isObject(document) && isObject(document.source) && typeof document.source.text === 'string') {
    return derive(block, { document: derive(document, { source: derive(document.source, { text }) }) })
  }
  return block
}

function isReadable(block: BedrockBlock): boolean {
  return memberOf(block) === 'text' || memberOf(block) === 'json'
}

/** What the model reads of a result. Anything else in it is not known, and stays. */
function isKnown(block: BedrockBlock): boolean {
  return isReadable(block) || ['image', 'document', 'video', 'audio', 'searchResult'].includes(memberOf(block))
}

/** The result with one text where the first of the blocks in question stood, in front where there was none. */
function withResultText(block: BedrockBlock, text: string, isReplaced: (inner: BedrockBlock) => boolean): BedrockBlock {
  const result = toolResult(block)
  if (result === undefined) return block
  const content = oneForMany(isBlockList(result.content) ? result.content : [], {
    isReplaced,
    replacement: (leaving) => textFor(leaving, text),
  })
  return derive(block, { toolResult: derive(result, { content }) })
}

/** One text block for all that leave, made from the first text among them. */
function textFor(leaving: readonly BedrockBlock[], text: string): BedrockBlock {
  const model = leaving.find((block) => memberOf(block) === 'text')
  return model === undefined ? createdText(text) : derive(model, { text })
}

function replaceMedia(block: BedrockBlock, media: 'image' | 'document', text: string): BedrockBlock {
  const isThat = (one: BedrockBlock) => isMediaOf(one, media)
  if (isThat(block)) return createdText(text)
  const content = toolResult(block)?.content
  return isBlockList(content) && content.some(isThat) ? withResultText(block, text, isThat) : block
}
