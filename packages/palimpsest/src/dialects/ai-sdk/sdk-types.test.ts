import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Message,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
} from '@ai-sdk/provider'
import { expect, expectTypeOf, test } from 'vitest'
import { aiSdk } from './index.ts'
import type { AiSdkCallOptions, AiSdkMessage, AiSdkRequest, SummaryMessage } from './items.ts'

test('the SDK’s types are taken as they are, and what this dialect makes is one of them', () => {
  expectTypeOf<LanguageModelV3CallOptions>().toExtend<AiSdkCallOptions>()
  expectTypeOf<LanguageModelV2CallOptions>().toExtend<AiSdkCallOptions>()
  expectTypeOf<LanguageModelV3Prompt>().toExtend<AiSdkRequest>()
  expectTypeOf<LanguageModelV3Message>().toExtend<AiSdkMessage>()
  expectTypeOf<LanguageModelV2Message>().toExtend<AiSdkMessage>()
  expectTypeOf<SummaryMessage>().toExtend<LanguageModelV3Message>()
  expectTypeOf<SummaryMessage>().toExtend<LanguageModelV2Message>()
  const options: LanguageModelV3CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }] }
  expect(aiSdk.open(options).items).toEqual(options.prompt)
})
