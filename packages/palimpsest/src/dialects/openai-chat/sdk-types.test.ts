import type { ChatCompletionCreateParams, ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { expectTypeOf, test } from 'vitest'
import type { ChatMessage, ChatRequest, SummaryMessage } from './items.ts'

test('what the official SDK sends is what the dialect takes, and what the dialect adds is what the SDK sends', () => {
  expectTypeOf<ChatCompletionCreateParams>().toExtend<ChatRequest>()
  expectTypeOf<ChatCompletionMessageParam>().toExtend<ChatMessage>()
  expectTypeOf<SummaryMessage>().toExtend<ChatCompletionMessageParam>()
})
