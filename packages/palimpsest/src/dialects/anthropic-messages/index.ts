import type { Dialect } from '../dialect.ts'
import { overflowFacts } from '../overflow.ts'
import { markConversation } from './cache.ts'
import { checkConversation } from './check.ts'
import { MAX_REQUEST_BYTES } from './check-places.ts'
import { editMessage } from './edit.ts'
import { fingerprintMessage } from './fingerprint.ts'
import type { AnthropicMessage, AnthropicRequest } from './items.ts'
import { layOutMessages } from './lay-out.ts'
import { mediaTokens } from './media.ts'
import { obsoleteMessagesBefore } from './obsolete.ts'
import { type AnthropicConversation, closeRequest, openRequest, recognisesRequest } from './request.ts'
import { readStream } from './stream-reader.ts'
import { outcomeOf, usageOf } from './usage.ts'
import { viewMessage } from './view.ts'

export type { AnthropicBlock, AnthropicMessage, AnthropicRequest, CacheControl } from './items.ts'
export type { AnthropicConversation } from './request.ts'
export { ANTHROPIC_RULES } from './rules.ts'

/**
 * Anthropic Messages: the items are the entries of `messages`.
 *
 * @example
 * const conversation = anthropicMessages.open({ messages: [{ role: 'user', content: 'Hello' }] })
 * anthropicMessages.check(conversation) // []
 */
export const anthropicMessages: AnthropicDialect = {
  name: 'anthropic-messages',
  itemsKey: 'messages',
  recognises: recognisesRequest,
  open: openRequest,
  close: closeRequest,
  view: viewMessage,
  edit: editMessage,
  layOut: layOutMessages,
  check: checkConversation,
  obsoleteBefore: obsoleteMessagesBefore,
  fingerprint: fingerprintMessage,
  markCache: markConversation,
  usage: usageOf,
  overflow: overflowFacts,
  outcome: outcomeOf,
  reader: readStream,
  // Tokens of the prompt that the provider puts around messages and, where there are tools, before their definitions.
  framing: { request: 3, message: 4, tools: 346, tool: 8 },
  mediaTokens,
  maxBytes: MAX_REQUEST_BYTES,
}

/** The dialect with what `open` tells beyond the common conversation. */
export interface AnthropicDialect extends Dialect<AnthropicRequest, AnthropicMessage> {
  open(request: AnthropicRequest): AnthropicConversation
}
