import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { ChatOpenAI } from '@langchain/openai'
import { startWirelab, toolLoop, type Wirelab } from '@palimpsest/wirelab'
import { type AgentMiddleware, anthropicPromptCachingMiddleware, createAgent, HumanMessage } from 'langchain'
import { palimpsestMiddleware } from 'palimpsest/langchain'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { LONG_RUN, lastText, MODELS, readTool, refusals, TASK } from './langchain.test-data.ts'

const WINDOW = 32_000
const INPUT = { messages: [new HumanMessage(TASK)] }
const THINKING_LOOP = toolLoop({
  steps: 40,
  tool: 'read',
  resultTokens: 1_500,
  parallel: 2,
  reasoning: (step) => `What to read in step ${step}?`,
  text: (step) => `Step ${step}.`,
  final: 'All is read.',
})

/** Models whose reasoning must come back as it was, or not at all. */
const REASONING_MODELS: Readonly<Record<string, (url: string) => BaseChatModel>> = {
  'ChatAnthropic, thinking bound to its prefix': (url) =>
    new ChatAnthropic({
      model: 'claude-opus-5-5',
      apiKey: 'any',
      maxRetries: 0,
      maxTokens: 4_000,
      thinking: { type: 'adaptive' },
      anthropicApiUrl: url,
    }),
  'ChatOpenAI, stored reasoning': (url) => responsesModel(url, false),
  'ChatOpenAI, encrypted reasoning': (url) => responsesModel(url, true),
}

function responsesModel(url: string, zdrEnabled: boolean): BaseChatModel {
  const configuration = { baseURL: `${url}/v1` }
  const reasoning = { effort: 'low' as const }
  return new ChatOpenAI({
    model: 'gpt-5',
    apiKey: 'any',
    maxRetries: 0,
    useResponsesApi: true,
    zdrEnabled,
    reasoning,
    configuration,
  })
}

const labs: Wirelab[] = []

afterEach(async () => {
  await Promise.all(labs.splice(0).map((one) => one.close()))
})

async function thinkingLab(): Promise<Wirelab> {
  const lab = await startWirelab({ window: WINDOW, script: THINKING_LOOP, rules: { thinkingBinding: 'prefix' } })
  labs.push(lab)
  return lab
}

describe.each(Object.keys(REASONING_MODELS))('%s', (name) => {
  const agentAt = (url: string) => {
    const model = REASONING_MODELS[name]?.(url)
    if (model === undefined) throw new RangeError(`no model ${name}`)
    return createAgent({ model, tools: [readTool], middleware: [palimpsestMiddleware({ window: WINDOW })] })
  }

  test('a long loop with reasoning and parallel calls is never refused', async () => {
    const lab = await thinkingLab()
    const { messages } = await agentAt(lab.url).invoke(INPUT, LONG_RUN)
    expect(lastText(messages)).toContain('All is read.')
    expect(refusals(lab.calls)).toEqual([])
    expect(lab.calls.filter((call) => call.purpose === 'summary').length).toBeGreaterThan(0)
  })

  test('nor is it where it is streamed', async () => {
    const lab = await thinkingLab()
    const shown: string[] = []
    for await (const [message] of await agentAt(lab.url).stream(INPUT, { ...LONG_RUN, streamMode: 'messages' })) {
      shown.push(message.text)
    }
    expect(shown.join('')).toContain('All is read.')
    expect(refusals(lab.calls)).toEqual([])
  })
})

test('with LangChain’s prompt caching most of each request is read from the cache', async () => {
  const lab = await thinkingLab()
  const model = REASONING_MODELS['ChatAnthropic, thinking bound to its prefix']?.(lab.url)
  if (model === undefined) throw new RangeError('no model')
  // LangChain's own types of it do not hold under `exactOptionalPropertyTypes`.
  const caching = anthropicPromptCachingMiddleware() as unknown as AgentMiddleware
  const middleware = [palimpsestMiddleware({ window: WINDOW }), caching]
  await createAgent({ model, tools: [readTool], middleware }).invoke(INPUT, LONG_RUN)
  expect(refusals(lab.calls)).toEqual([])
  const usages = lab.calls.filter((call) => call.purpose === 'main').map((call) => call.usage)
  const sum = (read: (usage: { readonly input: number; readonly cacheRead: number }) => number) =>
    usages.reduce((total, usage) => total + (usage === undefined ? 0 : read(usage)), 0)
  expect(sum((usage) => usage.cacheRead) / sum((usage) => usage.input)).toBeGreaterThan(0.5)
})

test('structured output passes', async () => {
  const script = () => ({ parts: [{ kind: 'text' as const, text: '{"files":3}' }] })
  const lab = await startWirelab({ window: WINDOW, script })
  labs.push(lab)
  const model = MODELS['ChatOpenAI, chat completions']?.(lab.url)
  if (model === undefined) throw new RangeError('no model')
  const agent = createAgent({
    model,
    tools: [readTool],
    responseFormat: z.object({ files: z.number() }),
    middleware: [palimpsestMiddleware({ window: WINDOW, tools: true })],
  })
  expect((await agent.invoke(INPUT, LONG_RUN)).structuredResponse).toEqual({ files: 3 })
})
