import { PalimpsestError } from '../../engine/errors.ts'
import { derive, deriveList } from '../../engine/json/derive.ts'
import type { PartEdit } from '../../engine/messages/message.ts'
import {
  type BedrockBlock,
  type BedrockMessage,
  blocksOf,
  clientCall,
  createdText,
  isBlockList,
  isCachePoint,
  isReasoning,
  isRecord,
  memberOf,
  partsOf,
  roleOf,
  toolResult,
} from './items.ts'
import { isMediaOf } from './media.ts'

/**
 * The message with the edits; blocks that no edit names stay the same objects. Undefined when nothing is left, or nothing
 * but reasoning and cache points.
 * @throws PalimpsestError `plan-mismatch` when an edit names a part that is not there or that cannot take it.
 */
export function editMessage(message: BedrockMessage, edits: readonly PartEdit[]): BedrockMessage | undefined {
  const parts = partsOf(message)
  const results: (BedrockBlock | undefined)[] = [...parts]
  for (const edit of edits) {
    if (!(edit.part in parts)) throw misfit(edit, `the message has ${parts.length} parts`)
    const block = results[edit.part]
    if (block !== undefined) results[edit.part] = editBlock(block, edit, roleOf(message))
  }
  let part = 0
  const blocks = blocksOf(message).flatMap((block) => {
    const next = isCachePoint(block) ? block : results[part++]
    return next === undefined ? [] : [next]
  })
  const isSame = blocks.length === blocksOf(message).length && results.every((block, at) => block === parts[at])
  return isSame ? message : withBlocks(message, blocks)
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

function editBlock(block: BedrockBlock, edit: PartEdit, role: string): BedrockBlock | undefined {
  switch (edit.kind) {
    case 'remove':
      return undefined
    case 'replace-text':
      return replaceText(block, edit, role)
    case 'replace-result': {
      const result = toolResult(block)
      if (result === undefined || role === 'assistant') throw misfit(edit, 'the part is no result of a client’s tool')
      return derive(block, { toolResult: derive(result, { content: replaceIn(result.content, edit.text, isKnown) }) })
    }
    case 'replace-media':
      return replaceMedia(block, edit)
  }
}

function replaceText(
  block: BedrockBlock,
  edit: PartEdit & { readonly kind: 'replace-text' },
  role: string,
): BedrockBlock {
  const { text } = edit
  if (memberOf(block) === 'text') return derive(block, { text })
  const call = clientCall(block)
  if (call !== undefined) return derive(block, { toolUse: derive(call, { input: parseInput(edit) }) })
  const result = toolResult(block)
  if (result !== undefined && role !== 'assistant') {
    return derive(block, { toolResult: derive(result, { content: replaceIn(result.content, text, isReadable) }) })
  }
  const { guardContent, document } = block
  if (isRecord(guardContent) && isRecord(guardContent.text)) {
    return derive(block, { guardContent: derive(guardContent, { text: derive(guardContent.text, { text }) }) })
  }
  if (isRecord(document) && isRecord(document.source) && typeof document.source.text === 'string') {
    return derive(block, { document: derive(document, { source: derive(document.source, { text }) }) })
  }
  throw misfit(edit, `a part of the kind "${memberOf(block)}" has no text that may change`)
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

function isReadable(block: BedrockBlock): boolean {
  return memberOf(block) === 'text' || memberOf(block) === 'json'
}

/** What the model reads of a result. Anything else in it is not known, and stays. */
function isKnown(block: BedrockBlock): boolean {
  return isReadable(block) || ['image', 'document', 'video', 'audio', 'searchResult'].includes(memberOf(block))
}

/** The content with one text where the first of the blocks in question stood, in front where there was none. */
function replaceIn(
  content: unknown,
  text: string,
  replaced: (block: BedrockBlock) => boolean,
): readonly BedrockBlock[] {
  const blocks = isBlockList(content) ? content : []
  const at = blocks.findIndex(replaced)
  const model = blocks.find((block) => replaced(block) && memberOf(block) === 'text')
  const replacement = model === undefined ? createdText(text) : derive(model, { text })
  const next = blocks.flatMap((block, index) => (index === at ? [replacement] : replaced(block) ? [] : [block]))
  return deriveList(blocks, at < 0 ? [replacement, ...next] : next)
}

function replaceMedia(block: BedrockBlock, edit: PartEdit & { readonly kind: 'replace-media' }): BedrockBlock {
  const isThat = (one: BedrockBlock) => isMediaOf(one, edit.media)
  if (isThat(block)) return createdText(edit.text)
  const result = toolResult(block)
  const content = result?.content
  if (result === undefined || !isBlockList(content) || !content.some(isThat)) {
    throw misfit(edit, `the part holds no ${edit.media}`)
  }
  return derive(block, { toolResult: derive(result, { content: replaceIn(content, edit.text, isThat) }) })
}

function misfit(edit: PartEdit, reason: string): PalimpsestError {
  return new PalimpsestError('plan-mismatch', `The edit "${edit.kind}" of part ${edit.part} does not fit: ${reason}.`, {
    hint: 'Apply a plan only to the transcript that it was made for.',
  })
}
