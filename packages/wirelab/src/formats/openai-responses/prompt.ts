import type { PromptBlock } from '../../format.ts'
import { hashText } from '../../hash-text.ts'
import { field, listField, textField } from '../../json-fields.ts'
import { pdfPages, picturePixels } from '../../media-facts.ts'
import { openSeal } from '../../seal.ts'
import { itemType } from './call-families.ts'
import { compactedText } from './compaction.ts'
import { inputItems } from './input.ts'

/** The prompt in the order in which the model reads it: tools, instructions, items from the newest compaction on. */
export function responsesPrompt(body: unknown): readonly PromptBlock[] {
  const items = inputItems(body)
  const newest = items.findLastIndex((item) => ['compaction', 'compaction_summary'].includes(itemType(item)))
  const tools = listField(body, 'tools').map((tool) => ({ text: JSON.stringify(tool) }))
  const instructions = textField(body, 'instructions') ?? ''
  const system = instructions === '' ? [] : [{ text: instructions }]
  return [...tools, ...system, ...items.slice(Math.max(0, newest)).flatMap(itemBlocks)]
}

function itemBlocks(item: unknown): readonly PromptBlock[] {
  switch (itemType(item)) {
    case 'message':
      return contentBlocks(textField(item, 'role') ?? '', field(item, 'content'))
    case 'reasoning':
      return reasoningBlocks(item)
    case 'compaction':
    case 'compaction_summary':
      return [sealedBlock(item)]
    case 'computer_call_output':
      return contentBlocks('tool', [field(item, 'output')])
    default:
      return toolBlocks(item)
  }
}

/** Calls, and what tools answer: a text, or a list of content parts. */
function toolBlocks(item: unknown): readonly PromptBlock[] {
  const output = field(item, 'output')
  if (Array.isArray(output)) return contentBlocks('tool', output)
  if (typeof output === 'string') return [{ text: `tool ${output}` }]
  const said = ['name', 'arguments', 'input', 'action', 'operation'].flatMap((key) => {
    const value = field(item, key)
    return value === undefined ? [] : [typeof value === 'string' ? value : JSON.stringify(value)]
  })
  return [{ text: said.length > 0 ? `${itemType(item)} ${said.join(' ')}` : JSON.stringify(item) }]
}

function contentBlocks(role: string, content: unknown): readonly PromptBlock[] {
  if (typeof content === 'string') return [{ text: `${role} ${content}` }]
  return Array.isArray(content) ? content.map((part) => partBlock(role, part)) : []
}

function partBlock(role: string, part: unknown): PromptBlock {
  const mark = field(part, 'prompt_cache_breakpoint') == null ? {} : { cacheSeconds: BREAKPOINT_SECONDS }
  switch (textField(part, 'type')) {
    case 'input_image':
    case 'computer_screenshot': {
      const url = textField(part, 'image_url') ?? textField(part, 'file_id') ?? ''
      return { text: `${role} image ${hashText(url)}`, tokens: imageTokens(url, textField(part, 'detail')), ...mark }
    }
    case 'input_file':
      return { ...fileBlock(role, part), ...mark }
    case 'input_audio':
      return { text: `${role} audio ${hashText(JSON.stringify(part))}`, tokens: AUDIO_TOKENS, ...mark }
    default:
      return {
        text: `${role} ${textField(part, 'text') ?? textField(part, 'refusal') ?? JSON.stringify(part)}`,
        ...mark,
      }
  }
}

/** The only lifetime that `prompt_cache_options.ttl` offers: 30 minutes. */
const BREAKPOINT_SECONDS = 30 * 60
/** Sound whose length is not known: about a minute. */
const AUDIO_TOKENS = 600
const IMAGE_BASE_TOKENS = 85
const IMAGE_TILE_TOKENS = 170
const TILE = 512
/** A picture that stands elsewhere (a URL, a file id) counts like one of 1,024 by 1,024 pixels. */
const UNKNOWN_SIDE = 1_024
/** Tokens of a page, between the 1,500 and 3,000 that are seen. */
const PAGE_TOKENS = 2_000
const UNKNOWN_PAGES = 2

/** 85 tokens and 170 for each tile of 512 pixels, after the picture was fitted into 2,048 and its short side into 768. */
function imageTokens(url: string, detail: string | undefined): number {
  if (detail === 'low') return IMAGE_BASE_TOKENS
  const pixels = url.startsWith('data:') ? picturePixels(url) : undefined
  const { width, height } = pixels ?? { width: UNKNOWN_SIDE, height: UNKNOWN_SIDE }
  const fit = Math.min(1, 2_048 / Math.max(width, height))
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit))
  const tiles = Math.ceil((width * scale) / TILE) * Math.ceil((height * scale) / TILE)
  return IMAGE_BASE_TOKENS + IMAGE_TILE_TOKENS * tiles
}

function fileBlock(role: string, part: unknown): PromptBlock {
  const data = textField(part, 'file_data') ?? ''
  const name = textField(part, 'file_id') ?? textField(part, 'file_url') ?? ''
  return { text: `${role} file ${hashText(data + name)}`, tokens: PAGE_TOKENS * (pdfPages(data) ?? UNKNOWN_PAGES) }
}

/** Reasoning weighs what it says; its sealed content weighs it for us only where this simulator did not seal it. */
function reasoningBlocks(item: unknown): readonly PromptBlock[] {
  const sealed = textField(item, 'encrypted_content') ?? ''
  if (sealed !== '' && openSeal(sealed) === 'foreign') return [sealedBlock(item)]
  const parts = [...listField(item, 'summary'), ...listField(item, 'content')]
  return [{ text: `reasoning ${parts.map((part) => textField(part, 'text') ?? '').join('\n')}` }]
}

/** Sealed content in base64: four characters hold three bytes, and a token takes about four bytes of what is inside. */
const SEALED_CHARS_PER_TOKEN = 16 / 3

function sealedBlock(item: unknown): PromptBlock {
  const sealed = textField(item, 'encrypted_content') ?? ''
  const text = compactedText(sealed)
  if (text !== undefined) return { text: `${itemType(item)} ${text}` }
  return { text: `${itemType(item)} ${hashText(sealed)}`, tokens: Math.ceil(sealed.length / SEALED_CHARS_PER_TOKEN) }
}
