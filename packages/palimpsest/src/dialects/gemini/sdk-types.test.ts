import type { Content, FunctionCall, FunctionResponse, GenerationConfig, Part, Tool, ToolConfig } from '@google/genai'
import { expect, expectTypeOf, test } from 'vitest'
import { gemini } from './index.ts'
import type { GeminiContent, GeminiPart, GeminiRequest, SummaryContent } from './items.ts'

/** The body that the SDK sends, from its own types. */
interface RestBody {
  contents: Content[]
  systemInstruction?: Content
  tools?: Tool[]
  toolConfig?: ToolConfig
  generationConfig?: GenerationConfig
  cachedContent?: string
}

test('the SDK’s types are taken as they are, and what this dialect makes is one of them', () => {
  expectTypeOf<RestBody>().toExtend<GeminiRequest>()
  expectTypeOf<Content>().toExtend<GeminiContent>()
  expectTypeOf<Part>().toExtend<GeminiPart>()
  expectTypeOf<FunctionCall>().toExtend<NonNullable<GeminiPart['functionCall']>>()
  expectTypeOf<FunctionResponse>().toExtend<NonNullable<GeminiPart['functionResponse']>>()
  expectTypeOf<Mutable<SummaryContent>>().toExtend<Content>()
  const body: RestBody = { contents: [{ role: 'user', parts: [{ text: 'a' }] }] }
  expect(gemini.open(body).items).toBe(body.contents)
})

type Mutable<T> = T extends readonly (infer E)[]
  ? Mutable<E>[]
  : { -readonly [K in keyof T]: T[K] extends object ? Mutable<T[K]> : T[K] }
