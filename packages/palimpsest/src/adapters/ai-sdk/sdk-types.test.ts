import type { LanguageModelV3, LanguageModelV3Middleware } from '@ai-sdk/provider'
import { generateText, type LanguageModelMiddleware, ToolLoopAgent, type ToolSet, wrapLanguageModel } from 'ai'
import {
  generateText as generateText7,
  type LanguageModelMiddleware as LanguageModelMiddleware7,
  type ToolSet as ToolSet7,
  wrapLanguageModel as wrapLanguageModel7,
} from 'ai7'
import type { LanguageModelV4 } from 'ai7-provider'
import { expectTypeOf, test } from 'vitest'
import {
  type LanguageModel,
  type PalimpsestMiddleware,
  type PalimpsestTools,
  palimpsest,
  palimpsestContext,
  palimpsestTools,
  type SummarizerModel,
} from './index.ts'

test('the middleware, the tools and the models are what AI SDK 6 and 7 take and give', () => {
  expectTypeOf<PalimpsestMiddleware>().toExtend<LanguageModelV3Middleware>()
  expectTypeOf<PalimpsestMiddleware>().toExtend<LanguageModelMiddleware>()
  expectTypeOf<PalimpsestMiddleware>().toExtend<LanguageModelMiddleware7>()
  expectTypeOf<PalimpsestTools>().toExtend<ToolSet>()
  expectTypeOf<PalimpsestTools>().toExtend<ToolSet7>()
  expectTypeOf<LanguageModelV3>().toExtend<LanguageModel>()
  expectTypeOf<LanguageModelV4>().toExtend<LanguageModel>()
  expectTypeOf<LanguageModelV3>().toExtend<SummarizerModel>()
})

// never called: the compiler reads it
void written
async function written(six: LanguageModelV3, seven: LanguageModelV4): Promise<void> {
  const context = palimpsestContext({ summarizer: { model: six } })
  const tools = palimpsestTools(context)
  const model = wrapLanguageModel({ model: six, middleware: palimpsest({ summarizer: { model: seven } }) })
  await generateText({ model, tools, prompt: 'a' })
  new ToolLoopAgent({ model: wrapLanguageModel({ model: six, middleware: [context.middleware] }), tools })
  const model7 = wrapLanguageModel7({ model: seven, middleware: context.middleware })
  await generateText7({ model: model7, tools: { ...tools }, prompt: 'a' })
}
