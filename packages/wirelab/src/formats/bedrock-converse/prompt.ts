import type { PromptBlock } from '../../format.ts'
import { hashText } from '../../hash-text.ts'
import { asFields, type Fields, field, listField, textField } from '../../json-fields.ts'
import { pdfPages } from '../../media-facts.ts'
import { pictureTokens } from '../../picture-tokens.ts'
import { openSeal } from '../../seal.ts'
import { cachePointSeconds } from './cache-points.ts'
import { converseRequest, readMessages } from './messages.ts'

/** The prompt in the order in which the model reads it: tools, system, messages. A cache point marks what stands before. */
export function conversePrompt(body: unknown): readonly PromptBlock[] {
  const request = converseRequest(body)
  const steps = [
    ...listField(field(request, 'toolConfig'), 'tools').map((tool) => ({ role: 'tool', block: asFields(tool) ?? {} })),
    ...listField(request, 'system').map((block) => ({ role: 'system', block: asFields(block) ?? {} })),
    ...readMessages(body).flatMap(({ role, blocks }) => blocks.map((block) => ({ role, block }))),
  ]
  const prompt: PromptBlock[] = []
  for (const { role, block } of steps) {
    const cacheSeconds = cachePointSeconds(block)
    const last = prompt.at(-1)
    if (cacheSeconds === undefined) prompt.push(...blockTexts(role, block))
    else if (last !== undefined) prompt[prompt.length - 1] = { ...last, cacheSeconds }
  }
  return prompt
}

function blockTexts(role: string, block: Fields): readonly PromptBlock[] {
  const result = asFields(block.toolResult)
  if (result === undefined) return [blockText(role, block)]
  const content = listField(result, 'content').map((part) => blockText('result', asFields(part) ?? {}))
  return content.length > 0 ? content : [{ text: `result ${String(result.status ?? '')}` }]
}

function blockText(role: string, block: Fields): PromptBlock {
  const use = asFields(block.toolUse)
  if (use !== undefined) return { text: `call ${use.name} ${JSON.stringify(use.input)}` }
  if (block.reasoningContent !== undefined) return reasoningText(block.reasoningContent)
  if (block.image !== undefined) {
    const bytes = textField(field(block.image, 'source'), 'bytes') ?? ''
    return { text: `${role} image ${hashText(bytes)}`, tokens: pictureTokens(bytes) }
  }
  if (block.document !== undefined) return documentText(role, block.document)
  if (block.json !== undefined) return { text: `${role} ${JSON.stringify(block.json)}` }
  return { text: `${role} ${textField(block, 'text') ?? JSON.stringify(block)}` }
}

/** Sealed reasoning of other providers in base64: a token takes about four bytes of what is inside. */
const SEALED_CHARS_PER_TOKEN = 16 / 3
/** Tokens of a page, between the 1,500 and 3,000 that are seen. */
const PAGE_TOKENS = 2_000
const UNKNOWN_PAGES = 2

function reasoningText(reasoning: unknown): PromptBlock {
  const signed = field(reasoning, 'reasoningText')
  const redacted = textField(reasoning, 'redactedContent')
  if (redacted !== undefined) {
    return { text: `redacted ${hashText(redacted)}`, tokens: Math.ceil(redacted.length / SEALED_CHARS_PER_TOKEN) }
  }
  const text = textField(signed, 'text') ?? ''
  const signature = textField(signed, 'signature') ?? ''
  // Newer models leave the text out: what they thought is in the signature alone.
  if (text === '' && openSeal(signature) === 'foreign') {
    return { text: `reasoning ${hashText(signature)}`, tokens: Math.ceil(signature.length / SEALED_CHARS_PER_TOKEN) }
  }
  return { text: `reasoning ${text}` }
}

function documentText(role: string, document: unknown): PromptBlock {
  const source = field(document, 'source')
  const text = textField(source, 'text')
  if (text !== undefined) return { text: `${role} document ${text}` }
  const parts = listField(source, 'content')
  if (parts.length > 0)
    return { text: `${role} document ${parts.map((part) => textField(part, 'text') ?? '').join('\n')}` }
  const bytes = textField(source, 'bytes') ?? ''
  if (['txt', 'md', 'csv', 'html'].includes(textField(document, 'format') ?? '')) {
    return { text: `${role} document ${Buffer.from(bytes, 'base64').toString()}` }
  }
  return { text: `${role} document ${hashText(bytes)}`, tokens: PAGE_TOKENS * (pdfPages(bytes) ?? UNKNOWN_PAGES) }
}
