import { type Fields, fieldsOf, isFields, listOf } from '../json-fields.ts'
import { isLangChainMessage } from './request-shape.ts'

/** Dialects of plain requests that can be told apart without a dialect object. */
export type RequestDialect =
  | 'anthropic-messages'
  | 'openai-chat'
  | 'openai-responses'
  | 'gemini'
  | 'bedrock-converse'
  | 'ai-sdk'
  | 'langchain'

/** Where each dialect has its items. */
export const ITEMS_KEYS: Readonly<Record<RequestDialect, string>> = {
  'anthropic-messages': 'messages',
  'openai-chat': 'messages',
  'openai-responses': 'input',
  gemini: 'contents',
  'bedrock-converse': 'messages',
  'ai-sdk': 'prompt',
  langchain: 'messages',
}

/**
 * The dialect of a request body by its structure. `messages` is shared by five of them: there the shapes of blocks and
 * fields that only one of them has decide; a body with none of them is taken for `openai-chat`, which most servers speak.
 */
export function dialectOfRequest(body: Fields): RequestDialect {
  if (Array.isArray(body.contents)) return 'gemini'
  if (Array.isArray(body.prompt)) return 'ai-sdk'
  if (body.input !== undefined && !Array.isArray(body.messages)) return 'openai-responses'
  const best = [...votes(body)].sort(([, a], [, b]) => b - a)[0]
  return best === undefined || best[1] === 0 ? 'openai-chat' : best[0]
}

/** Ties go to the first: the order is from the most to the least particular. */
function votes(body: Fields): Map<RequestDialect, number> {
  const messages = listOf(body.messages).map(fieldsOf)
  const blocks = messages.flatMap((message) => listOf(message.content)).filter(isFields)
  return new Map([
    ['langchain', messages.filter(isLangChainMessage).length],
    ['bedrock-converse', bedrockVotes(body, blocks)],
    ['ai-sdk', aiSdkVotes(blocks)],
    ['anthropic-messages', anthropicVotes(body, blocks)],
    ['openai-chat', chatVotes(body, messages, blocks)],
  ])
}

function bedrockVotes(body: Fields, blocks: readonly Fields[]): number {
  const own = ['toolConfig', 'inferenceConfig', 'modelId', 'additionalModelRequestFields']
  return (
    countIn(body, own) +
    blocks.filter((block) => !('type' in block) && BEDROCK_BLOCKS.some((key) => key in block)).length
  )
}

function aiSdkVotes(blocks: readonly Fields[]): number {
  return blocks.filter((block) => AI_SDK_BLOCKS.has(block.type) || (block.type === 'file' && 'mediaType' in block))
    .length
}

function anthropicVotes(body: Fields, blocks: readonly Fields[]): number {
  const tools = listOf(body.tools).map(fieldsOf)
  const model = typeof body.model === 'string' && body.model.startsWith('claude') ? 1 : 0
  const own = countIn(body, ['system', 'anthropic_version', 'anthropic_beta', 'thinking'])
  const schemas = tools.filter((tool) => 'input_schema' in tool).length
  return (
    model +
    own +
    schemas +
    blocks.filter((block) => ANTHROPIC_BLOCKS.has(block.type) || 'cache_control' in block).length
  )
}

function chatVotes(body: Fields, messages: readonly Fields[], blocks: readonly Fields[]): number {
  const own = countIn(body, [
    'stream_options',
    'max_completion_tokens',
    'response_format',
    'frequency_penalty',
    'logprobs',
  ])
  const functions = listOf(body.tools).filter((tool) => isFields(fieldsOf(tool).function)).length
  const spoken = messages.filter((message) => 'tool_calls' in message || 'tool_call_id' in message).length
  const leading = messages[0]?.role === 'system' || messages[0]?.role === 'developer' ? 1 : 0
  return own + functions + spoken + leading + blocks.filter((block) => CHAT_BLOCKS.has(block.type)).length
}

function countIn(body: Fields, keys: readonly string[]): number {
  return keys.filter((key) => key in body).length
}

const BEDROCK_BLOCKS = [
  'text',
  'toolUse',
  'toolResult',
  'reasoningContent',
  'cachePoint',
  'image',
  'document',
  'guardContent',
]
const AI_SDK_BLOCKS: ReadonlySet<unknown> = new Set([
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'tool-approval-response',
])
const CHAT_BLOCKS: ReadonlySet<unknown> = new Set(['image_url', 'input_audio', 'file', 'refusal'])
const ANTHROPIC_BLOCKS: ReadonlySet<unknown> = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'image',
  'document',
])
