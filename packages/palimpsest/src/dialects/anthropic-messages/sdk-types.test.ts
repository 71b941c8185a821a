import type {
  MessageCreateParams as BetaMessageCreateParams,
  BetaMessageParam,
} from '@anthropic-ai/sdk/resources/beta/messages'
import type { MessageCreateParams, MessageParam, TextBlockParam } from '@anthropic-ai/sdk/resources/messages'
import { describe, expectTypeOf, it } from 'vitest'
import type { AnthropicMessage, AnthropicRequest, CreatedMessage, CreatedText } from './items.ts'

describe('types of the official SDK', () => {
  it('requests and messages of the SDK go in', () => {
    expectTypeOf<MessageCreateParams>().toExtend<AnthropicRequest>()
    expectTypeOf<BetaMessageCreateParams>().toExtend<AnthropicRequest>()
    expectTypeOf<MessageParam>().toExtend<AnthropicMessage>()
    expectTypeOf<BetaMessageParam>().toExtend<AnthropicMessage>()
  })

  it('what this library makes goes out', () => {
    expectTypeOf<CreatedMessage>().toExtend<MessageParam>()
    expectTypeOf<CreatedText>().toExtend<TextBlockParam>()
  })
})
