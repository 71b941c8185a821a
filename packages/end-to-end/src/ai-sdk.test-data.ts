import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV3 } from '@ai-sdk/provider'
import { toolLoop } from '@palimpsest/wirelab'
import { generateText, type ModelMessage, stepCountIs, streamText, type ToolSet, tool } from 'ai'
import { createAnthropic as createAnthropic7 } from 'ai7-anthropic'
import { createOpenAI as createOpenAI7 } from 'ai7-openai'
import type { LanguageModelV4 } from 'ai7-provider'
import { z } from 'zod'

/** The providers of AI SDK 6, each with the simulator behind it. */
export const MODELS: Readonly<Record<string, (url: string) => LanguageModelV3>> = {
  anthropic: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'any' })('claude-sonnet-4-5'),
  'openai chat': (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' }).chat('gpt-4.1'),
  'openai responses': (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' }).responses('gpt-4.1'),
  google: (url) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: 'any' })('gemini-2.5-flash'),
  bedrock: (url) =>
    createAmazonBedrock({ baseURL: url, apiKey: 'any', region: 'us-east-1' })(
      'anthropic.claude-sonnet-4-5-20250929-v1:0',
    ),
  'openai-compatible': (url) =>
    createOpenAICompatible({ name: 'local', baseURL: `${url}/v1`, apiKey: 'any' })('some-local-model'),
}

/** Providers of AI SDK 7. */
export const MODELS_7: Readonly<Record<string, (url: string) => LanguageModelV4>> = {
  anthropic: (url) => createAnthropic7({ baseURL: `${url}/v1`, apiKey: 'any' })('claude-sonnet-4-5'),
  'openai chat': (url) => createOpenAI7({ baseURL: `${url}/v1`, apiKey: 'any' }).chat('gpt-4.1'),
  'openai responses': (url) => createOpenAI7({ baseURL: `${url}/v1`, apiKey: 'any' }).responses('gpt-4.1'),
}

/** Text of about so many tokens, another one for each seed. */
export function wordsOf(tokens: number, seed: number): string {
  const lines = Array.from(
    { length: Math.ceil(tokens / 10) },
    (_, at) => `line ${at} of file ${seed}: value ${at * 31 + seed}`,
  )
  return lines.join('\n')
}

/** What the scripted model reads with; it says itself how much it gets. */
export const readTool = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ step: z.number(), tokens: z.number().optional() }),
  execute: async ({ step, tokens }) => wordsOf(tokens ?? 100, step),
})

export const TASK = 'Read every file and report. Never touch the folder named vault.'

/** A model of AI SDK 6 by the name of its provider. */
export function modelAt(name: string, url: string): LanguageModelV3 {
  const make = MODELS[name]
  if (make === undefined) throw new RangeError(`There is no provider ${name} here.`)
  return make(url)
}

/** A conversation of so many steps, about 600 tokens each, that waits for the model. */
export function historyOf(steps: number): ModelMessage[] {
  const turns = Array.from({ length: steps }, (_, step): ModelMessage[] => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: wordsOf(150, 2_000 + step) },
        { type: 'tool-call', toolCallId: `call_${step}`, toolName: 'read', input: { step } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: `call_${step}`,
          toolName: 'read',
          output: { type: 'text', value: wordsOf(450, step) },
        },
      ],
    },
  ])
  return [{ role: 'user', content: TASK }, ...turns.flat()]
}

/** What a loop is run with. */
export interface LoopOptions {
  readonly model: LanguageModelV3
  readonly tools?: ToolSet
  /** Default: the task alone. */
  readonly messages?: ModelMessage[]
  /** Default 0. */
  readonly maxRetries?: number
}

/** The text of a whole tool loop in one of the two ways. @throws what the SDK throws, or hands to `onError`. */
export async function runLoop(way: 'generate' | 'stream', options: LoopOptions): Promise<string> {
  const call = {
    tools: { read: readTool },
    messages: [{ role: 'user', content: TASK } satisfies ModelMessage],
    maxOutputTokens: 2_000,
    maxRetries: 0,
    stopWhen: stepCountIs(200),
    ...options,
  }
  if (way === 'generate') return (await generateText(call)).text
  const failures: unknown[] = []
  const result = streamText({ ...call, onError: ({ error }) => void failures.push(error) })
  await result.consumeStream({ onError: (error) => void failures.push(error) })
  if (failures.length > 0) throw failures[0]
  return result.text
}

/** A run of 60 steps, several windows of 32,000 tokens long. */
export const LONG_LOOP = toolLoop({
  steps: 60,
  tool: 'read',
  resultTokens: 1_200,
  text: (step) => wordsOf(400, 1_000 + step),
  final: 'All is read.',
})
