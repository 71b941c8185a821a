import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import { createAnthropic } from '@ai-sdk/anthropic'
import type { LanguageModelV3 } from '@ai-sdk/provider'
import { generateText, type ModelMessage, streamText, type ToolSet, tool, wrapLanguageModel } from 'ai'
import { z } from 'zod'
import type { Step } from './steps.test-data.ts'
import { type Answer, type ClientSetup, type Manner, outputCap, SYSTEM, TOOL, type Way } from './way.test-data.ts'

/** Converse by the AI SDK's provider, palimpsest as its `fetch`. */
export const bedrock: Way = {
  name: '@ai-sdk/amazon-bedrock',
  format: 'bedrock-converse',
  dialect: 'bedrock-converse',
  model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  manners: ['generate', 'stream'],
  connect: (setup) => {
    const { url, keeper, apiKey = 'any', model = bedrock.model } = setup
    const provider = createAmazonBedrock({ baseURL: url, apiKey, region: 'us-east-1', fetch: keeper.fetch })
    return { ask: (steps, manner) => askAiSdk(provider(model), { steps, setup }, manner) }
  },
}

/** The AI SDK, palimpsest as a middleware in front of its provider. */
export const aiSdk: Way = {
  name: 'ai sdk middleware',
  format: 'anthropic-messages',
  dialect: 'ai-sdk',
  model: 'claude-opus-5',
  manners: ['generate', 'stream'],
  connect: (setup) => {
    const { url, keeper, apiKey = 'any', model = aiSdk.model } = setup
    const provider = createAnthropic({ baseURL: `${url}/v1`, apiKey })
    const wrapped = wrapLanguageModel({ model: provider(model), middleware: keeper.middleware })
    return { ask: (steps, manner) => askAiSdk(wrapped, { steps, setup }, manner) }
  },
}

/** Its results are the conversation's: the loop is the test's own. */
const tools: ToolSet = { [TOOL]: tool({ inputSchema: z.looseObject({}) }) }

async function askAiSdk(
  model: LanguageModelV3,
  { steps, setup }: { readonly steps: readonly Step[]; readonly setup: ClientSetup },
  manner: Manner,
): Promise<Answer> {
  const { system = SYSTEM, maxRetries = 0 } = setup
  const cap = outputCap(setup)
  const options = {
    model,
    system,
    tools,
    messages: modelMessagesOf(steps),
    maxRetries,
    ...(cap !== undefined && { maxOutputTokens: cap }),
  }
  const failures: unknown[] = []
  const result =
    manner === 'generate'
      ? await generateText(options)
      : streamText({ ...options, onError: ({ error }) => void failures.push(error) })
  const shown: string[] = []
  if ('fullStream' in result) {
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta' || part.type === 'reasoning-delta') shown.push(part.text)
    }
  }
  if (failures.length > 0) throw errorOf(failures[0])
  const text = await result.text
  const calls = (await result.toolCalls).map(({ toolCallId, toolName, input }) => ({
    id: toolCallId,
    name: toolName,
    input: input as never,
  }))
  return { text, calls, shown: manner === 'stream' ? shown.join('') : text }
}

/** What a provider says inside of a stream is no error object yet. */
function errorOf(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error(JSON.stringify(failure))
}

export function modelMessagesOf(steps: readonly Step[]): ModelMessage[] {
  return steps.flatMap((step): ModelMessage[] => {
    if ('user' in step) return [{ role: 'user', content: step.user }]
    if (!('calls' in step)) return [{ role: 'assistant', content: step.say }]
    const said = step.say === undefined ? [] : [{ type: 'text' as const, text: step.say }]
    const calls = step.calls.map(({ id, name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input,
    }))
    const results = step.calls.map(({ id, name, result }) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: name,
      output: { type: 'text' as const, value: result },
    }))
    return [
      { role: 'assistant', content: [...said, ...calls] },
      { role: 'tool', content: results },
    ]
  })
}
