import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import type { ChatOpenAI } from '@langchain/openai'
import { createDeepAgent } from 'deepagents'
import { type AgentMiddleware, createAgent } from 'langchain'
import { expectTypeOf, test } from 'vitest'
import type { LangChainMessage, LangChainMiddleware, SummarizerModel } from './index.ts'
import { DEEPAGENTS_SUMMARIZATION, palimpsestMiddleware } from './index.ts'

test('the middleware and the messages are what LangChain takes and gives', () => {
  expectTypeOf<LangChainMiddleware>().toExtend<AgentMiddleware>()
  expectTypeOf<BaseMessage>().toExtend<LangChainMessage>()
  expectTypeOf<BaseChatModel>().toExtend<SummarizerModel>()
  expectTypeOf<ChatOpenAI>().toExtend<SummarizerModel>()
})

// never called: the compiler reads it
void written
function written(model: BaseChatModel) {
  const middleware = palimpsestMiddleware({ summarizer: { model }, tools: true })
  createAgent({ model, middleware: [middleware] })
  return createDeepAgent({ model, middleware: [palimpsestMiddleware({ name: DEEPAGENTS_SUMMARIZATION })] })
}
