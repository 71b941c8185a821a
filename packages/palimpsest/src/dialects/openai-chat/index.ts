import type { Dialect } from '../dialect.ts'
import { fieldsOf, listOf } from '../json-fields.ts'
import { OPENAI_FRAMING, openAiMediaTokens } from '../openai-media.ts'
import { overflowFacts } from '../overflow.ts'
import { markBreakpoints } from './cache-marks.ts'
import { checkChat } from './check.ts'
import { editMessage } from './edit.ts'
import { fingerprintMessage } from './fingerprint.ts'
import type { ChatMessage, ChatRequest } from './items.ts'
import { layOutMessages } from './lay-out.ts'
import { closeRequest, openRequest } from './request.ts'
import { readStream } from './stream-reader.ts'
import { judgeOutcome, readUsage } from './usage.ts'
import { viewMessage } from './view.ts'

export type { ChatMessage, ChatRequest } from './items.ts'

/** OpenAI Chat Completions, and servers that speak it. */
export const openaiChat: Dialect<ChatRequest, ChatMessage> = {
  name: 'openai-chat',
  itemsKey: 'messages',
  framing: OPENAI_FRAMING,
  recognises: recognisesChat,
  open: openRequest,
  close: closeRequest,
  view: viewMessage,
  edit: editMessage,
  layOut: (items, changed, context) => layOutMessages(items, context.strictAlternation && changed.from !== undefined),
  check: checkChat,
  fingerprint: fingerprintMessage,
  markCache: markBreakpoints,
  usage: readUsage,
  overflow: overflowFacts,
  outcome: judgeOutcome,
  reader: readStream,
  mediaTokens: openAiMediaTokens,
}

/** Fields that no other API with `messages` has. */
const TELLING_FIELDS = [
  'max_completion_tokens',
  'stream_options',
  'response_format',
  'frequency_penalty',
  'presence_penalty',
  'parallel_tool_calls',
  'n',
  'logit_bias',
  'functions',
]

/** Fields and block types of the other APIs with `messages`. */
const FOREIGN_FIELDS = ['system', 'anthropic_version', 'inferenceConfig', 'toolConfig', 'contents', 'input']
const FOREIGN_BLOCKS: ReadonlySet<unknown> = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'tool-call',
  'tool-result',
])

function recognisesChat(body: unknown): number {
  const fields = fieldsOf(body)
  const { messages, tools } = fields
  if (!Array.isArray(messages) || FOREIGN_FIELDS.some((name) => name in fields)) return 0
  if (!messages.every((message) => typeof fieldsOf(message).role === 'string')) return 0
  if (messages.some(hasForeignBlock) || listOf(tools).some((tool) => 'input_schema' in fieldsOf(tool))) return 0
  const isTold = TELLING_FIELDS.some((name) => name in fields) || messages.some(isTelling)
  const hasOwnTools = listOf(tools).some((tool) => ['function', 'custom'].includes(String(fieldsOf(tool).type)))
  return isTold || hasOwnTools ? 0.95 : 0.6
}

function isTelling(message: unknown): boolean {
  const { role, tool_calls: calls } = fieldsOf(message)
  return role === 'system' || role === 'developer' || role === 'tool' || role === 'function' || Array.isArray(calls)
}

/** Blocks of other formats; those of Bedrock have no `type` at all. */
function hasForeignBlock(message: unknown): boolean {
  return listOf(fieldsOf(message).content).some((block) => {
    const { type } = fieldsOf(block)
    return type === undefined || FOREIGN_BLOCKS.has(type)
  })
}
