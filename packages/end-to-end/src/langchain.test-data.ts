import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import type { CallRecord } from '@palimpsest/wirelab'
import { tool } from 'langchain'
import { z } from 'zod'

/** Chat models of LangChain, each with the simulator behind it. None tries again by itself. */
export const MODELS: Readonly<Record<string, (url: string) => BaseChatModel>> = {
  'ChatOpenAI, chat completions': (url) =>
    new ChatOpenAI({ model: 'gpt-4.1', apiKey: 'any', maxRetries: 0, configuration: { baseURL: `${url}/v1` } }),
  'ChatOpenAI, responses': (url) =>
    new ChatOpenAI({
      model: 'gpt-4.1',
      apiKey: 'any',
      maxRetries: 0,
      useResponsesApi: true,
      configuration: { baseURL: `${url}/v1` },
    }),
  ChatAnthropic: (url) =>
    new ChatAnthropic({
      model: 'claude-sonnet-4-5',
      apiKey: 'any',
      maxRetries: 0,
      maxTokens: 2_000,
      anthropicApiUrl: url,
    }),
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
export const readTool = tool(({ step, tokens }) => wordsOf(tokens ?? 100, step), {
  name: 'read',
  description: 'Reads a file.',
  schema: z.object({ step: z.number(), tokens: z.number().optional() }),
})

export const TASK = 'Read every file and report. Never touch the folder named vault.'

/** Room for the steps of long loops in a graph. */
export const LONG_RUN = { recursionLimit: 1_000 }

/** Why calls were not answered: none of them should be. */
export function refusals(calls: readonly CallRecord[]): readonly string[] {
  return calls
    .filter((call) => call.outcome !== 'answered')
    .map(({ reason, message, status, path }) => `${status} ${path} ${reason} ${message}`)
}

/** The text of the newest message. */
export function lastText(messages: readonly BaseMessage[]): string {
  return messages.at(-1)?.text ?? ''
}
