import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { type AiSdkMessage, aiSdk } from 'palimpsest'
import type { CallModel, ModelStep } from '../loop/middleware.ts'
import type { ModelAnswer } from '../loop/model-answer.ts'
import type { AgentModel } from '../models/agent-model.ts'

const BEDROCK_ID = 'anthropic.claude-sonnet-4-5-20250929-v1:0'

export type ModelName =
  | 'anthropic'
  | 'anthropic, a model without caching'
  | 'bedrock'
  | 'openai responses'
  | 'openai chat'
  | 'openai-compatible'
  | 'google'

/** Models of every provider's own SDK, at the server of this URL. */
export const MODELS: Readonly<Record<ModelName, (url: string) => LanguageModelV3>> = {
  anthropic: (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'any' })('claude-sonnet-4-5'),
  'anthropic, a model without caching': (url: string) =>
    createAnthropic({ baseURL: `${url}/v1`, apiKey: 'any' })('some-unknown-model'),
  bedrock: (url: string) => createAmazonBedrock({ baseURL: url, apiKey: 'any', region: 'us-east-1' })(BEDROCK_ID),
  'openai responses': (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' }).responses('gpt-5'),
  'openai chat': (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' }).chat('gpt-4.1'),
  'openai-compatible': (url: string) =>
    createOpenAICompatible({ name: 'local', baseURL: `${url}/v1`, apiKey: 'any' })('gpt-4.1'),
  google: (url: string) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: 'any' })('gemini-2.5-flash'),
}

/** A step of a conversation with two stable system messages, and a memory behind them. */
export function stepOf(name: ModelName, url: string, items: readonly AiSdkMessage[], memory = 'Use tabs.'): ModelStep {
  const language = MODELS[name](url)
  const model: AgentModel = {
    name: `test:${language.modelId}`,
    provider: 'test',
    id: language.modelId,
    language,
    settings: {},
    upstream: url,
    fit: (prompt) => prompt,
  }
  const system = [`You fix bugs. ${words(300, 'rule')}`, 'Skills: none.', memory]
  return {
    model,
    options: { prompt: [...system.map((content) => ({ role: 'system' as const, content })), ...items], tools: [READ] },
    stableSystem: 2,
    signal: new AbortController().signal,
    session: 'session-1',
    emit: () => {},
  }
}

const READ = {
  type: 'function',
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}

export const TASK: AiSdkMessage = {
  role: 'user',
  content: [{ type: 'text', text: 'Find the bug.' } as { type: 'text' }],
}

/** One step of the model that reads so many files at once, and their results. */
export function readStep(step: number, parallel = 1, size = 60): readonly AiSdkMessage[] {
  const ids = Array.from({ length: parallel }, (_, at) => `call_${step}_${at}`)
  const call = (id: string) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: 'read_file',
    input: { path: `${id}.ts` },
  })
  const result = (id: string) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: 'read_file',
    output: { type: 'text', value: words(size, id) },
  })
  return [
    { role: 'assistant', content: ids.map(call) },
    { role: 'tool', content: ids.map(result) },
  ]
}

export function readSteps(count: number, size?: number): readonly AiSdkMessage[] {
  return Array.from({ length: count }, (_, step) => readStep(step, 1, size)).flat()
}

function words(count: number, seed: string): string {
  return Array.from({ length: count }, (_, at) => `${seed} says ${at}.`).join('\n')
}

/** The call itself, by the provider's own SDK. */
export const callModel: CallModel = async ({ model, options }): Promise<ModelAnswer> => {
  const result = await model.language.doGenerate(options as unknown as LanguageModelV3CallOptions)
  return {
    message: { role: 'assistant', content: [] },
    text: '',
    calls: [],
    finish: result.finishReason,
    usage: aiSdk.usage(result),
    end: result,
  }
}

/** Where cache marks stand in a body of Anthropic or Bedrock: `system 1` for a system block, `2.0` for a message's block. */
export function marksIn(body: unknown): readonly string[] {
  const { system, messages } = body as { readonly system: readonly Block[]; readonly messages: readonly Message[] }
  const isMark = (block: Block) => block.cache_control !== undefined || block.cachePoint !== undefined
  const places = (blocks: readonly Block[]) => blocks.flatMap((block, at) => (isMark(block) ? [at] : []))
  return [
    ...places(system).map((at) => `system ${at}`),
    ...messages.flatMap(({ content }, message) => places(content).map((at) => `${message}.${at}`)),
  ]
}

interface Block {
  readonly cache_control?: unknown
  readonly cachePoint?: unknown
}

interface Message {
  readonly content: readonly Block[]
}
