import type { Dialect } from '../dialect.ts'
import { overflowFacts } from '../overflow.ts'
import { markConversation } from './cache.ts'
import { checkConversation } from './check.ts'
import { editMessage } from './edit.ts'
import { fingerprintMessage } from './fingerprint.ts'
import type { BedrockMessage, BedrockRequest } from './items.ts'
import { layOutMessages } from './lay-out.ts'
import { mediaTokens } from './media.ts'
import { closeRequest, openRequest, recognisesRequest } from './request.ts'
import { readStream } from './stream-reader.ts'
import { outcomeOf, usageOf } from './usage.ts'
import { viewMessage } from './view.ts'

export type { BedrockBlock, BedrockMessage, BedrockRequest, CachePoint } from './items.ts'
export { BEDROCK_RULES } from './rules.ts'

/**
 * Amazon Bedrock Converse: the items are the entries of `messages`. Takes JSON bodies and the SDK's objects; binary data
 * is never copied.
 *
 * @example
 * const conversation = bedrockConverse.open({ messages: [{ role: 'user', content: [{ text: 'Hello' }] }] })
 * bedrockConverse.check(conversation) // []
 */
export const bedrockConverse: Dialect<BedrockRequest, BedrockMessage> = {
  name: 'bedrock-converse',
  itemsKey: 'messages',
  recognises: recognisesRequest,
  open: openRequest,
  close: closeRequest,
  view: viewMessage,
  edit: editMessage,
  layOut: layOutMessages,
  check: checkConversation,
  fingerprint: fingerprintMessage,
  markCache: markConversation,
  usage: usageOf,
  overflow: overflowFacts,
  outcome: outcomeOf,
  reader: readStream,
  // Tokens of the prompt that Anthropic's models put around messages and before tool definitions.
  framing: { request: 3, message: 4, tools: 346, tool: 8 },
  mediaTokens,
}
