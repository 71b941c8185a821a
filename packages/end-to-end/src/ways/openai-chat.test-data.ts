import OpenAI from 'openai'
import type { Step } from './steps.test-data.ts'
import { type Answer, type ClientSetup, type Manner, outputCap, SYSTEM, TOOL, type Way } from './way.test-data.ts'

/** Chat Completions by `openai`. */
export const openaiChat: Way = {
  name: 'openai chat',
  format: 'openai-chat',
  dialect: 'openai-chat',
  model: 'gpt-4.1',
  manners: ['generate', 'stream'],
  connect: (setup) => {
    const client = openaiClient(setup)
    const { model = openaiChat.model, system = SYSTEM } = setup
    const cap = outputCap(setup)
    const more = cap === undefined ? {} : { max_completion_tokens: cap }
    return {
      ask: (steps, manner) => {
        const messages = [{ role: 'system' as const, content: system }, ...chatMessagesOf(steps)]
        return askChat(client, { model, ...more, tools: chatTools, messages }, manner)
      },
    }
  },
}

export function openaiClient({ url, keeper, apiKey = 'any', maxRetries = 0 }: ClientSetup, path = '/v1'): OpenAI {
  return new OpenAI({ baseURL: `${url}${path}`, apiKey, fetch: keeper.fetch, maxRetries })
}

export const chatTools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: TOOL, parameters: { type: 'object', properties: {} } } },
]

/** One call in this manner; streams report their usage. */
export async function askChat(
  client: OpenAI,
  body: OpenAI.ChatCompletionCreateParamsNonStreaming,
  manner: Manner,
): Promise<Answer> {
  const shown: string[] = []
  const { choices } =
    manner === 'generate'
      ? await client.chat.completions.create(body)
      : await client.chat.completions
          .stream({ ...body, stream: true, stream_options: { include_usage: true } })
          .on('content', (text) => shown.push(text))
          .finalChatCompletion()
  const message = choices[0]?.message
  const calls = (message?.tool_calls ?? []).flatMap((one) =>
    one.type === 'function'
      ? [{ id: one.id, name: one.function.name, input: JSON.parse(one.function.arguments) as never }]
      : [],
  )
  const text = message?.content ?? ''
  return { text, calls, shown: manner === 'stream' ? shown.join('') : text }
}

export function chatMessagesOf(steps: readonly Step[]): OpenAI.ChatCompletionMessageParam[] {
  return steps.flatMap((step): OpenAI.ChatCompletionMessageParam[] => {
    if ('user' in step) return [{ role: 'user', content: step.user }]
    if (!('calls' in step)) return [{ role: 'assistant', content: step.say }]
    const calls = step.calls.map(({ id, name, input }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(input) },
    }))
    return [
      { role: 'assistant', content: step.say ?? null, tool_calls: calls },
      ...step.calls.map(({ id, result }) => ({ role: 'tool' as const, tool_call_id: id, content: result })),
    ]
  })
}
